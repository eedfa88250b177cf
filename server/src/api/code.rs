//! Code over REST: pictures of it come in, and what is known about a place in it goes out.

use super::{
    answers::List,
    document::{Access, needs},
    recall::RecallAnswer,
    sent::{Json, Query},
};
use crate::{
    App,
    acts::{self, code::Happened},
    engines::freshness::Freshness,
    model::{
        MemoryId, Power,
        code::{self, Branch, Commit, Fate, File, Head, Picture, Repo, Symbol},
        recall::{Detail, Place},
        text,
    },
    problem::Problem,
    store::{Reading, Scope, Writing},
};
use axum::{extract::State as Of, http::StatusCode};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

/// Memories that one list of an answer names; the numbers tell of all.
const MOST: usize = 200;

pub fn routes() -> OpenApiRouter<App> {
    let (reading, writing) = (Access::Workspace(Power::Reading), Access::Workspace(Power::Writing));
    OpenApiRouter::new()
        .routes(needs(writing, routes!(sync_code)))
        .routes(needs(writing, routes!(forget_branch)))
        .routes(needs(reading, routes!(list_snapshots)))
        .routes(needs(reading, routes!(related_code)))
}

/// What the code looks like: names, lines and fingerprints, never source.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SnapshotBody {
    /// The repository, as its anchors call it.
    #[schema(example = "api-gateway")]
    repo: String,
    /// What the picture was taken at.
    #[schema(example = "3f2a1c")]
    commit: String,
    /// The branch.
    #[schema(example = "main")]
    branch: String,
    /// The branch that the repository begins on: memories are judged there unless another is asked for. What was said last counts;
    /// where nobody says, it is `main`, else `master`, else the first that was synced.
    #[schema(example = json!(null))]
    default_branch: Option<String>,
    /// The commit of the picture that this one is the difference to; 409 `snapshot_base_unknown` when the newest one known is of
    /// another.
    #[schema(example = json!(null))]
    base: Option<String>,
    /// Files that are there, or that changed.
    #[serde(default)]
    files: Vec<FileBody>,
    /// Files that are gone.
    #[serde(default)]
    #[schema(example = json!([]))]
    removed: Vec<String>,
    /// Whether files that are not named are gone too.
    #[serde(default)]
    complete: bool,
    /// Of a picture in several calls: which part this is, from 1. What they say is taken in with the last.
    #[schema(example = json!(null))]
    part: Option<u32>,
    /// And of how many; at most 1,000.
    #[schema(example = json!(null))]
    parts: Option<u32>,
}

/// A file.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FileBody {
    /// Where it is, from the repository's root.
    #[schema(example = "auth/service.py")]
    path: String,
    /// A digest of its bytes: 1 to 128 characters without spaces, the same as long as the bytes are.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    sha256: String,
    /// What is in it; left out of a file that could not be looked into.
    symbols: Option<Vec<SymbolBody>>,
}

/// A function, method, type, constant or module.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SymbolBody {
    /// Its name, after those of what it lies in within the file, with dots between.
    #[schema(example = "authenticate_user")]
    name: String,
    /// What it is.
    #[schema(example = "function")]
    kind: String,
    /// A fingerprint of how it is called, without its name, its layout and comments.
    #[schema(example = "2c26b46b68ffc68f")]
    signature_hash: String,
    /// A fingerprint of what it does, without its name, its layout and comments.
    #[schema(example = "fcde2b2edba56bf4")]
    body_hash: String,
    /// Its first line.
    #[schema(example = 12)]
    start_line: u32,
    /// Its last line.
    #[schema(example = 40)]
    end_line: u32,
    /// The smallest hashes of the pieces that its body is made of, at most 64, to see that another is nearly the same.
    #[serde(default)]
    #[schema(example = json!([]))]
    shingles: Vec<u32>,
}

