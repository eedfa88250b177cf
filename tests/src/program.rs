//! The real program, started as an operator would, for tests that kill it.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::process::{Child, Command};

pub struct Program {
    child: Child,
    pub url: String,
}

impl Program {
    /// Where cargo puts it, beside the folder of this test.
    pub fn path() -> PathBuf {
        let test = std::env::current_exe().expect("this test has a path");
        let profile = test.parent().and_then(Path::parent).expect("target/<profile>/deps");
        let program = profile.join("cairn-server");
        assert!(program.exists(), "{} is not there: build it first with `cargo build --bin cairn-server`", program.display());
        program
    }

    /// `cairn-server serve` with these settings, on a port that stays the same over restarts; ready when this returns.
    pub async fn serve(port: u16, folder: &Path, settings: &[(&str, &str)]) -> Self {
        let log = File::create(folder.join("server.log")).expect("a log");
        let child = Command::new(Self::path())
            .arg("serve")
            .env("CAIRN_LISTEN", format!("127.0.0.1:{port}"))
            .env("CAIRN_DATA_DIR", folder)
            .env("CAIRN_RATE_LIMIT", "off")
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .expect("the server starts");
        let mut program = Self { child, url: format!("http://127.0.0.1:{port}") };
        program.wait_until_ready(folder).await;
        program
    }

    async fn wait_until_ready(&mut self, folder: &Path) {
        let http = crate::house::client();
        for _ in 0..600 {
            if http.get(format!("{}/readyz", self.url)).send().await.is_ok_and(|reply| reply.status().is_success()) {
                return;
            }
            if let Some(status) = self.child.try_wait().expect("a child") {
                panic!("the server ended with {status}:\n{}", log_in(folder));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the server is not ready:\n{}", log_in(folder));
    }

    /// `kill -9`.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("is killed");
    }

    /// A port that nobody listens on right now.
    pub fn free_port() -> u16 {
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
    }
}

fn log_in(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("server.log")).unwrap_or_default()
}
