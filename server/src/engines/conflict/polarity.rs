//! Which words of a text stand under a denial: "never retry", "is switched off", "instead of floats". Two denials make none.

use super::{
    denials, lexicon,
    text::{Role, Word},
};

/// Mark every word with whether it is denied and whether it only gives a reason.
pub fn mark(words: &mut [Word]) {
    let mut start = 0;
    let mut because = None;
    while start < words.len() {
        let clause = words[start].clause;
        let end = words[start..].iter().position(|word| word.clause != clause).map_or(words.len(), |length| start + length);
        if lexicon::gives_reason(&words[start].low) {
            because = Some(words[start].sentence);
        }
        let mut until = false;
        for word in &mut words[start..end] {
            // What holds until something happens does not claim that it happens.
            until |= matches!(word.low.as_str(), "until" | "till" | "bis" | "hasta");
            word.reason = until || because == Some(word.sentence);
        }
        // "deleted after 30 days" is how long it is kept, not that it is not.
        let kept_until = words.get(end).is_some_and(|word| matches!(word.low.as_str(), "after" | "nach" | "apres"))
            && words.get(end + 1).is_some_and(|word| word.role == Role::Number);
        // "not before it is signed": it is done after that.
        let waits = words.get(end).is_some_and(|word| {
            word.sentence == words[start].sentence && matches!(word.low.as_str(), "until" | "unless" | "bis" | "hasta")
        });
        // "nothing without a flag": both together say that all have one.
        if !kept_until && !waits && !is_all_by_denial(&words[start..end]) {
            deny(&mut words[start..end]);
        }
        start = end;
    }
}

fn is_all_by_denial(clause: &[Word]) -> bool {
    let without = |word: &&Word| matches!(word.low.as_str(), "without" | "ohne" | "sans" | "sin" | "un-");
    clause.iter().any(|word| without(&word)) && clause.iter().any(|word| denials::is_denial(&word.low) && !without(&word))
}

fn deny(clause: &mut [Word]) {
    for at in 0..clause.len() {
        if clause[at].part && clause[at].role != Role::Stop {
            continue;
        }
        let low = clause[at].low.clone();
        let next = clause.get(at + 1).map(|word| word.low.clone()).unwrap_or_default();
        let turned_off = low == "off" && at > 0 && is_turning(&clause[at - 1].low) && !next.is_empty();
        if denials::is_denial(&low) {
            if !denials::is_harmless_before(&next) {
                by_denial(clause, at, &low);
            }
        } else if turned_off || matches!(low.as_str(), "instead" | "rather" | "statt" | "anstatt" | "lieu" | "lugar") {
            flip(&mut clause[at + 1..]);
        } else if denials::is_state(&low) {
            by_state(clause, at, &low, &next);
        } else if denials::is_act(&low) && !follows_article(clause, at) {
            flip(&mut clause[at + 1..]);
        }
    }
}

fn by_denial(clause: &mut [Word], at: usize, low: &str) {
    let (before, after) = clause.split_at_mut(at);
    let after = &mut after[1..];
    // "changes nothing", "is not allowed", "has no effect", "no longer": the subject goes with it.
    let bare = !after.iter().any(|word| word.role != Role::Stop);
    let verbs = after.iter().filter(|word| word.low != "be" && word.low != "been");
    if bare || verbs.take(2).any(|word| denials::is_existence(&word.low)) {
        flip(before);
    } else {
        for word in before.iter_mut() {
            word.unsure = true;
        }
        // "load nothing": the verb goes with its object.
        if let Some(verb) = before.last_mut().filter(|_| matches!(low, "nothing" | "nichts" | "rien" | "nada")) {
            verb.denied = !verb.denied;
        }
    }
    flip(after);
}

fn by_state(clause: &mut [Word], at: usize, low: &str, next: &str) {
    let being = clause[at.saturating_sub(3)..at].iter().any(|word| denials::is_being(&word.low));
    let last = !clause[at + 1..].iter().any(|word| word.role != Role::Stop) || matches!(next, "by" | "in" | "for" | "from" | "since");
    // "we dropped it", "dropped it": done by somebody, to what follows.
    let done = at == 0 || matches!(clause[at - 1].low.as_str(), "we" | "they" | "i" | "wir" | "on" | "nous");
    if being || (last && low != "out") {
        flip(&mut clause[..at]);
    } else if done || denials::is_act(low) {
        flip(&mut clause[at + 1..]);
    }
}

/// "turn off strict": the thing comes after.
fn is_turning(low: &str) -> bool {
    matches!(low, "turn" | "turns" | "turning" | "switch" | "switches" | "switching" | "shut" | "shuts")
}

/// "the block", "a stop": a thing, not an act.
fn follows_article(clause: &[Word], at: usize) -> bool {
    at > 0 && matches!(clause[at - 1].low.as_str(), "the" | "a" | "an" | "each" | "every" | "this" | "per" | "of" | "in")
}

fn flip(words: &mut [Word]) {
    for word in words {
        word.denied = !word.denied;
    }
}