impl SnapshotBody {
    fn parse(self) -> Result<Picture, Problem> {
        let part = match (self.part, self.parts) {
            (None, None) => None,
            (Some(part), Some(parts)) if part >= 1 && part <= parts && parts <= code::PARTS => Some((part, parts)),
            _ => {
                return Err(Problem::invalid(
                    "part",
                    format!("goes with parts: a number from 1 to parts, which is at most {}", code::PARTS),
                ));
            }
        };
        if self.files.len() > code::FILES_IN_A_CALL || self.removed.len() > code::FILES_IN_A_CALL {
            return Err(Problem::invalid("files", format!("must be at most {}; send several parts", code::FILES_IN_A_CALL)));
        }
        let mut seen = HashSet::new();
        for (n, file) in self.files.iter().enumerate() {
            code::file_path(&format!("files[{n}].path"), &file.path)?;
            if !seen.insert(file.path.as_str()) {
                return Err(Problem::invalid(format!("files[{n}].path"), "is there twice"));
            }
        }
        for (n, path) in self.removed.iter().enumerate() {
            code::file_path(&format!("removed[{n}]"), path)?;
            if seen.contains(path.as_str()) {
                return Err(Problem::invalid(format!("removed[{n}]"), "is among the files too"));
            }
        }
        Ok(Picture {
            repo: Repo::parse(&self.repo)?,
            branch: Branch::parse("branch", &self.branch)?,
            default_branch: self.default_branch.as_deref().map(|branch| Branch::parse("default_branch", branch)).transpose()?,
            commit: Commit::parse("commit", &self.commit)?,
            base: self.base.as_deref().map(|base| Commit::parse("base", base)).transpose()?,
            files: self.files.into_iter().enumerate().map(|(n, file)| file.parse(n)).collect::<Result<_, _>>()?,
            removed: self.removed,
            complete: self.complete,
            part,
        })
    }
}

impl FileBody {
    fn parse(self, n: usize) -> Result<File, Problem> {
        let sha256 = code::hash(&format!("files[{n}].sha256"), self.sha256)?;
        let symbols = self.symbols.map(|symbols| {
            if symbols.len() > code::SYMBOLS_IN_A_FILE {
                return Err(Problem::invalid(format!("files[{n}].symbols"), format!("must be at most {}", code::SYMBOLS_IN_A_FILE)));
            }
            symbols.into_iter().enumerate().map(|(m, symbol)| symbol.parse(&format!("files[{n}].symbols[{m}]"))).collect()
        });
        Ok(File::of(self.path, sha256, symbols.transpose()?))
    }
}

impl SymbolBody {
    fn parse(self, at: &str) -> Result<Symbol, Problem> {
        let wrong = |field: &str, why: &str| Err(Problem::invalid(format!("{at}.{field}"), why));
        let word = |text: &str, longest| !text.is_empty() && text.len() <= longest && !text.chars().any(text::unprintable);
        if !word(&self.name, 500) {
            return wrong("name", "must have 1 to 500 bytes and no control or invisible characters");
        }
        if !word(&self.kind, 50) {
            return wrong("kind", "must have 1 to 50 bytes and no control or invisible characters");
        }
        let signature = code::hash(&format!("{at}.signature_hash"), self.signature_hash)?;
        let body = code::hash(&format!("{at}.body_hash"), self.body_hash)?;
        if self.end_line < self.start_line || self.end_line > i32::MAX.unsigned_abs() {
            return wrong("end_line", "must not come before start_line");
        }
        if self.shingles.len() > code::SHINGLES {
            return wrong("shingles", "must be at most 64");
        }
        let mut shingles = self.shingles;
        shingles.sort_unstable();
        shingles.dedup();
        Ok(Symbol { name: self.name, kind: self.kind, signature, body, start: self.start_line, end: self.end_line, shingles })
    }
}

/// What a picture of the code made of the memories that hang on it.
#[derive(Serialize, ToSchema)]
#[schema(as = SnapshotAnswer)]
struct SyncedBody {
    /// The id of the branch's picture.
    id: Uuid,
    /// The repository.
    repo: String,
    /// The branch that was judged on.
    branch: String,
    /// Whether memories are judged on this branch unless another is asked for.
    default_branch: bool,
    /// What it was taken at.
    commit: String,
    /// `true` of a part that waits for the others: nothing was judged yet.
    waiting: bool,
    /// Files that are known now.
    files: i32,
    /// And symbols in them.
    symbols: i32,
    /// Files that came or changed with this picture.
    changed: usize,
    /// Files that went.
    removed: usize,
    /// How many memories' anchors became what. Only those that you may see are counted and listed.
    counts: CountsBody,
    /// No longer true, as far as the code can tell: the signature is another, or it is gone.
    stale: Vec<HappenedBody>,
    /// To be looked at: the code changed.
    suspect: Vec<HappenedBody>,
    /// The code moved or has another name, and the anchor went with it.
    moved: Vec<HappenedBody>,
    /// Stale or suspect before, and as it was again.
    fresh: Vec<HappenedBody>,
}

