//! Measurements, as ratios, side by side in one run: machines differ, ratios less so.

mod client;
mod house;
mod pgbench;
mod write;

use std::process::ExitCode;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        Some("write") => write::run().await,
        _ => Err("say what to measure: write".into()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("cairn-bench: {failure}");
            ExitCode::FAILURE
        }
    }
}
