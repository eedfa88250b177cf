//! What a sentence without any mark says, by its words.

use super::{Class, words};
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// Phrases at the start of a sentence, in the order in which they are tried.
const STARTS: &[(Class, &str)] = &[
    (
        Class::Next,
        "next i will, next i'll, next we will, next we'll, next we need to, next i need to, next is, next comes, the next step is, \
         next step is, the next thing is, next up is, next thing to do, then i will, after that i will, als nächstes",
    ),
    (
        Class::Pending,
        "remember to, don't forget to, need to, needs to, have to, should still, todo, left to do, not yet, waiting for, waiting on, \
         blocked by, blocked on",
    ),
    (
        Class::InProgress,
        "working on, currently, in the middle of, halfway through, half way through, in the process of, i am working, i'm working, \
         we are working, we're working, i was working, i was in the middle, started to, started on, i started, began, i am currently, \
         i'm currently, i am about, partially",
    ),
    (
        Class::Completed,
        "finished, completed, implemented, added, fixed, refactored, migrated, removed, deleted, renamed, updated, wrote, built, \
         created, merged, released, deployed, moved, replaced, extracted, converted, set up, wired, shipped, landed, cleaned up, \
         upgraded, bumped, rewrote, split, i finished, i completed, i implemented, i added, i fixed, i refactored, i wrote, i built, \
         i created, i moved, i replaced, i removed, i updated, i have finished, i've finished, i've added, i've implemented, \
         i've fixed, we finished, we completed, we implemented, we added, we fixed, we shipped, all tests pass, tests pass, \
         all tests are green",
    ),
    (
        Class::Decision,
        "decided, we decided, i decided, chose, i chose, we chose, i picked, we picked, we agreed, agreed, we settled, settled on, \
         opted, i opted, we opted, we will use, we'll use, we use, we will not, we won't, we are going with, we're going with, \
         going with, always, only use, we keep, we stay with, sticking with, i went with, we went with, let's use",
    ),
    (
        Class::Discovery,
        "found, i found, we found, discovered, i discovered, we discovered, learned, i learned, we learned, noticed, i noticed, \
         it turns out, turns out, it turned out, turned out, the cause, the root cause, the reason, the problem, the bug, the issue, \
         the error, note that, beware",
    ),
];

/// Phrases anywhere in a sentence, in the order in which they are tried.
const ANYWHERE: &[(Class, &str)] = &[
    (Class::Next, "next i will, next i'll, next step is, next step will be, next we will"),
    (
        Class::Decision,
        "we decided, i decided, was decided, it was agreed, we agreed, i chose, we chose, decision was, decided to, decided not, \
         decided against, decided on, opted for, must not, must never, must stay, must remain, may not be changed, should never, \
         shall not, is off limits, not be touched, do not touch, don't touch, do not change, don't change, do not edit, going forward, \
         from now on, instead of because, is non negotiable, entschieden",
    ),
    (
        Class::Discovery,
        "turned out, turns out, the cause was, the cause is, root cause, was caused by, is caused by, the reason was, because of a bug, \
         found that, found out, discovered that, learned that, noticed that, realised that, realized that, it appears that, the culprit",
    ),
    (
        Class::Pending,
        "still need, still needs, still have to, still has to, still to do, still missing, still open, still fails, still failing, \
         remains to be, remain to be, not done yet, not yet, isn't done, is not done, left to do, is left, are left, needs to be, \
         need to be, has to be, have to be, to be done, yet to be, should be added, hasn't been, haven't been, haven't yet, \
         will need to, noch offen, fehlt noch, muss noch, müssen noch",
    ),
    (Class::InProgress, "working on, in progress, halfway, half done, partially done, partway, is underway, i was about to"),
    (
        Class::Completed,
        "is done, are done, is finished, are finished, is complete, are complete, is fixed, has been fixed, have been fixed, \
         has been added, have been added, has been merged, was merged, has been implemented, has been migrated, is in place, is merged, \
         now works, now passes, now pass, is now working, ist fertig",
    ),
];

/// Sentences that speak to the reader and say nothing to know.
const IDLE: &str = "thanks, thank you, hello, hi, hey, great, ok, okay, sure, let me know, here is, here's, here are, below is, \
    this is a summary, this document, this file, this session is being, please continue, see above, see below, good luck, as discussed, \
    i hope, end of, the following, where things, continue the conversation, continue from, update this, last updated, feel free, \
    perfect, sounds good, got it, never mind, no worries, don't worry";

/// Words of which a statement has at least one.
const VERBS: &str = "is, are, was, were, be, been, isn't, aren't, wasn't, weren't, has, have, had, hasn't, does, doesn't, did, didn't, \
    do, don't, can, can't, cannot, could, couldn't, will, won't, would, wouldn't, must, may, should, shouldn't, needs, need, uses, use, \
    runs, fails, fail, failed, works, returns, expects, expect, requires, require, contains, contain, lives, live, holds, hold, takes, \
    take, sends, reads, read, writes, write, breaks, depends, depend, supports, ignores, ignore, starts, stops, keeps, keep, makes, \
    make, gives, means, exists, exist, handles, creates, create, throws, throw, panics, hangs, crashes, leaks, waits, costs, accepts, \
    rejects, lacks, overrides, shares, behaves, comes, goes, stays, lies, sits, belongs, differs, equals, causes, triggers, produces, \
    generates, compiles, passes, sorts, parses, ist, sind, hat, braucht, läuft, muss, kann, wird, talks, never, always, drops, gets, \
    sets, adds, shows, lets, asks, knows, wants";

