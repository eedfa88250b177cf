//! Brings the spool to the server: one process per destination, detached from the hook that started it.
//!
//! It delivers, waits a while for more, and ends; while the server is away it tries again with growing pauses and gives
//! up in the end. The next hook starts it again.

mod deliver;

use crate::{
    clock,
    failure::Failure,
    profiles,
    server::Server,
    spool::{self, LastFailure, Position, Spool},
};
use deliver::Delivery;
use std::{
    env,
    fs::{self, File},
    io,
    path::PathBuf,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// What the server takes at once, in records and, well below its limit, in bytes.
const BATCH: usize = 1000;
const BATCH_BYTES: u64 = 4 * 1024 * 1024;
/// For one request.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks for something new.
const LOOK: Duration = Duration::from_millis(200);
/// After a batch, before the next.
const GATHER: Duration = Duration::from_secs(1);
/// Without anything new for so long, it ends.
const LINGER: Duration = Duration::from_secs(30);
/// Without an answer for so long, it gives up.
const GIVE_UP: Duration = Duration::from_mins(15);
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Starts a flush unless one runs. Called by every hook: what is usual costs an open and a lock.
pub fn start_detached(spool: &Spool, destination: &str) {
    let Ok(lock) = spool.lock_file() else { return };
    // Shared, so that hooks at the same moment do not take each other for a flush.
    if lock.try_lock_shared().is_err() {
        return;
    }
    drop(lock);
    let Ok(program) = env::current_exe() else { return };
    let _ = Command::new(program)
        .args(["flush", "--spool", destination])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}

/// A flush that rests tries now; one that ended is started.
pub fn wake(destination: &str) {
    let spool = Spool::of(destination);
    if spool.folder.exists() {
        let _ = fs::write(wake_mark(&spool), "");
        start_detached(&spool, destination);
    }
}

/// The detached process.
pub fn run(destination: &str) {
    // A session of its own: the terminal's end is not its end. And no folder is kept busy.
    let _ = nix::unistd::setsid();
    let spool = Spool::of(destination);
    let _ = env::set_current_dir("/");
    while let Some(lock) = take_lock(&spool) {
        work(&spool, destination);
        drop(lock);
        // A hook that appended while the lock was still held has started nobody.
        if fs::metadata(spool.current()).map_or(0, |found| found.len()) == 0 || gave_up(&spool) {
            break;
        }
    }
}

/// Everything that waits, now, for a person who looks on; says after each step how much is left.
pub fn run_now(destination: &str, mut told: impl FnMut(u64)) -> Result<(), Failure> {
    let spool = Spool::of(destination);
    let began = clock::now();
    let mut left = spool.waiting().records;
    told(left);
    while left > 0 {
        if let Some(_lock) = take_lock(&spool) {
            let mut flush = Flush::new(&spool, destination);
            let before = flush.position.delivered;
            while flush.step()? != Step::Nothing {
                told(left.saturating_sub(flush.position.delivered - before));
            }
        } else {
            // Another one is at it, perhaps at rest.
            let _ = fs::write(wake_mark(&spool), "");
            sleep(LOOK);
            // What it tried before says nothing of how the server is now.
            if let Some(failure) = Position::load(&spool).last_failure.filter(|failure| clock::read(&failure.at) > Some(began)) {
                return Err(Failure::Away(failure.reason));
            }
        }
        left = spool.waiting().records;
        told(left);
    }
    Ok(())
}

fn work(spool: &Spool, destination: &str) {
    let mut flush = Flush::new(spool, destination);
    let (mut pause, mut last_success, mut last_new) = (FIRST_PAUSE, Instant::now(), Instant::now());
    while spool.folder.exists() {
        match flush.step() {
            Ok(Step::Sent { full }) => {
                (pause, last_success, last_new) = (FIRST_PAUSE, Instant::now(), Instant::now());
                // What comes meanwhile goes together: an agent's key has a rate limit, and the agent needs it too.
                if !full {
                    sleep(GATHER);
                }
            }
            Ok(Step::Tidied) => {}
            Ok(Step::Nothing) if last_new.elapsed() > LINGER => return,
            Ok(Step::Nothing) => {
                last_success = Instant::now();
                sleep(LOOK);
            }
            Err(_) if last_success.elapsed() > GIVE_UP => return,
            Err(failure) => {
                let asked = match failure {
                    Failure::Refused(problem) => problem.retry_after.map(Duration::from_secs),
                    _ => None,
                };
                flush.rest(asked.unwrap_or(pause).min(LONGEST_PAUSE));
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

struct Flush<'a> {
    spool: &'a Spool,
    destination: &'a str,
    position: Position,
    limit: u64,
    delivery: Option<Delivery>,
}

#[derive(PartialEq)]
enum Step {
    Nothing,
    Sent {
        full: bool,
    },
    /// A segment was at its end.
    Tidied,
}

impl<'a> Flush<'a> {
    fn new(spool: &'a Spool, destination: &'a str) -> Self {
        let stored = profiles::open(destination).ok().and_then(|profile| profile.spool_mb);
        Self { spool, destination, position: Position::load(spool), limit: spool::limit(stored), delivery: None }
    }

    /// At most one batch.
    fn step(&mut self) -> Result<Step, Failure> {
        let at = clock::stamp();
        let done = self.try_step();
        if let Err(failure) = &done {
            self.delivery = None;
            self.position.last_failure = Some(LastFailure { at, reason: failure.short() });
            let _ = self.position.store(self.spool);
        }
        done
    }

    fn try_step(&mut self) -> Result<Step, Failure> {
        let file = |wrong: io::Error| Failure::file("use", &self.spool.folder, &wrong);
        self.keep_house().map_err(file)?;
        let Some(segment) = self.spool.segments().into_iter().next() else { return Ok(Step::Nothing) };
        if segment.number != self.position.segment {
            (self.position.segment, self.position.offset) = (segment.number, 0);
        }
        let (records, end) = segment.records(self.position.offset, BATCH, BATCH_BYTES).map_err(file)?;
        if records.is_empty() {
            segment.remove_if_done(self.position.offset).map_err(file)?;
            return Ok(Step::Tidied);
        }
        let count = records.len();
        let delivery = match &mut self.delivery {
            Some(delivery) => delivery,
            none => {
                none.insert(Delivery::new(self.spool.clone(), self.destination, Server::new(&profiles::open(self.destination)?, PATIENCE)?))
            }
        };
        let over = delivery.send(records)?;
        self.position.offset = end;
        self.position.delivered += count as u64;
        self.position.delivered_at = Some(clock::stamp());
        self.position.last_failure = None;
        self.position.store(self.spool).map_err(file)?;
        delivery.forget(&over);
        Ok(Step::Sent { full: count == BATCH })
    }

    fn keep_house(&mut self) -> io::Result<()> {
        self.spool.rotate(&self.position, self.limit)?;
        spool::hold(self.spool, &mut self.position, self.limit)
    }

    /// Sleeps, but not past the end of its folder, nor when somebody waits; the bound holds meanwhile too.
    fn rest(&mut self, pause: Duration) {
        let until = Instant::now() + pause;
        while Instant::now() < until && self.spool.folder.exists() && fs::remove_file(wake_mark(self.spool)).is_err() {
            let _ = self.keep_house();
            sleep(LOOK);
        }
    }
}

/// None if another flush has it. Hooks hold it shared for an instant.
fn take_lock(spool: &Spool) -> Option<File> {
    let lock = spool.lock_file().ok()?;
    for _ in 0..20 {
        if lock.try_lock().is_ok() {
            return Some(lock);
        }
        sleep(Duration::from_millis(10));
    }
    None
}

fn gave_up(spool: &Spool) -> bool {
    Position::load(spool).last_failure.is_some()
}

fn wake_mark(spool: &Spool) -> PathBuf {
    spool.folder.join("wake")
}
