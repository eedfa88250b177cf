//! Pictures of branches: one row a branch and one a file; parts of a picture until it is whole.

use super::packed;
use crate::{
    engines::freshness::Files,
    model::{
        AuditId,
        code::{File, Head, WAITING_BYTES},
    },
    problem::Problem,
    store::{Tx, Write},
};
use futures_util::TryStreamExt;
use std::collections::HashMap;
use time::OffsetDateTime;
use uuid::Uuid;

/// The newest picture of a branch, as those who sync and those who resolve need it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Seen {
    pub id: Uuid,
    pub project: String,
    pub repo: String,
    pub branch: String,
    pub commit: Option<String>,
    pub main: bool,
    pub files: i32,
    pub symbols: i32,
    pub at: OffsetDateTime,
}

const SEEN: &str = "select id, project, repo, branch, commit, main, files, symbols, at from code_snapshots";

/// The picture of a branch, if there is one, held until this transaction ends; whoever syncs the same one waits.
pub async fn hold(tx: &mut Tx<Write>, project: &str, repo: &str, branch: &str) -> Result<Option<Seen>, Problem> {
    let workspace = tx.workspace();
    sqlx::query("select pg_advisory_xact_lock(hashtextextended($1::text, 3))")
        .bind(format!("{workspace}/{project}/{repo}"))
        .execute(tx.conn())
        .await?;
    let sql = format!("{SEEN} where workspace_id = $1 and project = $2 and repo = $3 and branch = $4");
    let found = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(workspace).bind(project).bind(repo).bind(branch);
    Ok(found.fetch_optional(tx.conn()).await?)
}

/// A branch that nobody has seen yet.
pub async fn open(
    tx: &mut Tx<Write>,
    (project, repo, branch): (&str, &str, &str),
    at: OffsetDateTime,
    audit: AuditId,
) -> Result<Seen, Problem> {
    let (workspace, id) = (tx.workspace(), crate::model::clock::new_id());
    sqlx::query(
        "insert into code_snapshots (workspace_id, id, project, repo, branch, main, files, symbols, first_at, at, actor_type, actor_id, audit_id)
         values ($1, $2, $3, $4, $5, false, 0, 0, $6, $6, 'system', $7, $8)",
    )
    .bind(workspace)
    .bind(id)
    .bind(project)
    .bind(repo)
    .bind(branch)
    .bind(at)
    .bind(Uuid::nil())
    .bind(audit)
    .execute(tx.conn())
    .await?;
    let (project, repo, branch) = (project.to_owned(), repo.to_owned(), branch.to_owned());
    Ok(Seen { id, project, repo, branch, commit: None, main: false, files: 0, symbols: 0, at })
}

