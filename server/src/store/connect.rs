//! Connections: two pools on one database. The tenants' begins nowhere and steps into a workspace for each
//! transaction; the gate's stands in a narrow role that finds people, workspaces and keys.

use super::{
    at_hand::{AtHand, Hand, RESTED},
    lineage::{self, Lineage},
};
use crate::problem::Problem;
use sqlx::{
    ConnectOptions, Connection, Executor, PgConnection, PgPool, Postgres, SqlSafeStr, Transaction,
    migrate::{MigrateError, Migrator},
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

pub static MIGRATOR: Migrator = sqlx::migrate!("../migrations");

/// How often a migration gives way to servers that are writing.
const GIVES_WAY: usize = 20;

/// When a statement was last refused because the schema had changed under it: a newer server migrated beside this one.
static STALE: Mutex<Option<Instant>> = Mutex::new(None);

pub(super) fn stale_since() -> Option<Instant> {
    *STALE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Connections that are older than this moment know statements that no longer fit, and are used no more.
pub(crate) fn statements_are_stale() {
    *STALE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

/// The door to the database. It opens only onto a scope.
#[derive(Clone, Debug)]
pub struct Db {
    tenants: PgPool,
    gate: PgPool,
    /// Of either pool, for statements that stand alone.
    tenants_at_hand: AtHand,
    gate_at_hand: AtHand,
    lineage: Lineage,
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
    #[error(
        "the database role `{role}` cannot step into cairn_app: {source}. Run `cairn-server migrate` with CAIRN_MIGRATION_DATABASE_URL set to the owner's URL"
    )]
    Roles { role: String, source: sqlx::Error },
}

impl Db {
    /// Pools that open a connection when somebody asks for one.
    pub fn connect(url: &str, connections: u32) -> Result<Self, ConnectProblem> {
        let options: PgConnectOptions = url.parse().map_err(ConnectProblem::Url)?;
        let options = options.application_name("cairn").log_slow_statements(tracing::log::LevelFilter::Warn, Duration::from_secs(2));
        let pool = |most: u32| {
            PgPoolOptions::new()
                .max_connections(most)
                .acquire_timeout(Duration::from_secs(5))
                .idle_timeout(Duration::from_mins(5))
                // Each is tested when it comes back; a trip more before its next use tells something only after a rest.
                .test_before_acquire(false)
                .before_acquire(|conn, meta| {
                    Box::pin(async move {
                        if stale_since().is_some_and(|since| meta.age > since.elapsed()) {
                            return Ok(false);
                        }
                        if meta.idle_for > RESTED {
                            conn.ping().await?;
                        }
                        Ok(true)
                    })
                })
                .max_lifetime(Duration::from_mins(30))
        };
        let lineage = Lineage::default();
        let watched = lineage.clone();
        let tenants = pool(connections).after_connect(move |conn, _| {
            let watched = watched.clone();
            Box::pin(async move {
                conn.execute("set synchronous_commit = on; set jit = off; set statement_timeout = '20s'; set idle_in_transaction_session_timeout = '60s'").await?;
                watched.meet(conn).await;
                Ok(())
            })
        });
        let gate = pool((connections / 2).max(2)).after_connect(|conn, _| {
            Box::pin(async move { conn.execute("set synchronous_commit = on; set jit = off; set statement_timeout = '20s'; set idle_in_transaction_session_timeout = '60s'; set role cairn_gate").await.map(drop) })
        });
        let (tenants, gate) = (tenants.connect_lazy_with(options.clone()), gate.connect_lazy_with(options));
        let (tenants_at_hand, gate_at_hand) = (AtHand::of(&tenants), AtHand::of(&gate));
        Ok(Self { tenants, gate, tenants_at_hand, gate_at_hand, lineage })
    }

    /// Whether whoever asks for one more connection has to wait: who holds one must not, then.
    pub fn is_busy(&self) -> bool {
        let most = self.tenants.options().get_max_connections();
        self.tenants.num_idle() + self.tenants_at_hand.idle() == 0 && self.tenants.size() >= most
    }

    /// How often another cluster was met behind the same address. Numbers of transactions mean something only within one.
    pub fn turn(&self) -> u64 {
        self.lineage.turn()
    }

    pub(super) fn tenants(&self) -> &PgPool {
        &self.tenants
    }

    /// For statements that need no transaction of their own: who is this, and may they enter?
    pub(super) fn gate(&self) -> &PgPool {
        &self.gate
    }

    /// A connection to the tenants' side, for one statement that is asked often.
    pub(super) async fn tenants_hand(&self) -> Result<Hand<'_>, sqlx::Error> {
        self.tenants_at_hand.take().await
    }

    /// The same at the gate.
    pub(super) async fn gate_hand(&self) -> Result<Hand<'_>, sqlx::Error> {
        self.gate_at_hand.take().await
    }

    /// Reachable, and at the schema that this server knows.
    pub async fn ready(&self) -> Result<(), Problem> {
        let mut gate = self.gate_hand().await?;
        sqlx::query("select 1 from workspaces limit 0").execute(&mut *gate).await?;
        gate.lay_down();
        let mut tenants = self.tenants_hand().await?;
        sqlx::query("select 1").execute(&mut *tenants).await?;
        tenants.lay_down();
        Ok(())
    }

    /// What Postgres it is, and how many migrations it has seen.
    pub async fn about(&self) -> Result<(String, i64), Problem> {
        let version: String = sqlx::query_scalar("select current_setting('server_version')").fetch_one(&self.gate).await?;
        let migrations: i64 = sqlx::query_scalar("select count(*) from _sqlx_migrations").fetch_one(&self.gate).await?;
        Ok((version, migrations))
    }

    /// Connections of tenants: in use, open, and at most.
    pub fn connections(&self) -> (u32, u32, u32) {
        let idle = self.tenants.num_idle() + self.tenants_at_hand.idle();
        let (open, idle) = (self.tenants.size(), u32::try_from(idle).unwrap_or(u32::MAX));
        (open.saturating_sub(idle), open, self.tenants.options().get_max_connections())
    }

    pub fn gauge(&self) {
        for (name, pool, at_hand) in [("tenants", &self.tenants, &self.tenants_at_hand), ("gate", &self.gate, &self.gate_at_hand)] {
            let idle = u32::try_from(pool.num_idle() + at_hand.idle()).unwrap_or(u32::MAX);
            metrics::gauge!("cairn_pool_connections", "pool" => name).set(f64::from(pool.size()));
            metrics::gauge!("cairn_pool_idle", "pool" => name).set(f64::from(idle));
        }
    }

    pub async fn close(&self) {
        // From here on nobody keeps one, and closing waits for all.
        let (tenants, gate) = (self.tenants.close(), self.gate.close());
        self.tenants_at_hand.clear();
        self.gate_at_hand.clear();
        tenants.await;
        gate.await;
    }
}

