//! The bound on disk: first the oldest results are thinned, then the oldest records go; both are counted and said.

use super::{Event, Position, Record, Segment, Spool, What, append};
use crate::places;
use std::{
    fs::{self, File},
    io,
};

/// What thinning leaves of a result.
const THIN: usize = 512;

/// Brings what waits back under the limit. Only the flush calls this: it holds the lock.
pub fn hold(spool: &Spool, position: &mut Position, limit: u64) -> io::Result<()> {
    if size(spool) <= limit {
        return Ok(());
    }
    for segment in spool.segments() {
        if segment.number > position.thinned_through {
            rewrite(spool, position, &segment, thin)?;
            position.thinned_through = segment.number;
        }
        if size(spool) <= limit {
            return Ok(());
        }
    }
    let mut excess = size(spool).saturating_sub(limit / 10 * 9);
    let (mut dropped, mut last) = (0, None);
    for segment in spool.segments() {
        if excess == 0 {
            break;
        }
        rewrite(spool, position, &segment, |records, _| {
            let keep = records.iter().position(|record| {
                let fits = excess == 0;
                excess = excess.saturating_sub(record.line().map_or(0, |line| line.len() as u64));
                fits
            });
            let gone = records.drain(..keep.unwrap_or(records.len()));
            for record in gone {
                dropped += 1;
                last = Some(record);
            }
        })?;
    }
    position.dropped += dropped;
    position.store(spool)?;
    if let Some(Record { origin, .. }) = last {
        let text = format!("{dropped} records were dropped: the spool was full ({} MB) and the server away.", limit >> 20);
        let note = Event { r#type: "note".to_owned(), text: Some(text), ..Event::default() };
        let _ = append(spool, &[Record::new(origin, What::Event(Box::new(note)))]);
    }
    Ok(())
}

fn size(spool: &Spool) -> u64 {
    let current = fs::metadata(spool.current()).map_or(0, |found| found.len());
    spool.segments().iter().map(|segment| segment.bytes).sum::<u64>() + current
}

fn thin(records: &mut Vec<Record>, position: &mut Position) {
    for record in records {
        if let What::Event(event) = &mut record.what
            && thin_event(event)
        {
            position.thinned += 1;
        }
    }
}

/// The segment again, without what is delivered and with its records changed.
fn rewrite(
    spool: &Spool,
    position: &mut Position,
    segment: &Segment,
    mut change: impl FnMut(&mut Vec<Record>, &mut Position),
) -> io::Result<()> {
    let file = File::open(&segment.path)?;
    file.lock()?;
    let from = if segment.number == position.segment { position.offset } else { 0 };
    let (mut records, _) = segment.records(from, usize::MAX, u64::MAX)?;
    change(&mut records, position);
    let lines: Vec<u8> = records.iter().filter_map(Record::line).flatten().collect();
    // The position first: a crash in between delivers again what is known by its id, and never skips.
    if segment.number == position.segment {
        position.offset = 0;
    }
    position.store(spool)?;
    places::replace(&segment.path, &lines)
}

fn thin_event(event: &mut Event) -> bool {
    let large_input = event.input.as_ref().is_some_and(|input| input.to_string().len() > THIN * 2);
    if large_input {
        event.input = None;
    }
    let Some(output) = event.output.as_ref().filter(|output| output.len() > THIN * 2) else { return large_input };
    let (head, tail) = (output.floor_char_boundary(THIN / 2), output.ceil_char_boundary(output.len() - THIN / 2));
    event.output_length.get_or_insert(output.len() as u64);
    event.output = Some(format!("{}\n[… thinned: the spool was full …]\n{}", &output[..head], &output[tail..]));
    true
}