/// Openings that go on with the sentence before.
const GOES_ON: &str = "because, this, that, these, it, they, so, otherwise, since, but, therefore, hence, which, and, reason, why, \
    rationale, the reason, that way, also, however, instead";

/// Phrases by their first word, with the place of their list.
type Phrases = HashMap<&'static str, Vec<(usize, Class, &'static str)>>;
static STARTING: LazyLock<Phrases> = LazyLock::new(|| phrases(STARTS));
static WITHIN: LazyLock<Phrases> = LazyLock::new(|| phrases(ANYWHERE));
static ACTING: LazyLock<HashSet<&str>> = LazyLock::new(|| VERBS.split(", ").collect());

/// Of a long sentence the beginning is read.
const READ: usize = 400;

fn phrases(lists: &'static [(Class, &'static str)]) -> Phrases {
    let mut phrases = Phrases::new();
    for (place, (class, list)) in lists.iter().enumerate() {
        for phrase in list.split(", ") {
            let first = phrase.split(' ').next().unwrap_or(phrase);
            phrases.entry(first).or_default().push((place, *class, phrase));
        }
    }
    phrases
}

pub fn class(sentence: &str) -> Option<Class> {
    let said = heard(sentence);
    if words::says(&said, "over") && words::says(&said, "because") && chooses(&said) {
        return Some(Class::Decision);
    }
    let starts = listed_at(&STARTING, &said);
    let anywhere = || said.match_indices(' ').filter_map(|(at, _)| listed_at(&WITHIN, &said[at..])).min_by_key(|(place, _)| *place);
    starts.or_else(anywhere).map(|(_, class)| class)
}

/// The first list with a phrase that stands right here.
fn listed_at(phrases: &Phrases, said: &str) -> Option<(usize, Class)> {
    let word = said.get(1..)?.split(' ').next()?;
    let fits = phrases.get(word)?.iter().filter(|(_, _, phrase)| words::begins(said, phrase));
    fits.map(|(place, class, _)| (*place, *class)).min_by_key(|(place, _)| *place)
}

fn chooses(said: &str) -> bool {
    ["chose", "choose", "picked", "prefer", "selected", "went with"].iter().any(|word| words::says(said, word))
}

/// Whether a sentence says something that can be known.
pub fn states(sentence: &str) -> bool {
    let said = heard(sentence);
    let mut count = 0;
    let mut verb = false;
    for word in said.split_whitespace() {
        count += 1;
        verb |= ACTING.contains(word) || (word.len() > 4 && word.ends_with("ed"));
        if count > 3 && verb {
            break;
        }
    }
    (verb || ended_with_verb(sentence, &said)) && count > 3 && is_plain(sentence, &said)
}

/// Whether a sentence can belong to a statement before it.
pub fn adds(sentence: &str) -> bool {
    let said = heard(sentence);
    said.split_whitespace().count() > 3 && is_plain(sentence, &said)
}

fn is_plain(sentence: &str, said: &str) -> bool {
    !sentence.trim_end().ends_with(['?', ':']) && !listed(IDLE, said)
}

/// A whole sentence with a word that may be a verb of the third person.
fn ended_with_verb(sentence: &str, said: &str) -> bool {
    let mut words = said.split_whitespace().skip(1);
    let third = |word: &str| word.len() > 4 && word.ends_with('s') && !word.ends_with("ss");
    sentence.ends_with('.') && said.split_whitespace().count() > 4 && words.any(third)
}

/// Whether a sentence cannot stand without the one before it.
pub fn goes_on(sentence: &str) -> bool {
    listed(GOES_ON, &heard(sentence))
}

/// Whether a bullet below "Progress" speaks of something that is behind.
pub fn is_past(text: &str) -> bool {
    let said = heard(text);
    let first = said.split_whitespace().next().unwrap_or("");
    first.len() > 4 && first.ends_with("ed") && first != "need"
}

fn listed(list: &str, said: &str) -> bool {
    list.split(", ").any(|phrase| words::begins(said, phrase))
}

fn heard(sentence: &str) -> String {
    words::spaced(&sentence[..sentence.floor_char_boundary(READ)])
}

/// The sentences of a paragraph: where each starts, and where it ends.
pub fn sentences(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut start, mut line) = (0, 0);
    let mut code = false;
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let next = signs.peek().map_or(' ', |(_, next)| *next);
        let end = at + sign.len_utf8();
        code ^= sign == '`';
        let ends = match sign {
            '.' | '!' | '?' => !code && next.is_whitespace() && !abbreviates(&text[start..end]) && begins_anew(&text[end..]),
            // A short line before a capital was ended by hand.
            '\n' if at - line < 12 => true,
            '\n' => at - line < 60 && begins_anew(&text[end..]) && !text[..at].ends_with([',', ';']),
            _ => false,
        };
        if sign == '\n' {
            line = end;
            code = false;
        }
        if ends {
            push(&mut found, text, start, end);
            start = end;
        }
    }
    push(&mut found, text, start, text.len());
    found
}

fn push<'a>(found: &mut Vec<(usize, &'a str)>, text: &'a str, start: usize, end: usize) {
    let piece = &text[start..end];
    let body = piece.trim_start();
    if !body.is_empty() {
        found.push((end - body.len(), body.trim_end()));
    }
}

fn begins_anew(rest: &str) -> bool {
    rest.trim_start().chars().next().is_none_or(|sign| !sign.is_lowercase())
}

fn abbreviates(sentence: &str) -> bool {
    let word = sentence.rsplit([' ', '(']).next().unwrap_or("");
    ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "no.", "z.b.", "incl."].iter().any(|short| word.eq_ignore_ascii_case(short))
}