/// Applies what is missing, as the owner, and lets the app's login role step into the roles that queries run under.
/// A role that may not change the schema only looks whether it is the one this server knows.
pub async fn migrate(owner_url: &str, app_url: &str) -> Result<(), ConnectProblem> {
    let app: PgConnectOptions = app_url.parse().map_err(ConnectProblem::Url)?;
    let owner: PgConnectOptions = owner_url.parse().map_err(ConnectProblem::Url)?;
    let mut conn = owner.connect().await.map_err(ConnectProblem::Unreachable)?;
    check_version(&mut conn).await?;
    let may_create: bool = sqlx::query_scalar("select has_schema_privilege(current_user, 'public', 'create')")
        .fetch_one(&mut conn)
        .await
        .map_err(ConnectProblem::Unreachable)?;
    if may_create {
        bring_up_to_date(&mut conn).await?;
        let_in(&mut conn, app.get_username())
            .await
            .map_err(|source| ConnectProblem::Roles { role: app.get_username().to_owned(), source })?;
        lineage::settle_in(&mut conn).await.map_err(ConnectProblem::Unreachable)?;
    } else {
        verify(&mut conn).await?;
    }
    conn.close().await.map_err(ConnectProblem::Unreachable)
}

/// A server of the version before may be writing meanwhile. When both wait for each other and it is the migration that has to give
/// way, it begins again where it was.
async fn bring_up_to_date(conn: &mut PgConnection) -> Result<(), ConnectProblem> {
    for _ in 0..GIVES_WAY {
        match MIGRATOR.run(&mut *conn).await {
            Err(error) if gave_way(&error) => tracing::warn!(%error, "a server that is writing was in the way; the migration begins again"),
            done => return done.map_err(explain),
        }
    }
    MIGRATOR.run(conn).await.map_err(explain)
}

fn gave_way(error: &MigrateError) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else { return false };
    error.as_database_error().and_then(|error| error.code().map(|code| code == "40P01")).unwrap_or_default()
}

