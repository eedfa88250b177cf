//! What recall reads: what changed since the index last looked, whole memories for the index, and the texts of an
//! answer under the asker's scope. Each is one trip.

use super::{Db, Permission, Scope, ShelfMark};
use crate::{
    model::{
        Anchor, Kind, MemoryId, PersonId, Project, SessionId, Settings, Source, State, StoreId, WorkspaceId,
        code::{Contested, Standing},
        memory::Report,
        recall::{Indexed, Receipt, Text},
    },
    problem::Problem,
};
use sqlx::{AssertSqlSafe, Postgres, Transaction, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

/// What was changed or erased at or after a horizon, and the horizon for the next look.
#[derive(Debug)]
pub struct Changes {
    pub horizon: u64,
    /// With the transaction that changed it last.
    pub changed: Vec<(MemoryId, u64)>,
    pub gone: Vec<MemoryId>,
}

/// A memory, what is said of the code under it, and what it contradicts.
pub type Doubts = (MemoryId, Vec<Standing>, Vec<Contested>);

#[derive(sqlx::FromRow)]
struct DoubtsRow {
    id: MemoryId,
    code: Option<Json<Vec<Standing>>>,
    contested: Option<Json<Vec<Contested>>>,
}

impl Changes {
    fn read(
        horizon: Option<String>,
        changed: Option<Vec<Uuid>>,
        stamps: Option<Vec<String>>,
        gone: Option<Vec<Uuid>>,
    ) -> Result<Self, Problem> {
        let number = |text: &str| text.parse().map_err(|_| Problem::internal("a transaction's number cannot be read"));
        let changed = changed.unwrap_or_default().into_iter().map(MemoryId);
        Ok(Self {
            horizon: number(&horizon.unwrap_or_default())?,
            changed: changed
                .zip(stamps.unwrap_or_default())
                .map(|(id, stamp)| Ok((id, number(&stamp)?)))
                .collect::<Result<_, Problem>>()?,
            gone: gone.unwrap_or_default().into_iter().map(MemoryId).collect(),
        })
    }

    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty()
    }
}

/// From here on nothing has happened yet: asks for the horizon alone.
pub const NOTHING_YET: u64 = i64::MAX as u64;

impl Db {
    pub async fn changes(&self, mark: ShelfMark, since: u64) -> Result<Changes, Problem> {
        let mut hand = self.tenants_hand().await?;
        let row = sqlx::query!(
            "select horizon, changed, stamps, gone from changes_since($1, ($2::text)::xid8)",
            mark.workspace().0,
            since.to_string()
        )
        .fetch_one(&mut *hand)
        .await?;
        hand.lay_down();
        Changes::read(row.horizon, row.changed, row.stamps, row.gone)
    }

    /// The texts of these versions, as far as the asker may see them, as they are at this moment. `authors` are those who
    /// first wrote them.
    pub async fn texts<P: Permission>(
        &self,
        scope: &Scope<P>,
        versions: &[(MemoryId, i32)],
        authors: &[Uuid],
    ) -> Result<Vec<Text>, Problem> {
        self.tell(scope, versions, authors, None).await
    }

    /// The same, and the receipt that says that they were told, in one trip. Nothing, and no receipt, if one of them is gone by now.
    pub async fn texts_with_receipt<P: Permission>(
        &self,
        scope: &Scope<P>,
        versions: &[(MemoryId, i32)],
        authors: &[Uuid],
        receipt: &Receipt,
    ) -> Result<Option<Vec<Text>>, Problem> {
        let texts = self.tell(scope, versions, authors, Some(receipt)).await?;
        Ok(Some(texts).filter(|texts| texts.len() == versions.len()))
    }

