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

    pub fn at(&mut self, done: u64) {
        match &self.bar {
            Some(bar) => bar.set_position(done),
            None if self.last_line.elapsed() > EVERY => {
                eprintln!("{}: {done} of {}", self.what, self.total);
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
