//! How much one key may ask: a bucket per key or sign-in, refilled steadily, bursts allowed. Whoever shows a key without
//! its secret does not empty that key's bucket, but the one of the network that it comes from.

use crate::{config::RateLimit, problem::Problem};
use governor::{
    DefaultKeyedRateLimiter, NotUntil, Quota,
    clock::{Clock, DefaultClock},
};
use std::num::NonZeroU32;
use uuid::Uuid;

#[derive(Debug)]
pub struct Limits(Option<Buckets>);

#[derive(Debug)]
struct Buckets {
    callers: DefaultKeyedRateLimiter<Uuid>,
    /// Of networks, for credentials that do not hold.
    failures: DefaultKeyedRateLimiter<String>,
}

impl Limits {
    pub fn new(limit: Option<RateLimit>) -> Self {
        Self(limit.and_then(|RateLimit { requests, per }| {
            let quota = Quota::with_period(per / requests.get())?.allow_burst(NonZeroU32::new(requests.get()).unwrap_or(NonZeroU32::MIN));
            Some(Buckets { callers: DefaultKeyedRateLimiter::keyed(quota), failures: DefaultKeyedRateLimiter::keyed(quota) })
        }))
    }

    /// Somebody asks whose credential holds.
    pub fn take(&self, who: Uuid) -> Result<(), Problem> {
        let Some(buckets) = &self.0 else { return Ok(()) };
        let detail = "This key asks more often than the server allows. Wait, or send several memories in one batch.";
        buckets.callers.check_key(&who).map_err(|early| too_many(&early, detail))
    }

    /// Somebody showed a key that does not hold.
    pub fn take_failure(&self, network: String) -> Result<(), Problem> {
        let Some(buckets) = &self.0 else { return Ok(()) };
        let detail = "Too many keys that do not hold came from this network. Wait, and ask an admin of the workspace for a key that does.";
        buckets.failures.check_key(&network).map_err(|early| too_many(&early, detail))
    }

    /// Buckets that are full again need not be kept.
    pub fn sweep(&self) {
        if let Some(Buckets { callers, failures }) = &self.0 {
            callers.retain_recent();
            callers.shrink_to_fit();
            failures.retain_recent();
            failures.shrink_to_fit();
        }
    }
}

fn too_many(early: &NotUntil<<DefaultClock as Clock>::Instant>, detail: &'static str) -> Problem {
    let wait = early.wait_time_from(DefaultClock::default().now());
    Problem::TooMany { retry_after: wait.as_secs() + 1, detail: detail.into() }
}
