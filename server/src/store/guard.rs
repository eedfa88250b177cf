//! The server proves at start that the wall stands: it looks as the app role with no workspace and with a foreign
//! one, and a single row, or a role that could go around the policies, stops the start.

use super::connect::Db;
use crate::model::clock;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

#[derive(Debug, thiserror::Error)]
pub enum Breach {
    #[error("the database cannot be looked at: {0}")]
    Unreadable(#[from] sqlx::Error),
    #[error("the role {role} {may}, so row policies would not hold; take that right away from it and start again")]
    Role { role: &'static str, may: &'static str },
    #[error("the table {0} has no forced row policy; run `cairn-server migrate` with the owner's URL, or restore the schema")]
    Unforced(String),
    #[error("the table {table} shows {rows} rows to the role {standing}; the wall does not stand, and the server will not start")]
    Seen { table: String, rows: i64, standing: &'static str },
}

impl Db {
    /// Proves the wall, and says what the operator should know about the login role.
    pub async fn prove_the_wall(&self) -> Result<(), Breach> {
        let mut conn = self.tenants().acquire().await?;
        note_login(&mut conn).await?;
        for role in ["cairn_app", "cairn_gate", "cairn_index", "cairn_seal"] {
            check_role(&mut conn, role).await?;
        }
        for table in tenant_tables(&mut conn).await? {
            if !table.forced {
                return Err(Breach::Unforced(table.name));
            }
            for (standing, enter) in [
                ("with no workspace set", "set local role cairn_app".to_owned()),
                ("in a workspace that does not exist", format!("select enter_scope('{0}', '{0}')", clock::new_id())),
                ("that reads for the index, with no workspace set", "set local role cairn_index".to_owned()),
                ("that reads for the index, in a workspace that does not exist", format!("select enter_index('{}')", clock::new_id())),
            ] {
                let mut tx = conn.begin().await?;
                tx.execute(AssertSqlSafe(enter)).await?;
                let readable: bool = sqlx::query_scalar("select has_table_privilege(current_user, $1, 'select')")
                    .bind(&table.quoted)
                    .fetch_one(&mut *tx)
                    .await?;
                if !readable {
                    continue;
                }
                let count = format!("select count(*) from (select 1 from {} limit 1) seen", table.quoted);
                let rows: i64 = sqlx::query_scalar(AssertSqlSafe(count)).fetch_one(&mut *tx).await?;
                if rows > 0 {
                    return Err(Breach::Seen { table: table.name, rows, standing });
                }
            }
        }
        Ok(())
    }
}

#[derive(sqlx::FromRow)]
struct Table {
    name: String,
    quoted: String,
    forced: bool,
}

/// From the catalog, so that a table added later is covered: whatever has a workspace, and what the app role may read.
async fn tenant_tables(conn: &mut PgConnection) -> Result<Vec<Table>, Breach> {
    Ok(sqlx::query_as(
        "select c.relname as name, format('%I.%I', n.nspname, c.relname) as quoted, c.relrowsecurity and c.relforcerowsecurity as forced
         from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p') and n.nspname = current_schema()
           and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped)
         order by c.relname",
    )
    .fetch_all(conn)
    .await?)
}

async fn check_role(conn: &mut PgConnection, role: &'static str) -> Result<(), Breach> {
    let (superuser, bypasses, owns): (bool, bool, bool) = sqlx::query_as(
        "select r.rolsuper, r.rolbypassrls,
                exists (select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
                        where n.nspname = current_schema() and pg_has_role(r.oid, c.relowner, 'member'))
         from pg_roles r where r.rolname = $1",
    )
    .bind(role)
    .fetch_one(conn)
    .await?;
    match (superuser, bypasses, owns) {
        (true, ..) => Err(Breach::Role { role, may: "is a superuser" }),
        (_, true, _) => Err(Breach::Role { role, may: "has BYPASSRLS" }),
        (.., true) => Err(Breach::Role { role, may: "owns tables, or belongs to a role that does" }),
        _ => Ok(()),
    }
}

async fn note_login(conn: &mut PgConnection) -> Result<(), Breach> {
    let (name, superuser, bypasses): (String, bool, bool) =
        sqlx::query_as("select rolname::text, rolsuper, rolbypassrls from pg_roles where rolname = session_user").fetch_one(conn).await?;
    if superuser || bypasses {
        tracing::warn!(
            role = name,
            "the database URL is that of a role that could bypass row policies; the server steps down in every transaction, but a role of its own would be safer"
        );
    }
    Ok(())
}
