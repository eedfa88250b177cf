//! What a change belongs to, so that it can be found and undone as a whole.

use super::{ReviewId, RollbackId, SessionId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The id of the session, dream, rollback or review in which a version was written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, sqlx::Type, Serialize, Deserialize, utoipa::ToSchema)]
#[sqlx(transparent)]
#[serde(transparent)]
#[schema(example = "0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa")]
pub struct RunId(pub Uuid);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    Session(SessionId),
    Dream(Uuid),
    Rollback(RollbackId),
    /// What a person decided with one press of a button.
    Review(ReviewId),
}

impl Run {
    pub fn id(self) -> RunId {
        RunId(match self {
            Self::Session(session) => session.0,
            Self::Dream(dream) => dream,
            Self::Rollback(rollback) => rollback.0,
            Self::Review(review) => review.0,
        })
    }

    pub fn session(self) -> Option<SessionId> {
        match self {
            Self::Session(session) => Some(session),
            Self::Dream(_) | Self::Rollback(_) | Self::Review(_) => None,
        }
    }

    pub fn review(self) -> Option<ReviewId> {
        match self {
            Self::Review(review) => Some(review),
            Self::Session(_) | Self::Dream(_) | Self::Rollback(_) => None,
        }
    }
}
