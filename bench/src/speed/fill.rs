//! Many memories straight into Postgres, as the owner, in the rows that the server would have written: memory, version,
//! entry of the trail and tags, a few thousand at a time. Only the digests are stand-ins: nobody reads them here.

use super::texts::{Chance, Texts};
use crate::Failure;
use cairn_server::{
    engines::tokens,
    model::{
        Kind, clock,
        text::{Content, MemoryPath, hex, sha256},
    },
};
use serde_json::json;
use sqlx::{Connection, PgConnection};
use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::{Builder, Uuid};

const AT_ONCE: u64 = 5000;
const PROJECTS: [Option<&str>; 4] = [None, None, Some("gateway"), Some("billing")];
const TAGS: [&str; 12] =
    ["auth", "billing", "search", "deploy", "database", "incident", "testing", "frontend", "queue", "security", "support", "metrics"];
/// Memories that were born in one session.
const TURNS: u64 = 6;

const MEMORIES: &str = "copy memories (workspace_id, id, version, store_id, path, kind, project, state, visibility, content_sha256, twin_key, \
    session_id, expires_at, created_at, created_by_type, created_by, updated_at, updated_by, audit_id) from stdin";
const VERSIONS: &str = "copy memory_versions (workspace_id, memory_id, version, operation, store_id, path, title, content, kind, tags, project, source, \
    session_id, expires_at, confidence, state, visibility, valid_from, content_sha256, at, actor_type, actor_id, salt, digest, audit_id, tokens) from stdin";
const ENTRIES: &str = "copy audit_entries (workspace_id, id, at, actor_type, actor_id, role, action, target_type, target_id, version, request_id, digest) from stdin";
const LABELS: &str = "copy memory_tags (workspace_id, tag, memory_id) from stdin";

pub struct Filler {
    workspace: Uuid,
    agent: Uuid,
    start: OffsetDateTime,
    there: u64,
    paths: HashSet<[u8; 8]>,
    costs: HashMap<String, u32>,
}

/// A memory as it is to be written.
pub struct Item {
    pub text: String,
    pub kind: Kind,
    pub project: Option<&'static str>,
    pub tags: Vec<&'static str>,
    pub at: OffsetDateTime,
    /// The run that it says it came from.
    pub source: Option<String>,
    pub confidence: f32,
    pub session: Option<Uuid>,
    pub expires_at: Option<OffsetDateTime>,
}

#[derive(Default)]
struct Rows {
    memories: String,
    versions: String,
    entries: String,
    labels: String,
}

impl Filler {
    pub async fn new(owner: &mut PgConnection, workspace: &str) -> Result<Self, Failure> {
        let (workspace, agent): (Uuid, Uuid) =
            sqlx::query_as("select w.id, a.id from workspaces w join agents a on a.workspace_id = w.id where w.slug = $1")
                .bind(workspace)
                .fetch_one(owner)
                .await?;
        let start = clock::now() - Duration::days(300);
        Ok(Self { workspace, agent, start, there: 0, paths: HashSet::new(), costs: HashMap::new() })
    }

    pub fn workspace(&self) -> Uuid {
        self.workspace
    }

    /// Until there are so many.
    pub async fn fill(&mut self, owner: &mut PgConnection, texts: &Texts, until: u64) -> Result<(), Failure> {
        while self.there < until {
            let end = until.min(self.there + AT_ONCE);
            let items: Vec<Item> = (self.there..end).map(|n| self.drawn(texts, n)).collect::<Result<_, Failure>>()?;
            self.put(owner, &items).await?;
        }
        Ok(())
    }

    /// These, in one transaction; their ids, in order.
    pub async fn put(&mut self, owner: &mut PgConnection, items: &[Item]) -> Result<Vec<Uuid>, Failure> {
        let (mut rows, mut ids) = (Rows::default(), Vec::with_capacity(items.len()));
        for item in items {
            ids.push(self.add(&mut rows, item)?);
            self.there += 1;
        }
        let mut tx = owner.begin().await?;
        // The rows are whole by themselves: what keys and triggers would check row by row is so by construction.
        sqlx::query("set local session_replication_role = replica").execute(&mut *tx).await?;
        for (copy, lines) in [(ENTRIES, rows.entries), (MEMORIES, rows.memories), (VERSIONS, rows.versions), (LABELS, rows.labels)] {
            let mut into = tx.copy_in_raw(copy).await?;
            into.send(lines.into_bytes()).await?;
            into.finish().await?;
        }
        tx.commit().await?;
        Ok(ids)
    }

