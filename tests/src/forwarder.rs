//! A door of our own before Postgres: it can be slow, and it can lead to another cluster from one moment to the next.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream, UnixStream},
    sync::watch,
};

pub struct Forwarder {
    port: u16,
    to: Arc<Mutex<PathBuf>>,
    delay: Arc<AtomicU64>,
    /// Whoever came through an earlier turn is cut off.
    turn: watch::Sender<u64>,
}

impl Forwarder {
    /// Leads to a socket.
    pub async fn to(socket: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (to, delay, (turn, turned)) = (Arc::new(Mutex::new(socket.to_owned())), Arc::new(AtomicU64::new(0)), watch::channel(0));
        let (target, wait) = (to.clone(), delay.clone());
        tokio::spawn(async move {
            while let Ok((from, _)) = listener.accept().await {
                let there = target.lock().expect("not poisoned").clone();
                let (wait, mut turned) = (wait.clone(), turned.clone());
                turned.mark_unchanged();
                tokio::spawn(async move {
                    tokio::select! {
                        () = carry(from, &there, &wait) => {}
                        _ = turned.changed() => {}
                    }
                });
            }
        });
        Self { port, to, delay, turn }
    }

    /// From now on it leads elsewhere, and whoever is inside is cut off.
    pub fn lead_to(&self, socket: &Path) {
        socket.clone_into(&mut self.to.lock().expect("not poisoned"));
        self.turn.send_modify(|turn| *turn += 1);
    }

    /// Every piece takes so long, in both directions.
    pub fn slow_down(&self, by: Duration) {
        self.delay.store(u64::try_from(by.as_millis()).expect("short"), Ordering::Relaxed);
    }

    /// A URL of a socket, through this door.
    pub fn url(&self, there: &str) -> String {
        let (before, _) = there.split_once('?').expect("a socket");
        let (scheme, rest) = before.split_once("://").expect("a URL");
        let (user, database) =
            rest.split_once('@').map_or((rest, ""), |(user, place)| (user, place.rsplit('/').next().unwrap_or_default()));
        format!("{scheme}://{user}@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }
}

async fn carry(from: TcpStream, there: &Path, delay: &AtomicU64) {
    let Ok(to) = UnixStream::connect(there).await else { return };
    let _ = from.set_nodelay(true);
    let ((asks, answered), (answers, asked)) = (from.into_split(), to.into_split());
    tokio::select! {
        () = pour(asks, asked, delay) => {}
        () = pour(answers, answered, delay) => {}
    }
}

async fn pour(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, delay: &AtomicU64) {
    let mut piece = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut piece).await {
        let wait = delay.load(Ordering::Relaxed);
        if wait > 0 {
            tokio::time::sleep(Duration::from_millis(wait)).await;
        }
        if to.write_all(&piece[..length]).await.is_err() {
            return;
        }
    }
}
