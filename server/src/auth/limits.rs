//! How much one key may ask: a bucket per key or sign-in, refilled steadily, bursts allowed.

use crate::{config::RateLimit, problem::Problem};
use governor::{DefaultKeyedRateLimiter, Quota, clock::Clock};
use std::num::NonZeroU32;
use uuid::Uuid;

#[derive(Debug)]
pub struct Limits(Option<DefaultKeyedRateLimiter<Uuid>>);

impl Limits {
    pub fn new(limit: Option<RateLimit>) -> Self {
        Self(limit.and_then(|RateLimit { requests, per }| {
            let quota = Quota::with_period(per / requests.get())?;
            Some(DefaultKeyedRateLimiter::keyed(quota.allow_burst(NonZeroU32::new(requests.get()).unwrap_or(NonZeroU32::MIN))))
        }))
    }

    pub fn take(&self, who: Uuid) -> Result<(), Problem> {
        let Some(limiter) = &self.0 else { return Ok(()) };
        limiter.check_key(&who).map_err(|early| {
            let wait = early.wait_time_from(governor::clock::DefaultClock::default().now());
            Problem::TooMany {
                retry_after: wait.as_secs() + 1,
                detail: "This key asks more often than the server allows. Wait, or send several memories in one batch.".into(),
            }
        })
    }

    /// Buckets that are full again need not be kept.
    pub fn sweep(&self) {
        if let Some(limiter) = &self.0 {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }
}
