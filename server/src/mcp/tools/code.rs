//! What is known about a file.

use super::{
    Hints, Kit, Said, cost,
    recall::{RecallAnswer, budget},
};
use crate::{
    acts,
    mcp::{asker::Asker, bodies::line},
    model::{
        Power,
        recall::{Detail, Place},
        text,
    },
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use utoipa::ToSchema;

pub fn kits() -> Vec<Kit> {
    vec![Kit::new::<RelatedArguments, RelatedAnswer>("related_code", "What is known about code", Power::Reading, Hints::Reads, RELATED)]
}

const RELATED: &str = "What is known about a file or a symbol before you change it: the memories that hang on it, and the files that \
past runs read or edited together with it, so that you look at those too. What comes back: an index of memories as from recall, and \
paths with how close they are, 1 the closest.";

/// A place in code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RelatedArguments {
    /// The file, from the repository's root.
    path: String,
    /// The repository.
    repo: Option<String>,
    /// The function, class or other symbol in it: what hangs on that comes first.
    symbol: Option<String>,
    /// The branch to judge on; the repository's default one unless said.
    branch: Option<String>,
    /// `index`: titles and ids, unless said. `excerpt`: the best passage of each. `full`: whole texts.
    detail: Option<Detail>,
    /// How many tokens of text at most; 2,000 unless said.
    #[schema(minimum = 1)]
    token_budget: Option<u32>,
}

/// What is known about it.
#[derive(Serialize, ToSchema)]
pub struct RelatedAnswer {
    /// The memories that hang on it.
    memories: RecallAnswer,
    /// Files that runs used together with it, the closest first.
    files: Vec<FileBody>,
    /// What this answer costs as text.
    tokens: u32,
}

/// A file that goes with another.
#[derive(Serialize, ToSchema)]
struct FileBody {
    /// Where it is.
    path: String,
    /// 1 is the closest.
    closeness: f32,
}

pub async fn related_code(asker: &Asker, sent: RelatedArguments) -> Result<Said, Problem> {
    let read = |field, sent: Option<String>| sent.as_deref().map(|sent| text::line(field, sent, 500)).transpose();
    let place = Place { path: text::line("path", &sent.path, 1024)?, repo: read("repo", sent.repo)?, symbol: read("symbol", sent.symbol)? };
    let branch = read("branch", sent.branch)?;
    let (detail, most) = (sent.detail.unwrap_or(Detail::Index), budget(sent.token_budget)?);
    let related = acts::code::related(&asker.app, &asker.scope, "mcp", place, branch, detail, Some(most)).await?;
    let files: Vec<FileBody> =
        related.companions.into_iter().map(|one| FileBody { path: line(&one.path), closeness: one.closeness }).collect();
    let (memories, mut text) = RecallAnswer::new(related.memories);
    text += if files.is_empty() { "\nNo run has used other files together with it." } else { "\nUsed together with it:" };
    for file in &files {
        let _ = write!(text, "\n- {} ({:.2})", file.path, file.closeness);
    }
    Said::new(&RelatedAnswer { memories, files, tokens: cost(&text) }, text)
}