/// How many of each.
#[derive(Serialize, ToSchema, Default)]
#[schema(as = CodeCounts)]
struct CountsBody {
    /// Became stale.
    stale: usize,
    /// Became suspect.
    suspect: usize,
    /// Went with their code.
    moved: usize,
    /// Are fresh again.
    fresh: usize,
}

/// A memory whose code changed.
#[derive(Serialize, ToSchema)]
#[schema(as = CodeChange)]
struct HappenedBody {
    /// The memory.
    memory_id: MemoryId,
    /// What it is called.
    title: String,
    /// The file that the anchor stands in now, or stood in last.
    path: String,
    /// And the symbol.
    symbol: Option<String>,
    /// What became of it.
    verdict: Fate,
    /// In a sentence.
    #[schema(example = "authenticate_user changed its signature in 3f2a1c (auth/service.py)")]
    reason: String,
}

impl From<Happened> for HappenedBody {
    fn from(one: Happened) -> Self {
        let (path, symbol) = (one.standing.path, one.standing.symbol);
        Self { memory_id: one.memory, title: one.title, path, symbol, verdict: one.standing.verdict, reason: one.reason }
    }
}

/// Tell what the code looks like now.
///
/// Every memory that hangs on it is judged: unchanged, moved or renamed (the anchor follows), suspect when a body changed, stale
/// when a signature changed or the code is gone; fresh again when it is as it was.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/code/snapshots", tag = "Code", request_body = SnapshotBody, responses(
    (status = 200, description = "What became of the memories on it.", body = SyncedBody),
    (status = 409, description = "The newest picture known is of another commit than `base` (`snapshot_base_unknown`, with `commit`), or parts of it have not come (`snapshot_parts_missing`)."),
    (status = 413, description = "A body is larger than 10 MiB, or the parts of a picture together than 256 MiB as they are kept (`too_large`).")))]
async fn sync_code(Of(app): Of<App>, scope: Scope<Writing>, Json(sent): Json<SnapshotBody>) -> Result<axum::Json<SyncedBody>, Problem> {
    let picture = sent.parse()?;
    let (repo, branch, commit) = (picture.repo.as_str().to_owned(), picture.branch.as_str().to_owned(), picture.commit.as_str().to_owned());
    let synced = acts::code::sync(&app, &scope, picture).await?;
    let mut body = SyncedBody {
        id: synced.id,
        repo,
        branch,
        default_branch: synced.main,
        commit,
        waiting: synced.waiting,
        files: synced.files,
        symbols: synced.symbols,
        changed: synced.changed,
        removed: synced.removed,
        counts: CountsBody::default(),
        stale: Vec::new(),
        suspect: Vec::new(),
        moved: Vec::new(),
        fresh: Vec::new(),
    };
    for one in synced.happened {
        let (count, list) = match (one.standing.verdict.freshness(), one.before) {
            (Some(Freshness::Stale), before) if before != Some(Freshness::Stale) => (&mut body.counts.stale, &mut body.stale),
            (Some(Freshness::Suspect), before) if before != Some(Freshness::Suspect) => (&mut body.counts.suspect, &mut body.suspect),
            (Some(Freshness::Fresh), Some(Freshness::Stale | Freshness::Suspect)) => (&mut body.counts.fresh, &mut body.fresh),
            (Some(Freshness::Fresh), _) => (&mut body.counts.moved, &mut body.moved),
            _ => continue,
        };
        *count += 1;
        if list.len() < MOST {
            list.push(one.into());
        }
    }
    Ok(axum::Json(body))
}

/// The newest picture of a branch.
#[derive(Serialize, ToSchema)]
#[schema(as = Snapshot)]
struct HeadBody {
    /// The repository.
    #[schema(example = "api-gateway")]
    repo: String,
    /// The branch.
    #[schema(example = "main")]
    branch: String,
    /// What it was taken at; null while parts of the first one are awaited.
    #[schema(example = "3f2a1c")]
    commit: Option<String>,
    /// Whether memories are judged on this branch unless another is asked for.
    default_branch: bool,
    /// How many files it has.
    files: i32,
    /// And how many symbols.
    symbols: i32,
    /// When it came.
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
}

