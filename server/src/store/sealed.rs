//! Reading what is sealed: checkpoints, leaves with their entries, and the nodes that proofs are made of.

use super::{Tx, trail};
use crate::{
    engines::seal::{Hash, Node, tree::Kept},
    model::{
        WorkspaceId,
        trail::{Entry, Filter},
    },
    problem::Problem,
};
use sqlx::{FromRow, PgConnection, QueryBuilder, Row, postgres::PgRow};
use std::collections::BTreeSet;

/// An entry with its leaf.
pub struct Leaf {
    pub index: u64,
    pub hash: Hash,
    pub entry: Entry,
}

impl<'r> FromRow<'r, PgRow> for Leaf {
    fn from_row(row: &'r PgRow) -> Result<Self, sqlx::Error> {
        let entry: Entry = trail::Row::from_row(row)?.into();
        let index = entry.index.ok_or(sqlx::Error::RowNotFound)?;
        Ok(Self { index, hash: hash(row.try_get("hash")?)?, entry })
    }
}

fn hash(bytes: &[u8]) -> Result<Hash, sqlx::Error> {
    bytes.try_into().map(Hash).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

/// The checkpoint of the largest tree, as it was signed.
pub async fn last_checkpoint<M>(tx: &mut Tx<M>) -> Result<Option<String>, Problem> {
    let workspace = tx.workspace().0;
    Ok(sqlx::query_scalar!("select note from audit_checkpoints where workspace_id = $1 order by size desc limit 1", workspace)
        .fetch_optional(tx.conn())
        .await?)
}

/// Leaves from an index on, below another, that the filter lets through.
pub async fn leaves<M>(tx: &mut Tx<M>, from: u64, below: u64, filter: &Filter, most: i64) -> Result<Vec<Leaf>, Problem> {
    let workspace = tx.workspace();
    leaves_of(tx.conn(), workspace, from, below, filter, most).await
}

pub(super) async fn leaves_of(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    from: u64,
    below: u64,
    filter: &Filter,
    most: i64,
) -> Result<Vec<Leaf>, Problem> {
    let mut sql = QueryBuilder::new(
        "select l.index, l.hash, e.id, e.at, e.actor_type, e.actor_id, coalesce(a.name, p.name) as actor_name, e.role, e.action, e.target_type,
                e.target_id, e.version, e.request_id, e.session_id, e.digest, e.details
         from audit_leaves l
         join audit_entries e on e.workspace_id = l.workspace_id and e.id = l.entry_id
         left join agents a on a.workspace_id = e.workspace_id and a.id = e.actor_id
         left join people p on p.id = e.actor_id
         where l.workspace_id = ",
    );
    sql.push_bind(workspace);
    sql.push(" and l.index >= ").push_bind(from.cast_signed());
    sql.push(" and l.index < ").push_bind(below.cast_signed());
    trail::narrow(&mut sql, filter);
    sql.push(" order by l.index limit ").push_bind(most);
    Ok(sql.build_query_as().fetch_all(conn).await?)
}

/// Of these nodes, those that were kept.
pub async fn nodes<M>(tx: &mut Tx<M>, wanted: &BTreeSet<Node>) -> Result<Kept, Problem> {
    let workspace = tx.workspace();
    nodes_of(tx.conn(), workspace, wanted).await
}

pub(super) async fn nodes_of(conn: &mut PgConnection, workspace: WorkspaceId, wanted: &BTreeSet<Node>) -> Result<Kept, Problem> {
    let levels: Vec<i16> = wanted.iter().map(|node| node.level.into()).collect();
    let places: Vec<i64> = wanted.iter().map(|node| node.place.cast_signed()).collect();
    let rows = sqlx::query!(
        r#"select w.level as "level!", w.place as "place!", coalesce(l.hash, n.hash) as "hash!"
           from unnest($2::smallint[], $3::bigint[]) as w (level, place)
           left join audit_leaves l on w.level = 0 and l.workspace_id = $1 and l.index = w.place
           left join audit_nodes n on n.workspace_id = $1 and n.level = w.level and n.place = w.place
           where l.hash is not null or n.hash is not null"#,
        workspace.0,
        &levels,
        &places
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let node = Node { level: u8::try_from(row.level).map_err(Problem::internal)?, place: row.place.cast_unsigned() };
            Ok((node, hash(&row.hash)?))
        })
        .collect()
}