/// The schema is the one that this server knows; nothing is changed.
pub async fn is_known(conn: &mut PgConnection) -> Result<(), ConnectProblem> {
    check_version(conn).await?;
    verify(conn).await
}

async fn check_version(conn: &mut PgConnection) -> Result<(), ConnectProblem> {
    let (number, version): (i32, String) =
        sqlx::query_as("select current_setting('server_version_num')::int, current_setting('server_version')")
            .fetch_one(conn)
            .await
            .map_err(ConnectProblem::Unreachable)?;
    if number < 150_000 { Err(ConnectProblem::TooOld(version)) } else { Ok(()) }
}

/// The migrations that were applied are exactly those that this server has.
async fn verify(conn: &mut PgConnection) -> Result<(), ConnectProblem> {
    let hint = "run `cairn-server migrate` with CAIRN_MIGRATION_DATABASE_URL set to the owner's URL";
    let applied: Result<Vec<(i64, Vec<u8>, bool)>, sqlx::Error> = async {
        let mut tx = conn.begin().await?;
        tx.execute("set local role cairn_gate").await?;
        sqlx::query_as("select version, checksum, success from _sqlx_migrations order by version").fetch_all(&mut *tx).await
    }
    .await;
    let applied = applied
        .map_err(|error| ConnectProblem::Schema(format!("the database is not set up yet, or not for this role ({error}); {hint}")))?;
    let known: Vec<_> = MIGRATOR.iter().map(|one| (one.version, one.checksum.to_vec(), true)).collect();
    if let Some((version, ..)) = applied.iter().find(|(version, ..)| !known.iter().any(|(known, ..)| known == version)) {
        return Err(explain(MigrateError::VersionMissing(*version)));
    }
    if applied == known {
        Ok(())
    } else {
        Err(ConnectProblem::Schema(format!("the database schema is not the one of this server; {hint}")))
    }
}

async fn let_in(conn: &mut PgConnection, login: &str) -> Result<(), sqlx::Error> {
    let quoted = format!("\"{}\"", login.replace('"', "\"\""));
    let (superuser, inherits, itself, version): (bool, bool, bool, i32) = sqlx::query_as(
        "select rolsuper, rolinherit, rolname = current_user, current_setting('server_version_num')::int from pg_roles where rolname = $1",
    )
    .bind(login)
    .fetch_one(&mut *conn)
    .await?;
    // Making a role may give the right to administer it, which is not yet the right to step into it: ask for a grant that does.
    let granted: i64 = sqlx::query_scalar(
        "select count(*)
         from pg_auth_members m
         join pg_roles g on g.oid = m.roleid
         join pg_roles r on r.oid = m.member
         where r.rolname = $1 and g.rolname in ('cairn_app', 'cairn_gate', 'cairn_index', 'cairn_seal') and (to_jsonb(m) ->> 'set_option') is distinct from 'false'",
    )
    .bind(login)
    .fetch_one(&mut *conn)
    .await?;
    if superuser || granted >= 4 {
        return Ok(());
    }
    // Without stepping in, a login of its own has no right at all: by the grant, or in Postgres 15 by the role.
    let grant = match (itself, version >= 160_000) {
        (true, true) => format!("grant cairn_app, cairn_gate, cairn_index, cairn_seal to {quoted} with set true"),
        (false, true) => format!("grant cairn_app, cairn_gate, cairn_index, cairn_seal to {quoted} with inherit false, set true"),
        (false, false) if inherits => {
            format!("alter role {quoted} noinherit; grant cairn_app, cairn_gate, cairn_index, cairn_seal to {quoted}")
        }
        (_, false) => format!("grant cairn_app, cairn_gate, cairn_index, cairn_seal to {quoted}"),
    };
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
            format!(
                "migration {version} stopped half-way in an earlier start; restore the database from a backup, or finish it by hand and mark it in _sqlx_migrations"
            )
        }
        other => format!("the database schema could not be brought up to date: {other}"),
    })
}

/// Begins a transaction. In a task of its own: a caller who leaves in the middle of it would leave the connection within one,
/// and whoever is given it next would find out.
pub(super) async fn begin_in(pool: &PgPool, statement: impl SqlSafeStr) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    let begun = tokio::spawn(Transaction::begin(pool.acquire().await?, Some(statement.into_sql_str())));
    begun.await.map_err(|_| sqlx::Error::WorkerCrashed)?
}
