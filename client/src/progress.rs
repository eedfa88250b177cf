//! Long work: a bar on a terminal, a plain line now and then elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::{
    io::{IsTerminal, stderr},
    time::{Duration, Instant},
};

/// Between two plain lines.
const EVERY: Duration = Duration::from_secs(2);

pub struct Progress {
    what: &'static str,
    total: u64,
    bar: Option<ProgressBar>,
    last_line: Instant,
}

impl Progress {
    pub fn new(what: &'static str, total: u64) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total);
            let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len}, {eta} left");
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.with_message(what)
        });
        Self { what, total, bar, last_line: Instant::now() }
    }

    /// Nobody knows how much there is; it is bytes that come.
    pub fn open_ended(what: &'static str) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{msg} {spinner} {bytes}, {bytes_per_sec}") {
                bar.set_style(style);
            }
            bar.with_message(what)
        });
        Self { what, total: 0, bar, last_line: Instant::now() }
    }

    /// Something to say in between.
    pub fn interrupt(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    pub fn at(&mut self, done: u64) {
        match &self.bar {
            Some(bar) => bar.set_position(done),
            None if self.last_line.elapsed() > EVERY => {
                match self.total {
                    0 => eprintln!("{}: {done}", self.what),
                    total => eprintln!("{}: {done} of {total}", self.what),
                }
                self.last_line = Instant::now();
            }
            None => {}
        }
    }

    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
