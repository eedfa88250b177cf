//! Looks behind the scenes: at the database as its owner, and as the roles that the server runs under.

use crate::House;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row};
use std::collections::BTreeMap;
use uuid::Uuid;

const SEALED: [&str; 4] = ["audit_leaves", "audit_nodes", "audit_checkpoints", "activity"];

impl House {
    /// Waits until every entry of every trail is sealed.
    pub async fn is_sealed(&self) {
        let waiting = "select count(*) from audit_entries e where not exists (select 1 from audit_leaves l where l.workspace_id = e.workspace_id and l.entry_id = e.id)";
        crate::until("everything is sealed", async || self.count(waiting).await == 0).await;
    }

    /// As the role that logs in, which has stepped nowhere yet.
    pub async fn as_login(&self) -> PgConnection {
        PgConnection::connect(&self.postgres().login_url(self.database())).await.expect("the login role gets in")
    }

    /// In a transaction as the role that queries run under, standing nowhere.
    pub async fn as_app(&self) -> PgConnection {
        self.having_run("set local role cairn_app").await
    }

    /// In a transaction as the role that finds people and keys.
    pub async fn as_gate(&self) -> PgConnection {
        self.having_run(&format!("select enter_instance('{}')", Uuid::nil())).await
    }

    /// In a transaction that stands in a workspace, as seen by a person and through a project's wall.
    pub async fn standing_in(&self, workspace: Uuid, person: Option<Uuid>, project: Option<&str>) -> PgConnection {
        let person = person.map_or("null".to_owned(), |id| format!("'{id}'"));
        let project = project.map_or("null".to_owned(), |name| format!("'{name}'"));
        self.having_run(&format!("select enter_scope('{workspace}', '{}', {person}, {project})", Uuid::nil())).await
    }

    async fn having_run(&self, sql: &str) -> PgConnection {
        let mut conn = self.as_login().await;
        conn.execute(AssertSqlSafe(format!("begin; {sql}"))).await.expect("steps in");
        conn
    }

    /// From the catalog: every table that has a workspace.
    pub async fn tenant_tables(&self) -> Vec<String> {
        self.tables("and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id')").await
    }

    pub async fn all_tables(&self) -> Vec<String> {
        self.tables("").await
    }

    async fn tables(&self, which: &str) -> Vec<String> {
        let sql = format!(
            "select relname::text from pg_class c where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace {which} order by 1"
        );
        let tables: Vec<String> = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(self.owner()).await.expect("the catalog");
        assert!(tables.len() > 10, "too few tables to be true: {tables:?}");
        tables
    }

    /// One number, as the owner.
    pub async fn count(&self, sql: &str) -> i64 {
        sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(self.owner()).await.expect(sql)
    }

    /// How many rows each table has, but for those that are filled behind everybody.
    pub async fn census(&self) -> BTreeMap<String, i64> {
        let mut census = BTreeMap::new();
        for table in self.all_tables().await.into_iter().filter(|table| !SEALED.contains(&table.as_str())) {
            let rows = self.count(&format!("select count(*) from {table}")).await;
            census.insert(table, rows);
        }
        census
    }

    /// Every row of every table as text, bytes as text too where they are some: what a dump would show.
    pub async fn dump(&self) -> String {
        let mut dump = String::new();
        for table in self.all_tables().await {
            let columns: Vec<(String, bool)> = sqlx::query_as(
                "select quote_ident(column_name::text), data_type = 'bytea' from information_schema.columns where table_schema = 'public' and table_name = $1",
            )
            .bind(&table)
            .fetch_all(self.owner())
            .await
            .expect("columns");
            let shown: Vec<String> = columns
                .iter()
                .map(
                    |(name, bytes)| {
                        if *bytes { format!("coalesce(encode({name}, 'escape'), '')") } else { format!("coalesce({name}::text, '')") }
                    },
                )
                .collect();
            let sql = format!("select concat_ws(' | ', {}) from {table}", shown.join(", "));
            for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(self.owner()).await.expect("a dump") {
                dump.extend([&table, ": ", &row.get::<String, _>(0), "\n"]);
            }
        }
        dump
    }
}
