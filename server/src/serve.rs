//! Starting and stopping: database, proofs, first admin, listener; and a stop that finishes what is running.

use crate::{
    App, acts, api,
    auth::tokens::Tokens,
    config::Config,
    keyring::Keyring,
    notary::Notary,
    stack,
    store::{Db, cluster::Cluster, connect},
    work,
};
use axum_server::Handle;
use hyper_util::rt::TokioTimer;
use std::{
    error::Error,
    net::{SocketAddr, TcpListener},
    time::Duration,
};
use tokio::sync::watch;

type Failure = Box<dyn Error + Send + Sync>;

const GRACE: Duration = Duration::from_secs(20);
/// Whoever takes longer to say what they want is cut off. It counts for kept-alive connections too, and must be longer than
/// the minute that proxies keep theirs: one that we close first costs them a request.
const HEADERS: Duration = Duration::from_secs(75);

/// A server that answers. Stop it, or it goes with the process.
pub struct Running {
    pub address: SocketAddr,
    pub app: App,
    handle: Handle<SocketAddr>,
    serving: tokio::task::JoinHandle<std::io::Result<()>>,
    working: tokio::task::JoinHandle<()>,
    stop: watch::Sender<bool>,
}

/// Where the database is: the operator's, or our own.
pub struct Database {
    pub app_url: String,
    pub owner_url: String,
    pub cluster: Option<Cluster>,
}

impl Database {
    pub async fn open(config: &Config) -> Result<Self, Failure> {
        if let Some(url) = &config.database_url {
            let owner = config.migration_database_url.as_ref().unwrap_or(url);
            return Ok(Self { app_url: url.0.clone(), owner_url: owner.0.clone(), cluster: None });
        }
        let cluster = Cluster::start(&config.data_dir).await?;
        Ok(Self { app_url: cluster.app_url(), owner_url: cluster.owner_url(), cluster: Some(cluster) })
    }

    pub async fn close(self) -> Result<(), Failure> {
        match self.cluster {
            Some(cluster) => Ok(cluster.stop().await?),
            None => Ok(()),
        }
    }
}

/// Opens the house on a database that is there: migrates, proves the wall, makes the first admin, listens.
pub async fn start(config: Config, app_url: &str, owner_url: &str) -> Result<Running, Failure> {
    api::start_recording();
    connect::migrate(owner_url, app_url).await?;
    let db = Db::connect(app_url, config.database_connections)?;
    db.prove_the_wall().await?;
    let keyring = Keyring::open(&config.master_key_file)?;
    if !db.belongs_to(&keyring.check_value()).await.map_err(told)? {
        return Err(format!(
            "the database was made with another master key than {}: put that file back, or point CAIRN_MASTER_KEY_FILE to it",
            config.master_key_file.display()
        )
        .into());
    }
    let listener =
        TcpListener::bind(config.listen).map_err(|error| format!("CAIRN_LISTEN: cannot listen on {}: {error}", config.listen))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let config = config.bound_to(address);
    let tokens = Tokens::load(&db, keyring.clone(), config.public_url()).await.map_err(told)?;
    let notary = Notary::load(&db, keyring.clone(), &config.public_url()).await.map_err(told)?;
    let app = App::new(config, db, keyring, tokens, notary)?;
    acts::access::make_first_admin(&app).await.map_err(told)?;
    let (stop, stopped) = watch::channel(false);
    let working = tokio::spawn(work::run(app.clone(), stopped));
    let handle = Handle::new();
    let serving = listen(&app, listener, handle.clone()).await?;
    Ok(Running { address, app, handle, serving, working, stop })
}

async fn listen(
    app: &App,
    listener: TcpListener,
    handle: Handle<SocketAddr>,
) -> Result<tokio::task::JoinHandle<std::io::Result<()>>, Failure> {
    let service = stack::router(app.clone()).into_make_service_with_connect_info::<SocketAddr>();
    let Some((cert, key)) = &app.config().tls else {
        let mut server = axum_server::from_tcp(listener)?.handle(handle);
        server.http_builder().http1().timer(TokioTimer::new()).header_read_timeout(HEADERS);
        return Ok(tokio::spawn(server.serve(service)));
    };
    // The provider is the process's; another part of it may have chosen already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let tls = axum_server::tls_rustls::RustlsConfig::from_pem_file(cert, key)
        .await
        .map_err(|error| format!("CAIRN_TLS_CERT, CAIRN_TLS_KEY: {} and {} cannot be used: {error}", cert.display(), key.display()))?;
    let mut server = axum_server::from_tcp_rustls(listener, tls)?.handle(handle);
    server.http_builder().http1().timer(TokioTimer::new()).header_read_timeout(HEADERS);
    Ok(tokio::spawn(server.serve(service)))
}

impl Running {
    /// Takes no new requests, finishes those that run, and lets go of the database.
    pub async fn stop(self) -> Result<(), Failure> {
        let _ = self.stop.send(true);
        self.app.stop();
        self.handle.graceful_shutdown(Some(GRACE));
        self.serving.await??;
        self.working.await?;
        self.app.db().close().await;
        Ok(())
    }
}

/// A problem outside of a request, in words.
pub fn told(problem: crate::problem::Problem) -> Failure {
    match problem {
        crate::problem::Problem::Internal(what) => what.into_owned().into(),
        other => other.told().detail.into(),
    }
}