    async fn tell<P: Permission>(
        &self,
        scope: &Scope<P>,
        versions: &[(MemoryId, i32)],
        authors: &[Uuid],
        receipt: Option<&Receipt>,
    ) -> Result<Vec<Text>, Problem> {
        if versions.is_empty() {
            return Ok(Vec::new());
        }
        let number = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
        let (ids, numbers): (Vec<Uuid>, Vec<i32>) = versions.iter().map(|(id, version)| (id.0, *version)).unzip();
        let mut hand = self.tenants_hand().await?;
        let texts = sqlx::query_as("select * from tell($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)")
            .bind(scope.workspace())
            .bind(scope.actor().id)
            .bind(scope.actor().kind)
            .bind(scope.person())
            .bind(scope.project().map(Project::as_str))
            .bind(&ids)
            .bind(&numbers)
            .bind(authors)
            .bind(receipt.map(|receipt| receipt.id))
            .bind(receipt.map(|receipt| receipt.at))
            .bind(receipt.and_then(|receipt| receipt.session_id))
            .bind(receipt.map(|receipt| &*receipt.surface))
            .bind(receipt.and_then(|receipt| receipt.query.as_deref()))
            .bind(receipt.map(|receipt| Json(&receipt.asked)))
            .bind(receipt.map(|receipt| Json(&receipt.items)))
            .bind(receipt.map(|receipt| number(receipt.tokens)))
            .bind(receipt.map(|receipt| number(receipt.omitted)))
            .bind(receipt.map(|receipt| receipt.took_ms))
            .fetch_all(&mut *hand)
            .await?;
        hand.lay_down();
        Ok(texts)
    }

    /// What is said of the code under these memories and against them, where anything is.
    pub async fn doubts<P: Permission>(&self, scope: &Scope<P>, ids: &[MemoryId]) -> Result<Vec<Doubts>, Problem> {
        let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
        let mut tx = self.read(scope).await?;
        let rows: Vec<DoubtsRow> = sqlx::query_as(
            "select s.id, s.code, s.contested from unnest($2::uuid[]) w (id)
                 cross join lateral (select * from memory_states where workspace_id = $1 and id = w.id and current offset 0) s",
        )
        .bind(scope.workspace())
        .bind(ids)
        .fetch_all(tx.conn())
        .await?;
        let all =
            |row: DoubtsRow| (row.id, row.code.map(|code| code.0).unwrap_or_default(), row.contested.map(|all| all.0).unwrap_or_default());
        Ok(rows.into_iter().map(all).collect())
    }

    /// Memories for the index, in the order of their ids.
    pub async fn index_page(
        &self,
        mark: ShelfMark,
        model: Option<&str>,
        after: Option<MemoryId>,
        most: i64,
    ) -> Result<Vec<Indexed>, Problem> {
        let mut tx = self.as_index_of_many(mark).await?;
        let sql = format!("{COLUMNS} {CURRENT} {NAMES} {KEPT} where m.workspace_id = $1 and m.id > $3 order by m.id limit $4");
        let rows: Vec<Row> = sqlx::query_as(AssertSqlSafe(sql))
            .bind(mark.workspace())
            .bind(model)
            .bind(after.map_or(Uuid::nil(), |id| id.0))
            .bind(most)
            .fetch_all(&mut *tx)
            .await?;
        Ok(rows.into_iter().map(Indexed::from).collect())
    }

    /// Some of them; those that are gone are missing.
    pub async fn index_some(&self, mark: ShelfMark, model: Option<&str>, ids: &[MemoryId]) -> Result<Vec<Indexed>, Problem> {
        let mut tx = if ids.len() > FEW { self.as_index_of_many(mark).await? } else { self.as_index(mark).await? };
        let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
        let sql = format!("{COLUMNS} {CURRENT} {NAMES} {KEPT} where m.workspace_id = $1 and m.id = any($3)");
        let rows: Vec<Row> = sqlx::query_as(AssertSqlSafe(sql)).bind(mark.workspace()).bind(model).bind(ids).fetch_all(&mut *tx).await?;
        Ok(rows.into_iter().map(Indexed::from).collect())
    }

