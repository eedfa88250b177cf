//! People and agents of a workspace under one name each.

use super::Tx;
use crate::{
    model::{Actor, ActorKind},
    problem::Problem,
};

/// More than anyone picks from a list.
const MOST: i64 = 500;

/// Who is or was in this workspace, by name.
pub async fn everyone<M>(tx: &mut Tx<M>) -> Result<Vec<Actor>, Problem> {
    Ok(sqlx::query_as!(
        Actor,
        r#"select kind as "kind!: ActorKind", id as "id!", name as "name!"
           from (
               select 'person' as kind, p.id, p.name from members m join people p on p.id = m.person_id where m.workspace_id = $1
               union all
               select 'agent', a.id, a.name from agents a where a.workspace_id = $1
           ) actors
           order by lower(name), id
           limit $2"#,
        tx.workspace().0,
        MOST
    )
    .fetch_all(tx.conn())
    .await?)
}