/// Which branch the repository begins on, as whoever sends this picture says.
pub async fn put_default(tx: &mut Tx<Write>, head: &Seen, default: &str) -> Result<(), Problem> {
    let workspace = tx.workspace();
    // On every branch, whichever of them is forgotten first.
    sqlx::query(
        "update code_snapshots set default_branch = $4
         where workspace_id = $1 and project = $2 and repo = $3 and default_branch is distinct from $4",
    )
    .bind(workspace)
    .bind(&head.project)
    .bind(&head.repo)
    .bind(default)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The branch that memories of this repository are judged on: the one that it begins on, main, master, or the first that was
/// seen, of those that are whole and the one that is coming.
pub async fn main_of<M>(tx: &mut Tx<M>, project: &str, repo: &str, coming: Option<&str>) -> Result<Option<String>, Problem> {
    Ok(sqlx::query_scalar(
        "select s.branch from code_snapshots s
         where s.workspace_id = $1 and s.project = $2 and s.repo = $3 and (s.commit is not null or s.branch = $4)
         order by not exists (
                 select 1 from code_snapshots d
                 where d.workspace_id = $1 and d.project = $2 and d.repo = $3 and d.default_branch = s.branch),
             s.branch <> 'main', s.branch <> 'master', s.first_at, s.branch
         limit 1",
    )
    .bind(tx.workspace())
    .bind(project)
    .bind(repo)
    .bind(coming)
    .fetch_optional(tx.conn())
    .await?)
}

/// From now on it is this one; whether it was another.
pub async fn set_main(tx: &mut Tx<Write>, project: &str, repo: &str, branch: &str) -> Result<bool, Problem> {
    let workspace = tx.workspace();
    let changed = sqlx::query(
        "update code_snapshots set main = (branch = $4) where workspace_id = $1 and project = $2 and repo = $3 and main <> (branch = $4)",
    )
    .bind(workspace)
    .bind(project)
    .bind(repo)
    .bind(branch)
    .execute(tx.conn())
    .await?;
    Ok(changed.rows_affected() > 0)
}

/// What a picture is of and who took it, after its files were written.
pub async fn put_head(
    tx: &mut Tx<Write>,
    head: &Seen,
    by: &crate::model::Actor,
    at: OffsetDateTime,
    audit: AuditId,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query(
        "update code_snapshots set commit = $3, files = $4, symbols = $5, at = $6, actor_type = $7, actor_id = $8, audit_id = $9
         where workspace_id = $1 and id = $2",
    )
    .bind(workspace)
    .bind(head.id)
    .bind(&head.commit)
    .bind(head.files)
    .bind(head.symbols)
    .bind(at)
    .bind(by.kind)
    .bind(by.id)
    .bind(audit)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Every file of a picture with its digest.
pub async fn digests<M>(tx: &mut Tx<M>, snapshot: Uuid) -> Result<HashMap<String, String>, Problem> {
    let rows: Vec<(String, String)> = sqlx::query_as("select path, sha256 from code_files where workspace_id = $1 and snapshot_id = $2")
        .bind(tx.workspace())
        .bind(snapshot)
        .fetch_all(tx.conn())
        .await?;
    Ok(rows.into_iter().collect())
}

/// Some files of a picture, as far as it has them.
pub async fn files<M>(tx: &mut Tx<M>, snapshot: Uuid, paths: &[&str]) -> Result<Files, Problem> {
    Ok(files_of_each(tx, &[snapshot], paths).await?.remove(&snapshot).unwrap_or_default())
}

/// The same of several pictures.
pub async fn files_of_each<M>(tx: &mut Tx<M>, snapshots: &[Uuid], paths: &[&str]) -> Result<HashMap<Uuid, Files>, Problem> {
    let mut found: HashMap<Uuid, Files> = HashMap::new();
    if paths.is_empty() || snapshots.is_empty() {
        return Ok(found);
    }
    // Read as they come: all of a large picture's bytes beside what they say is memory that takes longer to get than to fill.
    let mut rows = sqlx::query_as(
        "select snapshot_id, path, sha256, symbols from code_files where workspace_id = $1 and snapshot_id = any($2) and path = any($3)",
    )
    .bind(tx.workspace())
    .bind(snapshots)
    .bind(paths)
    .fetch(tx.conn());
    while let Some((of, path, sha256, symbols)) = rows.try_next().await? {
        let file = unpacked((path, sha256, symbols))?;
        found.entry(of).or_default().insert(file.path.clone(), file);
    }
    Ok(found)
}

/// Files of several pictures whose paths end so, are an end of these, or that have a symbol of such a name.
pub async fn like_these<M>(
    tx: &mut Tx<M>,
    snapshots: &[Uuid],
    paths: &[String],
    names: &[String],
    most: i64,
) -> Result<Vec<(Uuid, File)>, Problem> {
    let rows: Vec<(Uuid, String, String, Vec<u8>)> = sqlx::query_as(
        "select f.snapshot_id, f.path, f.sha256, f.symbols
         from code_files f
         where f.workspace_id = $1 and f.snapshot_id = any($2)
           and (f.names && $4 or exists (
               select 1 from unnest($3::text[]) p (path)
               where p.path = f.path or right(f.path, length(p.path) + 1) = '/' || p.path or right(p.path, length(f.path) + 1) = '/' || f.path))
         limit $5",
    )
    .bind(tx.workspace())
    .bind(snapshots)
    .bind(paths)
    .bind(names)
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    rows.into_iter().map(|(of, path, sha256, symbols)| Ok((of, unpacked((path, sha256, symbols))?))).collect()
}

/// What lies in a folder of a picture, after a place: folders with a slash at the end, and files. Each is one look into the
/// primary key, however much lies in it.
pub async fn children<M>(tx: &mut Tx<M>, snapshot: Uuid, folder: &str, after: Option<&str>, most: i64) -> Result<Vec<String>, Problem> {
    /// Comes after every path.
    const END: &str = "\u{10FFFF}";
    let end = folder.strip_suffix('/').map_or_else(|| END.to_owned(), past);
    let from = after.map_or_else(|| folder.to_owned(), |last| last.strip_suffix('/').map_or_else(|| format!("{last}\u{1}"), past));
    Ok(sqlx::query_scalar(
        "with recursive child as (
             (select left(f.path, $5 + coalesce(nullif(strpos(substr(f.path, $5 + 1), '/'), 0), length(f.path))) as path
              from code_files f
              where f.workspace_id = $1 and f.snapshot_id = $2 and f.path >= $3 and f.path < $4
              order by f.path
              limit 1)
             union all
             select n.path
             from child c
             cross join lateral (
                 select left(f.path, $5 + coalesce(nullif(strpos(substr(f.path, $5 + 1), '/'), 0), length(f.path))) as path
                 from code_files f
                 where f.workspace_id = $1 and f.snapshot_id = $2 and f.path < $4
                   and f.path >= case when right(c.path, 1) = '/' then left(c.path, -1) || '0' else c.path || chr(1) end
                 order by f.path
                 limit 1
             ) n
         )
         select path from child limit $6",
    )
    .bind(tx.workspace())
    .bind(snapshot)
    .bind(from)
    .bind(end)
    .bind(i32::try_from(folder.chars().count()).unwrap_or(i32::MAX))
    .bind(most)
    .fetch_all(tx.conn())
    .await?)
}

/// What comes after everything in a folder: `0` is the sign after the slash.
fn past(folder: &str) -> String {
    format!("{folder}0")
}

fn unpacked((path, sha256, symbols): (String, String, Vec<u8>)) -> Result<File, Problem> {
    packed::unpack(path, sha256, &symbols).ok_or_else(|| Problem::internal("symbols of a file cannot be read"))
}

/// Puts files in the place of those with the same path, and takes others away.
pub async fn put_files(tx: &mut Tx<Write>, snapshot: Uuid, files: &Files, gone: &[String]) -> Result<(), Problem> {
    /// Rows in one statement: thirty megabytes in one took a quarter of a second for their memory alone.
    const AT_ONCE: usize = 250;
    let workspace = tx.workspace();
    if !gone.is_empty() {
        sqlx::query("delete from code_files where workspace_id = $1 and snapshot_id = $2 and path = any($3)")
            .bind(workspace)
            .bind(snapshot)
            .bind(gone)
            .execute(tx.conn())
            .await?;
    }
    let all: Vec<&File> = files.values().collect();
    for some in all.chunks(AT_ONCE) {
        let names = |file: &File| {
            let mut names: Vec<&str> = file.symbols.iter().map(crate::model::code::Symbol::leaf).collect();
            names.sort_unstable();
            names.dedup();
            // No name has a line break in it.
            names.join("\n")
        };
        sqlx::query(
            "insert into code_files (workspace_id, snapshot_id, path, sha256, names, symbols)
             select $1, $2, f.path, f.sha256, string_to_array(f.names, e'\\n'), f.symbols
             from unnest($3::text[], $4::text[], $5::text[], $6::bytea[]) f (path, sha256, names, symbols)
             on conflict (workspace_id, snapshot_id, path) do update
             set sha256 = excluded.sha256, names = excluded.names, symbols = excluded.symbols",
        )
        .bind(workspace)
        .bind(snapshot)
        .bind(some.iter().map(|file| file.path.as_str()).collect::<Vec<_>>())
        .bind(some.iter().map(|file| file.sha256.as_str()).collect::<Vec<_>>())
        .bind(some.iter().map(|file| names(file)).collect::<Vec<_>>())
        .bind(some.iter().map(|file| packed::pack(file)).collect::<Vec<_>>())
        .execute(tx.conn())
        .await?;
    }
    Ok(())
}

/// Keeps a part of a picture until the others have come; parts of another picture of this branch are forgotten.
pub async fn put_part(
    tx: &mut Tx<Write>,
    snapshot: Uuid,
    commit: &str,
    (part, parts): (u32, u32),
    (files, removed): (&[File], &[String]),
    at: OffsetDateTime,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query("delete from code_parts where workspace_id = $1 and snapshot_id = $2 and (commit <> $3 or parts <> $4 or part = $5)")
        .bind(workspace)
        .bind(snapshot)
        .bind(commit)
        .bind(i32::try_from(parts).unwrap_or_default())
        .bind(i32::try_from(part).unwrap_or_default())
        .execute(tx.conn())
        .await?;
    let packed = packed::pack_all(files);
    let waiting: i64 = sqlx::query_scalar(
        "select coalesce(sum(octet_length(files) + octet_length(array_to_string(removed, ''))), 0) from code_parts where workspace_id = $1 and snapshot_id = $2",
    )
    .bind(workspace)
    .bind(snapshot)
    .fetch_one(tx.conn())
    .await?;
    let more = i64::try_from(packed.len() + removed.iter().map(String::len).sum::<usize>()).unwrap_or(i64::MAX);
    if waiting.saturating_add(more) > WAITING_BYTES {
        return Err(Problem::TooLarge(
            "The parts of a picture may have 256 MiB together. Sync parts of the repository under names of their own.".into(),
        ));
    }
    sqlx::query(
        "insert into code_parts (workspace_id, snapshot_id, part, commit, parts, files, removed, at) values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(workspace)
    .bind(snapshot)
    .bind(i32::try_from(part).unwrap_or_default())
    .bind(commit)
    .bind(i32::try_from(parts).unwrap_or_default())
    .bind(packed)
    .bind(removed)
    .bind(at)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The parts of a picture that came before the last one, taken out of where they waited.
pub async fn known_parts(tx: &mut Tx<Write>, snapshot: Uuid, commit: &str, parts: u32) -> Result<Vec<(Vec<File>, Vec<String>)>, Problem> {
    let workspace = tx.workspace();
    let rows: Vec<(i32, String, Vec<u8>, Vec<String>)> = sqlx::query_as(
        "delete from code_parts where workspace_id = $1 and snapshot_id = $2 returning case when parts = $3 then part else 0 end, commit, files, removed",
    )
    .bind(workspace)
    .bind(snapshot)
    .bind(i32::try_from(parts).unwrap_or_default())
    .fetch_all(tx.conn())
    .await?;
    let ours = rows.into_iter().filter(|(part, of, ..)| *part > 0 && of == commit);
    let read = |(_, _, files, removed): (i32, String, Vec<u8>, Vec<String>)| {
        let files = packed::unpack_all(&files).ok_or_else(|| Problem::internal("a part of a picture cannot be read"))?;
        Ok((files, removed))
    };
    ours.map(read).collect()
}

/// All pictures that may be seen and are whole, those of the main branches first, then the newest.
pub async fn heads<M>(tx: &mut Tx<M>, repos: Option<&[&str]>) -> Result<Vec<Seen>, Problem> {
    let sql = format!(
        "{SEEN} where workspace_id = $1 and commit is not null and ($2::text[] is null or repo = any($2)) order by repo, not main, at desc, branch"
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(tx.workspace()).bind(repos).fetch_all(tx.conn()).await?)
}

/// Whether any repository has this branch; nothing where no repository is known at all.
pub async fn known_branch<M>(tx: &mut Tx<M>, branch: &str) -> Result<Option<bool>, Problem> {
    Ok(sqlx::query_scalar("select bool_or(branch = $2) from code_snapshots where workspace_id = $1 and commit is not null")
        .bind(tx.workspace())
        .bind(branch)
        .fetch_one(tx.conn())
        .await?)
}

/// Parts that nobody sent the rest of, dropped: whose.
pub async fn drop_parts(tx: &mut Tx<Write>, before: OffsetDateTime) -> Result<Vec<Uuid>, Problem> {
    let workspace = tx.workspace();
    let mut of: Vec<Uuid> = sqlx::query_scalar(
        "delete from code_parts p where workspace_id = $1 and at < $2 and not exists (
                select 1 from code_parts n where n.workspace_id = p.workspace_id and n.snapshot_id = p.snapshot_id and n.at >= $2)
             returning snapshot_id",
    )
    .bind(workspace)
    .bind(before)
    .fetch_all(tx.conn())
    .await?;
    of.sort_unstable();
    of.dedup();
    Ok(of)
}

/// Branches that memories are not judged on and that nobody has synced since, and those that never became whole.
pub async fn outlived<M>(tx: &mut Tx<M>, synced: OffsetDateTime, begun: OffsetDateTime) -> Result<Vec<Seen>, Problem> {
    let sql = format!(
        "{SEEN} s where s.workspace_id = $1 and not s.main and s.at < case when s.commit is null then $3 else $2 end
             and not exists (select 1 from code_parts p where p.workspace_id = s.workspace_id and p.snapshot_id = s.id)
         limit 1000"
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(tx.workspace()).bind(synced).bind(begun).fetch_all(tx.conn()).await?)
}

/// Whether parts of a picture are here, and the rest may follow.
pub async fn is_coming<M>(tx: &mut Tx<M>, snapshot: Uuid) -> Result<bool, Problem> {
    Ok(sqlx::query_scalar("select exists (select 1 from code_parts where workspace_id = $1 and snapshot_id = $2)")
        .bind(tx.workspace())
        .bind(snapshot)
        .fetch_one(tx.conn())
        .await?)
}

/// A picture, its files and what waits for it.
pub async fn remove(tx: &mut Tx<Write>, snapshot: Uuid) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query("delete from code_snapshots where workspace_id = $1 and id = $2").bind(workspace).bind(snapshot).execute(tx.conn()).await?;
    Ok(())
}

/// What is known of branches, for whoever wants to sync the difference.
pub async fn list<M>(tx: &mut Tx<M>, project: Option<&str>, repo: Option<&str>, branch: Option<&str>) -> Result<Vec<Head>, Problem> {
    Ok(sqlx::query_as(
        "select repo, branch, commit, main, files, symbols, at
         from code_snapshots
         where workspace_id = $1 and ($2::text is null or repo = $2) and ($3::text is null or branch = $3) and project = coalesce($4, '')
         order by repo, not main, branch
         limit 1000",
    )
    .bind(tx.workspace())
    .bind(repo)
    .bind(branch)
    .bind(project)
    .fetch_all(tx.conn())
    .await?)
}
