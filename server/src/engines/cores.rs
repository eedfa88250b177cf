//! Work that is shared by all cores while somebody waits for it.

use std::{
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Does a row of work on all cores, a stretch at a time; what came of each stretch, in the order of the row.
pub fn on_all_cores<T: Send>(long: usize, stretch: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(long.div_ceil(stretch));
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let from = next.fetch_add(stretch, Ordering::Relaxed);
                    if from >= long {
                        break;
                    }
                    let came = work(from..long.min(from + stretch));
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((from, came));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(from, _)| *from);
    done.into_iter().map(|(_, came)| came).collect()
}
