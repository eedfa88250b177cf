//! Runs one of Postgres's programs to its end.

use std::process::{Command, Stdio};

use tokio::io::AsyncWriteExt;

use super::{account::Account, problem::ClusterProblem};

pub async fn run(command: Command, account: &Account, input: &str) -> Result<(), ClusterProblem> {
    let program = command.get_program().to_string_lossy().into_owned();
    let not_run = |source| ClusterProblem::NotRun { program: program.clone(), account: account.name.clone(), source };
    let mut child = tokio::process::Command::from(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(not_run)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ended early says why below.
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    let ended = child.wait_with_output().await.map_err(not_run)?;
    if ended.status.success() {
        return Ok(());
    }
    Err(ClusterProblem::Failed { said: String::from_utf8_lossy(&ended.stderr).trim().to_owned(), program })
}