    /// Memory number `n`.
    fn drawn(&self, texts: &Texts, n: u64) -> Result<Item, Failure> {
        let mut chance = Chance::of(n ^ 0xface);
        let kind =
            [Kind::Fact, Kind::Fact, Kind::Discovery, Kind::Procedure, Kind::Decision, Kind::Pattern, Kind::Episode][chance.below(7)];
        let at = self.start + Duration::seconds(20) * i32::try_from(n)?;
        let project = PROJECTS[chance.below(PROJECTS.len())];
        let tags: Vec<&str> = (0..chance.below(3)).map(|_| TAGS[chance.below(TAGS.len())]).collect::<HashSet<_>>().into_iter().collect();
        let source = (chance.below(2) == 0).then(|| format!("run-{}", n / TURNS));
        Ok(Item { text: texts.text(n), kind, project, tags, at, source, confidence: 0.8, session: None, expires_at: None })
    }

    fn add(&mut self, rows: &mut Rows, item: &Item) -> Result<Uuid, Failure> {
        let n = self.there;
        let mut chance = Chance::of(n ^ 0x1d5);
        let (workspace, agent, at) = (self.workspace, self.agent, item.at);
        let content = Content::parse(item.text.clone()).map_err(|problem| format!("a text is refused: {problem:?}"))?;
        let (title, text) = (content.title(), content.as_str());
        let (id, entry, salt) = (id_at(at, &mut chance), id_at(at, &mut chance), chance.next());
        let mut path = MemoryPath::made_from(item.kind.folder(), &title);
        if !self.paths.insert(short(path.as_str())) {
            path = path.told_apart(id);
        }
        let (kind, project) = (item.kind.word(), item.project);
        let source = item.source.as_ref().map(|from| json!({"type": "session", "ref": from, "excerpt": null}));
        let (sha, twin) = (hex(&sha256(text)), hex(&sha256(&json!([workspace, item.kind, project, null, text]).to_string())));
        let digest = hex(&sha256(&format!("{salt}{text}")));
        let (path, when, cost) = (path.as_str(), at.format(&Rfc3339)?, self.cost(text));
        let none = || "\\N".to_owned();
        let (project, source) = (project.unwrap_or("\\N"), source.map_or_else(none, |source| source.to_string()));
        let (session, confidence) = (item.session.map_or_else(none, |session| session.to_string()), item.confidence);
        let expires = item.expires_at.map(|at| at.format(&Rfc3339)).transpose()?.unwrap_or_else(none);
        let (named, title, text) = (item.tags.join(","), escaped(&title), escaped(text));
        writeln!(
            rows.memories,
            "{workspace}\t{id}\t1\t{workspace}\t{path}\t{kind}\t{project}\tactive\tworkspace\t\\\\x{sha}\t\\\\x{twin}\t{session}\t{expires}\t{when}\tagent\t{agent}\t{when}\t{agent}\t{entry}"
        )?;
        writeln!(
            rows.versions,
            "{workspace}\t{id}\t1\tcreated\t{workspace}\t{path}\t{title}\t{text}\t{kind}\t{{{named}}}\t{project}\t{source}\t{session}\t{expires}\t{confidence}\tactive\tworkspace\t{when}\t\\\\x{sha}\t{when}\tagent\t{agent}\t\\\\x{salt:032x}\t\\\\x{digest}\t{entry}\t{cost}"
        )?;
        writeln!(
            rows.entries,
            "{workspace}\t{entry}\t{when}\tagent\t{agent}\twriter\tmemory.remembered\tmemory\t{id}\t1\tbench-{n}\t\\\\x{digest}"
        )?;
        for tag in &item.tags {
            writeln!(rows.labels, "{workspace}\t{tag}\t{id}")?;
        }
        Ok(id)
    }

    /// Tokens never reach over a space, so those of the words add up.
    fn cost(&mut self, text: &str) -> u32 {
        text.split_inclusive(' ')
            .map(|word| {
                let word = word.trim_end();
                if let Some(cost) = self.costs.get(word) {
                    return *cost;
                }
                let cost = tokens::count(&format!(" {word}"));
                self.costs.insert(word.to_owned(), cost);
                cost
            })
            .sum()
    }
}

/// As `copy` reads it.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r")
}

fn id_at(at: OffsetDateTime, chance: &mut Chance) -> Uuid {
    let mut random = [0; 10];
    random[..8].copy_from_slice(&chance.next().to_be_bytes());
    let millis = u64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or_default();
    Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
}

fn short(path: &str) -> [u8; 8] {
    let mut short = [0; 8];
    short.copy_from_slice(&sha256(path)[..8]);
    short
}
