//! `check`: a look through the whole database, beside a server that may be running on it.

use super::{Failure, attached_or_opened};
use crate::{
    acts::consistency::{self, Report},
    config::Config,
    journal,
    keyring::Keyring,
    serve::{self, Database},
    store::{
        connect,
        consistency::{policies_bind, snapshot},
    },
};
use sqlx::{Connection, PgConnection};
use std::process::ExitCode;

/// 0 when everything holds, 1 when something does not, 2 when it could not be told.
pub async fn check(config: Result<Config, Failure>, json: bool) -> ExitCode {
    let looked = async {
        let report = look_through(&config?).await?;
        if json {
            println!("{}", serde_json::to_string_pretty(&report)?);
        } else {
            print(&report);
        }
        Ok::<_, Failure>(report.holds)
    }
    .await;
    match looked {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(failure) => {
            eprintln!("cairn-server: {failure}");
            ExitCode::from(2)
        }
    }
}

async fn look_through(config: &Config) -> Result<Report, Failure> {
    // Looking must not make a key where there is none.
    let keyring = config.master_key_file.exists().then(|| Keyring::open(&config.master_key_file)).transpose()?;
    if keyring.is_none() {
        eprintln!("{} is not there: whether an erased text has come back cannot be told without it.", config.master_key_file.display());
    }
    let journal = journal::read_beside(&config.data_dir)?.entries;
    let database = attached_or_opened(config).await?;
    let looked = async {
        let mut conn = PgConnection::connect(&database.owner_url).await?;
        connect::is_known(&mut conn).await?;
        sees_everything(&mut conn, &database).await?;
        let mut tx = snapshot(&mut conn).await?;
        let report = consistency::look_through(&mut tx, keyring.as_ref(), &journal).await.map_err(serve::told)?;
        tx.rollback().await?;
        conn.close().await?;
        Ok::<_, Failure>(report)
    }
    .await;
    database.close().await?;
    looked
}

/// Whoever sees nothing finds nothing wrong.
async fn sees_everything(conn: &mut PgConnection, database: &Database) -> Result<(), Failure> {
    if !policies_bind(conn).await? || database.cluster.is_some() {
        return Ok(());
    }
    Err("row policies bind the owner's role: set CAIRN_MIGRATION_DATABASE_URL to the URL of a superuser, or of a role with BYPASSRLS"
        .into())
}

fn print(report: &Report) {
    for check in &report.checks {
        let word = if check.found == 0 { "holds " } else { "BROKEN" };
        println!("{word}  {:<28} {:>10} looked at   {}", check.name, check.looked_at, check.promise);
        for example in &check.examples {
            println!("        {example}");
        }
        let more = check.found.saturating_sub(check.examples.len() as u64);
        if more > 0 {
            println!("        and {more} more");
        }
    }
    let broken = report.checks.iter().filter(|check| check.found > 0).count();
    match broken {
        0 => println!("All {} checks hold.", report.checks.len()),
        _ => println!("{broken} of {} checks do not hold. See docs/check.md.", report.checks.len()),
    }
}
