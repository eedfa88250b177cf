//! The instance, for those who run it: health, background work, recall indexes, workspaces and people. No memory is seen here.

use super::{Door, Hall};
use crate::query;
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "hall/instance.html")]
pub struct Instance {
    pub hall: Hall,
    pub health: Health,
    pub jobs: Vec<Job>,
    pub indexes: Vec<Index>,
    /// Bytes that indexes take, and may take.
    pub cache: (usize, usize),
}

#[derive(Clone, Debug, Default)]
pub struct Health {
    pub version: String,
    pub public_url: String,
    /// How long Postgres took to answer; none when it did not.
    pub database_ms: Option<f64>,
    pub database_version: String,
    pub migrations: i64,
    /// Connections in use and open, and the most there may be.
    pub connections: (u32, u32, u32),
    pub uptime: String,
    pub embeddings: String,
    pub single_sign_on: Option<String>,
}

/// Work that goes on by itself.
#[derive(Clone, Debug)]
pub struct Job {
    pub name: String,
    pub does: String,
    pub last_at: Option<OffsetDateTime>,
    pub took_ms: u64,
    pub failures: u64,
    pub failed: bool,
}

#[derive(Clone, Debug)]
pub struct Index {
    pub workspace: String,
    pub memories: usize,
    pub bytes: usize,
}

#[derive(Clone, Debug, Template)]
#[template(path = "hall/workspaces.html")]
pub struct Workspaces {
    pub hall: Hall,
    pub places: Vec<Place>,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

/// A workspace as whoever runs the instance sees it.
#[derive(Clone, Debug)]
pub struct Place {
    pub slug: String,
    pub name: String,
    pub purpose: String,
    pub created_at: OffsetDateTime,
    /// The viewer's role in it, if any.
    pub role: Option<String>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "hall/people.html")]
pub struct People {
    pub hall: Hall,
    pub people: Vec<Person>,
    /// A link that was just made: it is shown once.
    pub invited: Option<Invited>,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Person {
    pub id: String,
    pub name: String,
    pub email: String,
    pub instance_admin: bool,
    pub created_at: OffsetDateTime,
    pub you: bool,
}

#[derive(Clone, Debug)]
pub struct Invited {
    pub name: String,
    pub link: String,
}

impl Instance {
    fn doors(&self) -> Vec<Door> {
        self.hall.doors("/instance")
    }

    fn cache_said(&self) -> String {
        format!("{} of {}", size(self.cache.0), size(self.cache.1))
    }
}

impl Workspaces {
    fn doors(&self) -> Vec<Door> {
        self.hall.doors("/instance/workspaces")
    }

    fn next(&self) -> Option<String> {
        self.next_cursor.as_deref().map(|cursor| query::link("/instance/workspaces", &[("cursor", cursor)]))
    }

    #[expect(clippy::unused_self, reason = "every list is asked in the same way")]
    fn first(&self) -> &'static str {
        "/instance/workspaces"
    }
}

impl People {
    fn doors(&self) -> Vec<Door> {
        self.hall.doors("/instance/people")
    }

    fn action(person: &Person, act: &str) -> String {
        format!("/instance/people/{}/{act}", query::encode(&person.id))
    }

    fn next(&self) -> Option<String> {
        self.next_cursor.as_deref().map(|cursor| query::link("/instance/people", &[("cursor", cursor)]))
    }

    #[expect(clippy::unused_self, reason = "every list is asked in the same way")]
    fn first(&self) -> &'static str {
        "/instance/people"
    }
}

impl Place {
    fn enter(&self) -> Option<String> {
        self.role.as_ref().map(|_| format!("/w/{}/memories", query::encode(&self.slug)))
    }
}

impl Index {
    fn size(&self) -> String {
        size(self.bytes)
    }
}

impl Health {
    fn answers(&self) -> Option<String> {
        self.database_ms.map(|ms| format!("answers in {ms:.1} ms"))
    }
}

#[expect(clippy::cast_precision_loss, reason = "one place after the point is enough")]
fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1_073_741_824.0),
    }
}