    /// Memories that have changed since a moment, in the order of their ids: which those are, and what they were then. What
    /// was redacted since is not told as it was, and not as it was before that either.
    pub async fn index_as_of(
        &self,
        mark: ShelfMark,
        model: Option<&str>,
        moment: OffsetDateTime,
        after: Option<MemoryId>,
        most: i64,
    ) -> Result<(Vec<MemoryId>, Vec<Indexed>), Problem> {
        let mut tx = self.as_index_of_many(mark).await?;
        let since: Vec<MemoryId> =
            sqlx::query_scalar("select id from memories where workspace_id = $1 and updated_at > $2 and id > $3 order by id limit $4")
                .bind(mark.workspace())
                .bind(moment)
                .bind(after.map_or(Uuid::nil(), |id| id.0))
                .bind(most)
                .fetch_all(&mut *tx)
                .await?;
        let sql = format!(
            "{COLUMNS} join lateral (
                select * from memory_versions v
                where v.workspace_id = m.workspace_id and v.memory_id = m.id and v.at <= $3
                order by v.version desc
                limit 1) v on v.redacted_at is null
             {NAMES} {KEPT} where m.workspace_id = $1 and m.id = any($4) and m.created_at <= $3"
        );
        let ids: Vec<Uuid> = since.iter().map(|id| id.0).collect();
        let rows: Vec<Row> =
            sqlx::query_as(AssertSqlSafe(sql)).bind(mark.workspace()).bind(model).bind(moment).bind(ids).fetch_all(&mut *tx).await?;
        Ok((since, rows.into_iter().map(Indexed::from).collect()))
    }

    /// Workspaces whose agents were at work last, first.
    pub async fn busy_workspaces(&self) -> Result<Vec<(ShelfMark, Settings)>, Problem> {
        let found: Vec<(WorkspaceId, Json<Settings>)> = sqlx::query_as(
            "select w.id, w.settings
             from workspaces w
             left join agent_keys k on k.workspace_id = w.id
             where w.deleted_at is null
             group by w.id
             order by max(k.last_used_at) desc nulls last",
        )
        .fetch_all(self.gate())
        .await?;
        Ok(found.into_iter().map(|(id, settings)| (ShelfMark(id), settings.0)).collect())
    }

    pub(super) async fn as_index(&self, mark: ShelfMark) -> Result<Transaction<'static, Postgres>, Problem> {
        let begin = format!("begin read only; select enter_index('{}')", mark.workspace());
        Ok(super::connect::begin_in(self.tenants(), AssertSqlSafe(begin)).await?)
    }

    /// The same to read many: a plan that was kept from when a table was empty may go through all of it for each of them.
    async fn as_index_of_many(&self, mark: ShelfMark) -> Result<Transaction<'static, Postgres>, Problem> {
        let begin = format!("begin read only; set local plan_cache_mode = force_custom_plan; select enter_index('{}')", mark.workspace());
        Ok(super::connect::begin_in(self.tenants(), AssertSqlSafe(begin)).await?)
    }
}

/// Planning takes as long as reading so many.
const FEW: usize = 100;

const COLUMNS: &str = "select m.id, v.version, greatest(m.changed_xid, t.changed_xid)::text as stamp, v.kind, v.state, v.title, v.store_id, v.path, v.content, v.tags, v.project, v.owner_id,
    m.created_by, coalesce(a.name, p.name) as author_name, v.anchors, v.source, v.session_id, v.confidence, v.valid_from, v.stale_after, v.expires_at,
    v.verified_at, coalesce(v.verified_by_type = 'person', false) as verified_by_person, v.at as updated_at, m.reported_at, m.reported_as, v.tokens, m.helpful, w.dimensions, w.vectors,
    case when v.version = m.version and v.anchors <> '[]' then (
        select jsonb_agg(jsonb_build_object('position', c.position, 'branch', c.branch, 'main', c.main, 'repo', c.repo, 'verdict', c.verdict,
            'path', c.path, 'symbol', c.symbol, 'was_path', c.was_path, 'was_symbol', c.was_symbol, 'since', c.since, 'at', c.at))
        from code_verdicts c
        where c.workspace_id = m.workspace_id and c.memory_id = m.id) end as code,
    case when v.version = m.version and m.state = 'active' then (
        select jsonb_agg(jsonb_build_object('memory_id', c.other, 'at', c.found_at) order by c.other)
        from (
            select k.other, k.found_at
            from (
            select a.b as other, a.found_at from conflicts a where a.workspace_id = m.workspace_id and a.a = m.id and a.state = 'open' and a.certain
            union all
            select b.a, b.found_at from conflicts b where b.workspace_id = m.workspace_id and b.b = m.id and b.state = 'open' and b.certain
            ) k
            cross join lateral (
                select from memories o
                where o.workspace_id = m.workspace_id and o.id = k.other and o.state = 'active'
                  and (o.project is null or o.project = m.project) and (o.owner_id is null or o.owner_id = m.owner_id)
                offset 0) o
            order by k.found_at, k.other
            limit 3
        ) c) end as contested
