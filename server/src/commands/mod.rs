//! What `cairn-server` does, command by command.

mod audit;
mod check;
mod copies;
pub mod demo;
mod health;

pub use audit::verify;
pub use check::check;
pub use copies::{backup, restore};
pub use health::health;

use crate::{
    App,
    auth::tokens::Tokens,
    config::Config,
    keyring::Keyring,
    notary::Notary,
    serve::{self, Database},
    store::{
        Db,
        cluster::{Binaries, attach},
        connect,
    },
};
use std::{
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};
use tokio::signal::unix::{SignalKind, signal};

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Run until somebody says stop.
pub async fn serve(config: Config, with_demo: bool) -> Result<(), Failure> {
    let config = if with_demo { demo::with_admin(config)? } else { config };
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut database = Database::open(&config).await?;
    let running = match serve::start(config, &database.app_url, &database.owner_url).await {
        Ok(running) => running,
        Err(failure) => {
            database.close().await?;
            return Err(failure);
        }
    };
    let url = running.app.config().public_url();
    tracing::info!(address = %running.address, "Cairn is ready at {url}");
    if with_demo {
        // Whoever lives in it by now may have changed the password; that is no reason not to serve.
        match demo::fill(&running.app).await {
            Ok(()) => println!("{}", demo::how_to_sign_in(&running.app)?),
            Err(failure) => tracing::warn!("the demo is left as it is: {failure}"),
        }
    }
    let mut look = tokio::time::interval(Duration::from_secs(1));
    loop {
        tokio::select! {
            _ = interrupt.recv() => break,
            _ = terminate.recv() => break,
            _ = look.tick() => look_after(&mut database).await,
        }
    }
    tracing::info!("stopping: finishing what is running");
    running.stop().await?;
    database.close().await
}

/// The private Postgres is ours to keep alive.
async fn look_after(database: &mut Database) {
    let Some(cluster) = &mut database.cluster else { return };
    match cluster.revive().await {
        Ok(false) => {}
        Ok(true) => tracing::warn!("the private Postgres had ended and was started again"),
        Err(problem) => tracing::error!(%problem, "the private Postgres has ended and does not start again"),
    }
}

pub async fn migrate(config: Config) -> Result<(), Failure> {
    let database = Database::open(&config).await?;
    let migrated = connect::migrate(&database.owner_url, &database.app_url).await;
    database.close().await?;
    migrated?;
    println!("The database is up to date.");
    Ok(())
}

pub async fn demo(config: Config) -> Result<(), Failure> {
    beside(demo::with_admin(config)?, async |app| {
        crate::acts::access::make_first_admin(&app).await.map_err(serve::told)?;
        demo::fill(&app).await?;
        println!("{}", demo::how_to_sign_in(&app)?);
        Ok(())
    })
    .await
}

pub async fn rotate_keys(config: Config) -> Result<(), Failure> {
    beside(config, async |app| {
        app.tokens().rotate(app.db(), 0.0).await.map_err(serve::told)?;
        app.notary().rotate(app.db()).await.map_err(serve::told)?;
        println!("A new signing key is in use; tokens signed before stay valid until they run out.");
        println!("The trail is sealed with a new key too; what was sealed before stays verifiable with the keys before it. For auditors:");
        if let Some(newest) = app.notary().keys().map_err(serve::told)?.first() {
            println!("{}", newest.vkey);
        }
        Ok(())
    })
    .await
}

/// Does something with the house, beside a server that may be running on the same data dir, without listening.
async fn beside(config: Config, act: impl AsyncFnOnce(App) -> Result<(), Failure>) -> Result<(), Failure> {
    let database = attached_or_opened(&config).await?;
    let done = async {
        connect::migrate(&database.owner_url, &database.app_url).await?;
        within(&config, &database, act).await
    }
    .await;
    database.close().await?;
    done
}

/// The same in a database that is open and up to date.
async fn within(config: &Config, database: &Database, act: impl AsyncFnOnce(App) -> Result<(), Failure>) -> Result<(), Failure> {
    let db = Db::connect(&database.app_url, 4)?;
    let keyring = Keyring::open(&config.master_key_file)?;
    let tokens = Tokens::load(&db, keyring.clone(), config.public_url()).await.map_err(serve::told)?;
    let notary = Notary::load(&db, keyring.clone(), &config.public_url()).await.map_err(serve::told)?;
    let app = App::new(config.clone(), db, keyring, tokens, notary)?;
    let done = act(app.clone()).await;
    app.db().close().await;
    done
}

async fn attached_or_opened(config: &Config) -> Result<Database, Failure> {
    if config.database_url.is_none()
        && let Some(attached) = attach(&config.data_dir)?
    {
        return Ok(Database { app_url: attached.owner_url(), owner_url: attached.owner_url(), cluster: None });
    }
    Database::open(config).await
}

/// Open psql as the owner; its exit code is ours.
pub async fn psql(config: Config, args: &[String]) -> Result<ExitCode, Failure> {
    let database = attached_or_opened(&config).await?;
    let program = tool(&config, "psql")?;
    let status = with_password(&program, &[], &database.owner_url).args(args).status().await;
    database.close().await?;
    let status = status.map_err(|error| format!("{} cannot be run: {error}", program.display()))?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// A program of Postgres's, of the version that the private cluster has; beside a database of the operator's, any.
fn tool(config: &Config, name: &str) -> Result<PathBuf, Failure> {
    if config.database_url.is_some() {
        return Ok(Binaries::find().map_or_else(|_| PathBuf::from(name), |binaries| binaries.path(name)));
    }
    Ok(match attach(&config.data_dir)? {
        Some(attached) => attached.binaries().path(name),
        None => Binaries::find()?.path(name),
    })
}

/// The URL as an argument, the password in the environment: arguments are for everybody to see.
fn with_password(program: &Path, before: &[&str], url: &str) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(program);
    command.args(before);
    let split = url.split_once("://").and_then(|(scheme, rest)| {
        let (user, host) = rest.split_once('@')?;
        let (user, password) = user.split_once(':')?;
        Some((format!("{scheme}://{user}@{host}"), password))
    });
    match split {
        Some((bare, password)) => command.arg(bare).env("PGPASSWORD", &*percent_encoding::percent_decode_str(password).decode_utf8_lossy()),
        None => command.arg(url),
    };
    command
}
