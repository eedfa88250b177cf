//! What sealing costs those who write, and how quickly a long trail is sealed, taken out and verified.

mod million;

use crate::{
    Failure,
    figures::median,
    house::House,
    write::{load, warm_up_writes},
};
use cairn_server::config::Given;
use std::time::Duration;

const ROUNDS: usize = 5;
const SECONDS: u64 = 8;
const CLIENTS: usize = 32;
const BAR: f64 = 0.90;
/// What was written last is sealed by then, and is not the next run's burden.
const REST: Duration = Duration::from_secs(3);

/// With a number, so many entries instead of a million, and shorter rounds.
pub async fn run(arguments: &[String]) -> Result<bool, Failure> {
    let few: Option<u64> = arguments.first().and_then(|said| said.parse().ok());
    let seconds = if few.is_some() { 2 } else { SECONDS };
    let cost = cost_to_writers(seconds).await?;
    let verified = million::run(few.unwrap_or(1_000_000)).await?;
    Ok(cost && verified)
}

/// The same writers on two servers with a Postgres each, one of which seals; they take turns at going first.
async fn cost_to_writers(seconds: u64) -> Result<bool, Failure> {
    let sealing = House::open().await?;
    let bare = House::with(Given { unsealed: true, ..Given::default() }).await?;
    warm_up_writes(&sealing).await?;
    warm_up_writes(&bare).await?;
    println!("{ROUNDS} rounds of {seconds} s, {CLIENTS} clients, one memory a request; the two servers take turns.\n");
    println!("round | sealing/s | without/s | ratio");
    let mut ratios = Vec::new();
    for round in 0..ROUNDS {
        let mut rates = [0.0; 2];
        for turn in 0..2 {
            let which = (round + turn) % 2;
            tokio::time::sleep(REST).await;
            rates[which] = load(if which == 0 { &sealing } else { &bare }, CLIENTS, 1, seconds).await?.memories_per_second;
        }
        ratios.push(rates[0] / rates[1]);
        println!("{:5} | {:9.0} | {:9.0} | {:5.3}", round + 1, rates[0], rates[1], rates[0] / rates[1]);
    }
    let ratio = median(ratios.into_iter());
    let held = ratio >= BAR;
    println!("\nbar: with the sealer {ratio:.3} of without, in the median (at least {BAR:.2}): {}\n", if held { "held" } else { "MISSED" });
    sealing.close().await?;
    bare.close().await?;
    Ok(held)
}