from memories m
left join lateral (select changed_xid from memory_touches where workspace_id = m.workspace_id and memory_id = m.id limit 1) t on true";
/// Of what was redacted nothing is left to find.
const CURRENT: &str =
    "join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version and v.redacted_at is null";
const NAMES: &str =
    "left join agents a on a.workspace_id = m.workspace_id and a.id = m.created_by left join people p on p.id = m.created_by";
/// What an outside model, if one is asked for, made of the same text.
const KEPT: &str = "left join memory_vectors w
    on w.workspace_id = m.workspace_id and w.memory_id = m.id and w.model = $2 and w.text_mark = text_mark(v.content_sha256, v.title)";

#[derive(sqlx::FromRow)]
struct Row {
    id: MemoryId,
    version: i32,
    stamp: String,
    kind: Kind,
    state: State,
    title: Option<String>,
    store_id: StoreId,
    path: Option<String>,
    content: Option<String>,
    tags: Vec<String>,
    project: Option<String>,
    owner_id: Option<PersonId>,
    created_by: Uuid,
    author_name: Option<String>,
    anchors: Json<Vec<Anchor>>,
    source: Option<Json<Source>>,
    session_id: Option<SessionId>,
    confidence: f32,
    valid_from: OffsetDateTime,
    stale_after: Option<OffsetDateTime>,
    expires_at: Option<OffsetDateTime>,
    verified_at: Option<OffsetDateTime>,
    verified_by_person: bool,
    updated_at: OffsetDateTime,
    reported_at: Option<OffsetDateTime>,
    reported_as: Option<Report>,
    tokens: Option<i32>,
    helpful: i32,
    dimensions: Option<i32>,
    vectors: Option<Vec<u8>>,
    code: Option<Json<Vec<Standing>>>,
    contested: Option<Json<Vec<Contested>>>,
}

impl From<Row> for Indexed {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            version: row.version,
            stamp: row.stamp.parse().unwrap_or_default(),
            kind: row.kind,
            state: row.state,
            title: row.title.unwrap_or_default(),
            store: row.store_id,
            path: row.path.unwrap_or_default(),
            content: row.content.unwrap_or_default(),
            tags: row.tags,
            project: row.project,
            owner: row.owner_id,
            author: row.created_by,
            author_name: row.author_name.unwrap_or_default(),
            anchors: row.anchors.0,
            source: row.source.map(|source| source.0),
            session_id: row.session_id,
            confidence: row.confidence,
            valid_from: row.valid_from,
            stale_after: row.stale_after,
            expires_at: row.expires_at,
            verified_at: row.verified_at,
            verified_by_person: row.verified_by_person,
            updated_at: row.updated_at,
            reported: row.reported_at.zip(row.reported_as),
            code: row.code.map(|code| code.0).unwrap_or_default(),
            contested: row.contested.map(|all| all.0).unwrap_or_default(),
            tokens: row.tokens.and_then(|tokens| u32::try_from(tokens).ok()),
            helpful: row.helpful,
            vectors: row.dimensions.and_then(|length| usize::try_from(length).ok()).zip(row.vectors),
        }
    }
}
