//! Measurements, side by side in one run: of speed as ratios, because machines differ and ratios less so.

mod capture;
mod client;
mod code;
mod dream;
mod figures;
mod house;
mod mcp;
mod pages;
mod pgbench;
mod proof;
mod recall;
mod seal;
mod speed;
mod table;
mod write;

use std::process::ExitCode;

/// The server's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next();
    let rest: Vec<String> = arguments.collect();
    let done = match what.as_deref() {
        Some("write") => write::run().await,
        Some("recall") => recall::run(&rest).await,
        Some("speed") => speed::run(&rest).await,
        Some("capture") => capture::run().await,
        Some("seal") => seal::run(&rest).await,
        Some("dream") => dream::run(&rest).await,
        Some("mcp") => mcp::run().await,
        Some("code") => code::run().await,
        Some("pages") => pages::run(&rest).await,
        Some("proof") => proof::run(&rest).await,
        _ => Err("say what to measure: write, recall, speed, capture, seal, dream, mcp, code, pages or proof".into()),
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
