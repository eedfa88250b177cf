//! By which model nearness in meaning is found: what the settings want, and what a workspace's index has.

use super::endpoint::{Endpoint, Unanswered};
use crate::{
    config::Embeddings,
    engines::recall::semantic::{Model, Vector},
    model::recall::Indexed,
    problem::Problem,
    store::{Db, ShelfMark},
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use time::{OffsetDateTime, macros::format_description};

/// What the settings want.
#[derive(Clone, Debug)]
pub enum Wanted {
    Nothing,
    Builtin,
    Outside(Arc<Endpoint>),
}

/// What an index is made with.
#[derive(Debug)]
pub(super) enum By {
    Nothing,
    Builtin,
    /// A generation that is complete: of the model that is wanted, or still of the one before.
    Outside {
        endpoint: Arc<Endpoint>,
        model: String,
        /// How long its vectors are; 0 until one is known.
        length: AtomicUsize,
    },
}

impl Wanted {
    pub fn of(embeddings: &Embeddings) -> Result<Self, String> {
        Ok(match embeddings {
            Embeddings::Off => Self::Nothing,
            Embeddings::Builtin => Self::Builtin,
            Embeddings::Outside(outside) => Self::Outside(Arc::new(Endpoint::at(outside)?)),
        })
    }

    /// What there is to serve with. The builtin model is always complete, so it serves until an outside one is.
    pub(super) async fn in_service(&self, db: &Db, mark: ShelfMark) -> Result<By, Problem> {
        Ok(match self {
            Self::Nothing => By::Nothing,
            Self::Builtin => By::Builtin,
            Self::Outside(endpoint) => match db.serving_generation(mark, &endpoint.model).await? {
                None => By::Builtin,
                Some((model, length)) => By::Outside { endpoint: endpoint.clone(), model, length: AtomicUsize::new(length.unwrap_or(0)) },
            },
        })
    }
}

impl By {
    /// Whether somebody else is asked for vectors.
    pub(super) fn is_outside(&self) -> bool {
        matches!(self, Self::Outside { .. })
    }

    /// Whose kept vectors the index reads.
    pub(super) fn model(&self) -> Option<&str> {
        match self {
            Self::Outside { model, .. } => Some(model),
            Self::Nothing | Self::Builtin => None,
        }
    }

    pub(super) fn vectors_of(&self, row: &Indexed) -> Vec<Vector> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Builtin => Model::builtin().embed_long(&text_of(&row.title, &row.content)),
            Self::Outside { length, .. } => {
                let Some((dimensions, kept)) = row.vectors.as_ref().filter(|(_, kept)| !kept.is_empty()) else { return Vec::new() };
                length.store(*dimensions, Ordering::Relaxed);
                unpack(*dimensions, kept)
            }
        }
    }

    /// The question's vector; or, where there should be one and is none, what to say of it.
    pub(super) async fn direction_of(&self, query: &str) -> (Option<Vector>, Option<String>) {
        let (endpoint, model, length) = match self {
            Self::Nothing => return (None, None),
            Self::Builtin => return (Model::builtin().embed(query), None),
            Self::Outside { .. } if query.trim().is_empty() => return (None, None),
            Self::Outside { endpoint, model, length } => (endpoint, model, length.load(Ordering::Relaxed)),
        };
        match endpoint.direction_of(model, query).await {
            Ok(Some(vector)) if length != 0 && length != vector.codes.len() => {
                (None, Some("Found by words only: the embeddings endpoint answers with vectors of another length than before.".to_owned()))
            }
            Ok(vector) => (vector, None),
            Err(Unanswered::Refused) => (None, Some("Found by words only: the embeddings endpoint refused the question.".to_owned())),
            Err(Unanswered::AwaySince(since)) => (None, Some(away(since, model, &endpoint.model))),
        }
    }
}

fn away(since: OffsetDateTime, model: &str, wanted: &str) -> String {
    let since = since.format(format_description!("[year]-[month]-[day] [hour]:[minute] UTC")).unwrap_or_default();
    if model == wanted {
        return format!("Found by words only: the embeddings endpoint is away since {since}.");
    }
    format!("Found by words only: the embeddings endpoint does not answer for {model} since {since}, and {wanted} is not ready yet.")
}

/// A title that is only the text's beginning says nothing new.
pub(super) fn text_of<'a>(title: &str, content: &'a str) -> std::borrow::Cow<'a, str> {
    let beginning = title.trim_end_matches('…');
    if content.trim_start().starts_with(beginning) { content.into() } else { format!("{title}\n{content}").into() }
}

/// As they are kept: one after the other, each its scale and its codes.
pub(super) fn pack(vectors: &[Vector]) -> Vec<u8> {
    let of_one = |vector: &Vector| -> Vec<u8> {
        vector.scale.to_le_bytes().into_iter().chain(vector.codes.iter().map(|code| code.cast_unsigned())).collect()
    };
    vectors.iter().flat_map(of_one).collect()
}

pub(super) fn unpack(dimensions: usize, kept: &[u8]) -> Vec<Vector> {
    let of_one = |bytes: &[u8]| -> Option<Vector> {
        let (scale, codes) = bytes.split_first_chunk()?;
        Some(Vector { scale: f32::from_le_bytes(*scale), codes: codes.iter().map(|code| code.cast_signed()).collect() })
    };
    kept.chunks_exact(size_of::<f32>() + dimensions).filter_map(of_one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_back_as_they_were_kept() {
        let made: Vec<Vector> = [[1.0, -2.0, 0.5], [0.0, 0.0, -3.0]].iter().filter_map(|values| Vector::quantise(values)).collect();
        assert_eq!(unpack(3, &pack(&made)), made);
        assert_eq!(unpack(3, &[]), []);
    }
}
