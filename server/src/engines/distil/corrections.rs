//! What a person said about how work is to be done, as it was said.

use super::{
    Finding, FindingKind,
    log::{Act, Log},
    text::{self, each},
};
use crate::model::Kind;

/// Of a very long prompt the beginning is read: the rest was pasted.
const READ: usize = 8 * 1024;
const LONGEST: usize = 400;

/// Openings of a correction, how sure each makes it, and whether it counts in the prompt that sets the task.
const OPENINGS: &[(f32, bool, &str)] = &[
    (
        0.8,
        true,
        "always|never|please always|please never|remember that|remember to always|remember to never|remember we|remember never|\
         remember always|from now on|in future|in the future|going forward|keep in mind that|for future reference|\
         for next time|next time|as a rule|we always|we never|you must always|you must never|you should always|\
         you should never|make sure you always|make sure to always|make sure you never|i always want|i never want|\
         i want you to always|bitte immer|bitte nie|bitte niemals|immer|niemals|nie|merk dir|merke dir|ab jetzt|in zukunft|\
         wir verwenden|wir nutzen|wir benutzen",
    ),
    (0.7, false, "quit adding|hör auf|i told you|i already told you|i said|as i said|like i said"),
    (
        0.65,
        false,
        "no use|no don't|no do not|no never|no always|no we use|no we don't|no please use|no you should|no you must|\
         no it should|no that's not|no that is not|no i want|no i prefer|no not|nope use|wrong use|that's wrong use|\
         actually use|actually we use|i prefer|i'd prefer|i would prefer|we don't|we do not|nein nimm|nein verwende|\
         nein benutze|nein nutze|nein wir",
    ),
    (
        0.55,
        false,
        "don't|do not|please don't|please do not|you must not|you should not|you shouldn't|avoid|please avoid|and don't|\
         also don't|bitte nicht|bitte kein|bitte keine|verwende nicht|verwende keine|nicht mehr",
    ),
];

/// "Stop doing …".
const STOPPED: f32 = 0.7;
/// Before a correction, without changing it.
const LEADING: &str = "and|also|but|so|ok|okay|well|hey|btw|oh|yes|ah|please note that|one more thing|again";
/// Prompts that no person typed.
const MADE: &str = "This session is being continued|Caveat: The messages below|[Request interrupted";

/// Words inside a sentence that make it a rule whatever it begins with.
const INSIDE: &[(f32, &str)] = &[(
    0.7,
    "must always|must never|should always|should never|is never to|are never to|has to always|always has to|always have to|never ever",
)];

/// "We use X, not Y": how it begins, and what must follow.
const CHOICES: &str = "we use|we're using|we are using|use|please use|it's|in this repo we use|in this project we use|here we use|\
    this repo uses|this project uses";
const AGAINST: &str = "not|instead of|rather than|instead|never|nicht|statt|over";

/// What sounds like a correction and is none.
const NONE: &str = "never mind|nevermind|don't worry|do not worry|don't bother|don't know|do not know|don't think|don't understand|\
    do not understand|don't see|don't have|do not have|don't get|don't care|don't mind|don't remember|don't want to bother|\
    don't forget|do not forget|do not hesitate|don't hesitate|don't you|never seen|never saw|never heard|never got|never had|\
    never works|never worked|never finishes|never happened|never ran|never returns|always fails|always failing|always failed|\
    always the same|always gets|always returns|always shows|always breaks|always crashes|always was|always been|we don't know|\
    we don't have|we do not have|we don't need|no use in|no use of|no use for|i said that|next time we|avoid that for";
/// Said for the moment, not for good.
const FOR_NOW: &str =
    "yet|for now|right now|this time|today|at the moment|just now|for the moment|so far|until i|tonight|noch nicht|erstmal|heute";
/// Words without which a short order says nothing by itself.
const POINTING: &str = " do that this it them these those so don't not never please always stop no again use anymore ";

const LIKING: &str = "i prefer|i'd prefer|i would prefer|i want|i like|i always want|i never want";

/// Words of work: what is said with them is how work is done, not what a person likes.
const WORK: &str = "run|test|tests|commit|commits|committing|deploy|build|migrate|migration|migrations|branch|branches|pr|push|lint|\
    format|release|review|merge|rebase|use|using|verwende|verwenden|nutzen|nutze|install|pnpm|npm|yarn|make|cargo|docker|script|schema|\
    database|db|staging|production|config|file|files|folder|generated|import|imports|dependency|dependencies|version";

pub fn findings(log: &Log) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut first = true;
    for (at, step) in log.steps.iter().enumerate() {
        let Act::Prompt(said) = step.act else { continue };
        if is_made(said) {
            continue;
        }
        for sentence in text::sentences(&spoken(said)) {
            if let Some(weight) = judged(sentence, first) {
                found.push(finding(log, at, sentence, weight));
            }
        }
        first = false;
    }
    found
}

/// Whether a tool wrote the prompt.
pub fn is_made(prompt: &str) -> bool {
    each(MADE).any(|start| prompt.trim_start().starts_with(start))
}

