//! Connections: two pools on one database. The tenants' begins nowhere and steps into a workspace for each
//! transaction; the gate's stands in a narrow role that finds people, workspaces and keys.

use crate::problem::Problem;
use sqlx::{
    ConnectOptions, Connection, Executor, PgConnection, PgPool,
    migrate::{MigrateError, Migrator},
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::time::Duration;

pub static MIGRATOR: Migrator = sqlx::migrate!("../migrations");

/// The door to the database. It opens only onto a scope.
#[derive(Clone, Debug)]
pub struct Db {
    tenants: PgPool,
    gate: PgPool,
}

#[derive(Debug, thiserror::Error)]
pub enum ConnectProblem {
    #[error("CAIRN_DATABASE_URL or CAIRN_MIGRATION_DATABASE_URL is not a Postgres URL: {0}")]
    Url(#[source] sqlx::Error),
    #[error("Postgres cannot be reached: {0}")]
    Unreachable(#[source] sqlx::Error),
    #[error("Postgres {0} is too old; Cairn needs 15 or newer")]
    TooOld(String),
    #[error("{0}")]
    Schema(String),
    #[error("the database role `{role}` cannot step into cairn_app: {source}. Run `cairn-server migrate` with CAIRN_MIGRATION_DATABASE_URL set to the owner's URL")]
    Roles { role: String, source: sqlx::Error },
}

impl Db {
    pub async fn connect(url: &str, connections: u32) -> Result<Self, ConnectProblem> {
        let options: PgConnectOptions = url.parse().map_err(ConnectProblem::Url)?;
        let options = options.application_name("cairn").log_slow_statements(tracing::log::LevelFilter::Warn, Duration::from_secs(2));
        let pool = |most: u32| {
            PgPoolOptions::new()
                .max_connections(most)
                .acquire_timeout(Duration::from_secs(5))
                .idle_timeout(Duration::from_secs(300))
                .max_lifetime(Duration::from_secs(1800))
        };
        let tenants = pool(connections).after_connect(|conn, _| {
            Box::pin(async move { conn.execute("set synchronous_commit = on; set statement_timeout = '20s'; set idle_in_transaction_session_timeout = '60s'").await.map(drop) })
        });
        let gate = pool((connections / 2).max(2)).after_connect(|conn, _| {
            Box::pin(async move { conn.execute("set synchronous_commit = on; set statement_timeout = '20s'; set idle_in_transaction_session_timeout = '60s'; set role cairn_gate").await.map(drop) })
        });
        Ok(Self { tenants: tenants.connect_lazy_with(options.clone()), gate: gate.connect_lazy_with(options) })
    }

    pub(super) fn tenants(&self) -> &PgPool {
        &self.tenants
    }

    /// For statements that need no transaction of their own: who is this, and may they enter?
    pub(super) fn gate(&self) -> &PgPool {
        &self.gate
    }

    /// Reachable, and at the schema that this server knows.
    pub async fn ready(&self) -> Result<(), Problem> {
        sqlx::query("select 1 from workspaces limit 0").execute(&self.gate).await?;
        sqlx::query("select 1").execute(&self.tenants).await?;
        Ok(())
    }

    pub fn gauge(&self) {
        for (name, pool) in [("tenants", &self.tenants), ("gate", &self.gate)] {
            metrics::gauge!("cairn_pool_connections", "pool" => name).set(f64::from(pool.size()));
            metrics::gauge!("cairn_pool_idle", "pool" => name).set(f64::from(u32::try_from(pool.num_idle()).unwrap_or(u32::MAX)));
        }
    }

    pub async fn close(&self) {
        self.tenants.close().await;
        self.gate.close().await;
    }
}

/// Applies what is missing, as the owner, and lets the app's login role step into the roles that queries run under.
pub async fn migrate(owner_url: &str, app_url: &str) -> Result<(), ConnectProblem> {
    let app: PgConnectOptions = app_url.parse().map_err(ConnectProblem::Url)?;
    let owner: PgConnectOptions = owner_url.parse().map_err(ConnectProblem::Url)?;
    let mut conn = owner.connect().await.map_err(ConnectProblem::Unreachable)?;
    check_version(&mut conn).await?;
    MIGRATOR.run(&mut conn).await.map_err(explain)?;
    let_in(&mut conn, app.get_username()).await.map_err(|source| ConnectProblem::Roles { role: app.get_username().to_owned(), source })?;
    conn.close().await.map_err(ConnectProblem::Unreachable)
}

/// Looks whether the schema is the one this server was built for, without changing it.
pub async fn check_schema(app_url: &str) -> Result<(), ConnectProblem> {
    let app: PgConnectOptions = app_url.parse().map_err(ConnectProblem::Url)?;
    let mut conn = app.connect().await.map_err(ConnectProblem::Unreachable)?;
    check_version(&mut conn).await
}

async fn check_version(conn: &mut PgConnection) -> Result<(), ConnectProblem> {
    let version: String = sqlx::query_scalar("show server_version").fetch_one(&mut *conn).await.map_err(ConnectProblem::Unreachable)?;
    let number: String = sqlx::query_scalar("show server_version_num").fetch_one(conn).await.map_err(ConnectProblem::Unreachable)?;
    if number.parse().unwrap_or(0) < 150_000 { Err(ConnectProblem::TooOld(version)) } else { Ok(()) }
}

async fn let_in(conn: &mut PgConnection, login: &str) -> Result<(), sqlx::Error> {
    let quoted = format!("\"{}\"", login.replace('"', "\"\""));
    let (superuser, member): (bool, bool) = sqlx::query_as(
        "select rolsuper, exists (select 1 from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid and g.rolname = 'cairn_gate')
         from pg_roles r where rolname = $1",
    )
    .bind(login)
    .fetch_one(&mut *conn)
    .await?;
    if superuser || member {
        return Ok(());
    }
    // Postgres 15 decides by the role, later versions by the grant, whether the rights are there without stepping in.
    let grant = format!("alter role {quoted} noinherit; grant cairn_app, cairn_gate to {quoted}");
    conn.execute(sqlx::AssertSqlSafe(grant)).await.map(drop)
}

fn explain(error: MigrateError) -> ConnectProblem {
    ConnectProblem::Schema(match &error {
        MigrateError::VersionMissing(version) => format!(
            "the database has migration {version}, which this server does not know: it belongs to a newer Cairn (start that one) or to another program (give Cairn a database of its own)"
        ),
        MigrateError::VersionMismatch(version) => format!(
            "migration {version} in the database differs from the one in this server: the database was made by another build or is not Cairn's"
        ),
        MigrateError::Dirty(version) => {
            format!("migration {version} stopped half-way in an earlier start; restore the database from a backup, or finish it by hand and mark it in _sqlx_migrations")
        }
        other => format!("the database schema could not be brought up to date: {other}"),
    })
}
