//! Bytes into a syntax tree, on a thread that keeps its parsers, within a time.

use super::{Language, Passed};
use nix::time::{ClockId, clock_gettime};
use std::{cell::RefCell, collections::HashMap, ops::ControlFlow, time::Duration};
use tree_sitter::{ParseOptions, Parser, Tree};

/// Of the processor's time, so that a busy machine finds what an idle one finds. A file of the largest size takes a second
/// or two; what takes longer was made to.
const LONGEST: Duration = Duration::from_secs(10);

thread_local! {
    static PARSERS: RefCell<HashMap<Language, Parser>> = RefCell::new(HashMap::new());
}

pub fn parse(language: Language, text: &str) -> Result<Tree, Passed> {
    PARSERS.with_borrow_mut(|parsers| {
        let parser = parsers.entry(language).or_insert_with(|| {
            let mut parser = Parser::new();
            // A grammar that this library cannot read finds nothing; the tests would have said so.
            let _ = parser.set_language(&language.grammar());
            parser
        });
        let began = worked();
        let mut in_time = |_: &_| if worked().saturating_sub(began) > LONGEST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let options = ParseOptions::new().progress_callback(&mut in_time);
        let bytes = text.as_bytes();
        let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
        tree.ok_or_else(|| {
            parser.reset();
            Passed::TooSlow
        })
    })
}

/// How long this thread has had the processor.
fn worked() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}