/// What a person wrote: without code, quotes and what tools put into a prompt.
fn spoken(prompt: &str) -> String {
    let mut kept = String::new();
    let mut inside: Option<String> = None;
    for line in prompt[..prompt.floor_char_boundary(READ)].lines() {
        let bare = line.trim();
        if let Some(end) = &inside {
            if bare.contains(end.as_str()) {
                inside = None;
            }
        } else if bare.starts_with("```") || bare.starts_with("~~~") {
            inside = Some(bare[..3].to_owned());
        } else if let Some(tag) =
            bare.strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(tag, _)| tag).filter(|tag| !tag.contains(' '))
        {
            inside = Some(format!("</{tag}>")).filter(|end| !bare.contains(end.as_str()));
        } else if !(bare.starts_with(['>', '|', '$', '#', '"', '“', '„']) || line.starts_with("    ") || line.starts_with('\t')) {
            kept.push_str(bare.trim_start_matches(['-', '*', '•', ' ']));
            kept.push('\n');
        }
    }
    kept
}

/// How sure it is that a sentence corrects, if it does.
fn judged(sentence: &str, sets_task: bool) -> Option<f32> {
    let said = led_in(text::spaced(sentence));
    let words = said.split_whitespace().count();
    let speaks = (3..=60).contains(&words) && sentence.len() <= LONGEST && !sentence.ends_with(['?', ':']) && !sentence.starts_with('`');
    let pointing = words <= 5 && said.split_whitespace().all(|word| POINTING.contains(&format!(" {word} ")));
    if !speaks || pointing || each(NONE).chain(each(FOR_NOW)).any(|phrase| text::says(&said, phrase)) {
        return None;
    }
    let stops =
        said.strip_prefix(" stop ").and_then(|rest| rest.split(' ').next()).is_some_and(|verb| verb.len() > 4 && verb.ends_with("ing"));
    if stops && !sets_task {
        return Some(STOPPED);
    }
    let opened = OPENINGS.iter().find(|(_, task, list)| (*task || !sets_task) && each(list).any(|phrase| text::begins(&said, phrase)));
    let inside = || INSIDE.iter().find(|(_, list)| each(list).any(|phrase| text::says(&said, phrase)));
    let choice = || {
        let by_choice = each(CHOICES)
            .find(|phrase| text::begins(&said, phrase))
            .is_some_and(|phrase| each(AGAINST).any(|against| text::says(&said[phrase.len()..], against)));
        (by_choice && !sets_task).then_some(0.65)
    };
    opened.map(|(weight, _, _)| *weight).or_else(|| inside().map(|(weight, _)| *weight)).or_else(choice)
}

/// Without the words that only lead in: "and", "ok", "please note that".
fn led_in(mut said: String) -> String {
    while let Some(filling) = each(LEADING).find(|word| text::begins(&said, word)) {
        said.drain(..=filling.len());
    }
    said
}

fn finding(log: &Log, at: usize, sentence: &str, weight: f32) -> Finding {
    let said = text::spaced(sentence);
    let works = said.split_whitespace().any(|word| each(WORK).any(|work| work == word)) || sentence.contains('`');
    let likes = each(LIKING).any(|phrase| text::says(&said, phrase));
    // "No" answers something: without it the sentence may say nothing.
    let after =
        if text::begins(&said, "no") || text::begins(&said, "nein") || text::begins(&said, "actually") { context(log, at) } else { None };
    let content = after.as_ref().map_or_else(|| sentence.to_owned(), |(_, after)| format!("{sentence}\n(Said after {after}.)"));
    let evidence = after.iter().map(|(id, _)| id.clone()).chain([log.steps[at].id.to_owned()]).collect();
    Finding {
        key: format!("correction:{}", same(&said)),
        what: FindingKind::Correction,
        kind: if works && !likes { Kind::Procedure } else { Kind::Preference },
        title: text::clipped(sentence, 90),
        content,
        evidence,
        weight,
        personal: true,
    }
}

/// What was done right before a person spoke.
fn context(log: &Log, at: usize) -> Option<(String, String)> {
    let step = log.steps[..at]
        .iter()
        .rev()
        .take_while(|step| !matches!(step.act, Act::Prompt(_)))
        .find(|step| matches!(step.act, Act::Command(_) | Act::Edit(_)))?;
    let what = match step.act {
        Act::Command(index) => format!("`{}`", log.commands.get(index)?.shown),
        Act::Edit(file) => format!("a change of {}", log.files[file]),
        _ => return None,
    };
    Some((step.id.to_owned(), what))
}

/// The words that carry it, so that politeness makes no second finding.
fn same(said: &str) -> String {
    const FILLING: &str = " no nope please nein bitte and also actually just the a an to you that ";
    let kept: Vec<&str> = said.split_whitespace().filter(|word| !FILLING.contains(&format!(" {word} "))).collect();
    text::clipped(&kept.join(" "), 100).trim_end_matches('…').to_owned()
}