impl From<Head> for HeadBody {
    fn from(head: Head) -> Self {
        let Head { repo, branch, commit, main, files, symbols, at } = head;
        Self { repo, branch, commit, default_branch: main, files, symbols, at }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListSnapshots {
    /// Only of this repository.
    repo: Option<String>,
    /// Only of this branch.
    branch: Option<String>,
}

/// The newest picture known of each branch, to send the difference to.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/code/snapshots", tag = "Code", params(ListSnapshots), responses((status = 200, description = "All of them, at most 1,000.", body = List<HeadBody>)))]
async fn list_snapshots(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListSnapshots>,
) -> Result<axum::Json<List<HeadBody>>, Problem> {
    let heads = acts::code::branches(&app, &scope, asked.repo.as_deref(), asked.branch.as_deref()).await?;
    Ok(axum::Json(List { data: heads.into_iter().map(HeadBody::from).collect(), next_cursor: None }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct WhichBranch {
    /// The repository.
    repo: String,
    /// The branch.
    branch: String,
}

/// Forget a branch that is gone, and what it made of memories.
///
/// Of a key that is limited to a project, that project's picture. If memories were judged on it, they are from now on on the
/// branch that comes next, if there is one.
#[utoipa::path(delete, path = "/v1/workspaces/{ws}/code/snapshots", tag = "Code", params(WhichBranch), responses((status = 204, description = "Forgotten.")))]
async fn forget_branch(Of(app): Of<App>, scope: Scope<Writing>, Query(of): Query<WhichBranch>) -> Result<StatusCode, Problem> {
    acts::code::forget_branch(&app, &scope, &Repo::parse(&of.repo)?, &Branch::parse("branch", &of.branch)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct RelatedTo {
    /// The file, from the repository's root.
    path: String,
    /// The repository.
    repo: Option<String>,
    /// The function, class or other symbol in it: what hangs on that comes first.
    symbol: Option<String>,
    /// The branch to judge on; the default one unless said.
    branch: Option<String>,
}

/// What is known about a place in the code.
#[derive(Serialize, ToSchema)]
#[schema(as = RelatedCode)]
struct RelatedBody {
    /// The memories that hang on the file, those on the symbol first.
    memories: RecallAnswer,
    /// Files that sessions touched together with it, the closest first.
    files: Vec<CompanionBody>,
    /// What the newest picture has in this file.
    symbols: Vec<InFileBody>,
}

/// A file that goes with another.
#[derive(Serialize, ToSchema)]
#[schema(as = Companion)]
struct CompanionBody {
    /// Where it is.
    #[schema(example = "auth/tokens.py")]
    path: String,
    /// How close, 1 is the closest.
    #[schema(example = 0.8)]
    closeness: f32,
    /// How many memories hang on it, of those that you may see.
    memories: i64,
}

/// A symbol in a file.
#[derive(Serialize, ToSchema)]
#[schema(as = SymbolInFile)]
struct InFileBody {
    /// Its name.
    #[schema(example = "authenticate_user")]
    name: String,
    /// What it is.
    #[schema(example = "function")]
    kind: String,
    /// Its first line.
    start_line: u32,
    /// Its last line.
    end_line: u32,
    /// How many memories hang on it, of those that you may see.
    memories: i64,
}

/// What is known about a file or symbol, and goes together with it.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/code/related", tag = "Code", params(RelatedTo), responses((status = 200, description = "Memories, companions and symbols.", body = RelatedBody)))]
async fn related_code(Of(app): Of<App>, scope: Scope<Reading>, Query(asked): Query<RelatedTo>) -> Result<axum::Json<RelatedBody>, Problem> {
    let line = |field, sent: Option<String>| sent.as_deref().map(|sent| text::line(field, sent, 500)).transpose();
    let place =
        Place { path: text::line("path", &asked.path, 1024)?, repo: line("repo", asked.repo)?, symbol: line("symbol", asked.symbol)? };
    let branch = line("branch", asked.branch)?;
    let related = acts::code::related(&app, &scope, "related_code", place, branch, Detail::Full, None).await?;
    let files =
        related.companions.into_iter().map(|one| CompanionBody { path: one.path, closeness: one.closeness, memories: one.memories });
    let symbols = related.symbols.into_iter().map(|(one, memories)| InFileBody {
        name: one.name,
        kind: one.kind,
        start_line: one.start,
        end_line: one.end,
        memories,
    });
    Ok(axum::Json(RelatedBody { files: files.collect(), symbols: symbols.collect(), memories: RecallAnswer::new(related.memories, true) }))
}
