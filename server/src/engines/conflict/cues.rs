//! Words by which a text says that something changed or is gone, holds for all or only for some, is an exception, or is past. Data, and where it stands.

use super::text::{Reading, Word};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cue {
    Gone,
    Moved,
    Now,
    /// It holds for all.
    Wide,
    /// There is no other.
    Sole,
    /// It may not stay so.
    Yet,
    Exception,
    /// It speaks of something else as well.
    Besides,
    /// It leaves the other as it is.
    Kept,
    /// It was thought of, not done.
    Idea,
    /// It warns, it does not stop.
    Alert,
    Past,
}

/// Phrases are told apart by semicolons.
const GONE: &str = "no longer; any more; anymore; gone; retired; decommissioned; shut down; switched off; turned off; removed; deleted; dropped; \
    discontinued; sunset; abandoned; wiped; emptied; terminated; dead; former; formerly; previously; used to; taken out; \
    dissolved; stopped; cancelled; canceled; revoked; obsolete; deprecated; scrapped; disbanded; archived; uninstalled; \
    torn down; thrown out; ripped out; phased out; nothing remains; is history; was history; stepped down; has left; \
    lease ended; contract ended; is empty; was emptied; going away; goes away; went away; holds nothing; lost that; won't be; \
    nothing reads; goes unused; unused; doesn't exist; out of use; returns 404; gets 404; no more; nobody uses; nicht mehr; \
    keine mehr; nur noch; abgeschaltet; abgelost; ersetzt; eingestellt; ne plus; supprime; ya no; reemplazado; entfernt; lapsed; \
    lapse; abolished; given up; gave up; got rid; rid of; ditched; died; recycled; pulled out; ran out; has expired; was closed; \
    were closed; is closed; closed down; passe plus; plus valable; resilie; ya no es; quit; wound down; not used any; \
    out of service; thrown away; sold off";
const MOVED: &str = "moved; relocated; migrated; switched; changed; replaced; replaces; replacing; upgraded; bumped; raised; lowered; reduced; \
    increased; shortened; extended; postponed; delayed; slipped; pushed; brought forward; took over; taken over; takes over; \
    handed over; hands over; instead; rather than; went from; rewritten; rewrote; ported; renamed; rolled back; reverted; \
    downgraded; doubled; halved; tripled; swapped; superseded; supersedes; taken from; transferred; converted; became; promoted; \
    earlier than; later than; up from; down from; tightened; loosened; relaxed; lifted; reversed; dropped from; consolidated; \
    redesigned; reworked; umgezogen; umgestellt; gewechselt; passe en; passe a; migre; cambio; cambiado; went down; went up; \
    went back; gone back; downgrade; rebuilt; turns out; turned out; actually; in fact; after all; not true; outdated; \
    out of date; contrary; correction; corrected; mistaken; not what; former value; old value; new rule; new policy; \
    pulled forward; moved up; since then; no longer; from now; scaled down; scaled up; shrunk; shrank; grew; expanded; \
    decided to; decided that; agreed to; we agreed; switched to; switched from; swap; nur noch; statt; a partir de; ab jetzt; \
    neu ist; cambiamos; pasamos; passons; passe desormais";
const NOW: &str = "now; from now on; as of; since; these days; nowadays; currently; today; meanwhile; finally; by now; in force; recently; at last; \
    until further notice; this year; for good; starting; effective; going forward; henceforth; seit; \
    jetzt; ab sofort; nunmehr; desormais; depuis; maintenant; ahora; desde; was fixed; has been fixed; lifted";
const WIDE: &str = "as well; too; included; including; everywhere; every; all; no exceptions; no exception; whatsoever; alike; always; never; \
    nothing; nobody; anyone; everyone; anywhere; any; each; only; solely; exclusively; generally; general; across the board; without \
    exception; no matter; regardless; alle; immer; nie; tous; toujours; jamais; todos; siempre; nunca";
const SOLE: &str = "no other; one and only; nothing else; nobody else; none of; no single; nothing but; there is only; only one; any longer; \
    not a single; whatsoever; no exceptions; no exception; everywhere; anywhere; across all; all of; whoever; whatever; regardless; no matter";
const YET: &str = "still; yet; for now; so far; for the moment; currently; at the moment; until; pending; planned; will be; stay on; stays on; \
    we stay; stick with; not before; temporarily; experimental; beta; pilot; noch; vorerst; pour l'instant";
const EXCEPTION: &str = "exception; exceptions; except; excepted; exempt; exempted; exemption; carve-out; carve out; waiver; apart from; other than; one \
    place; only place; only case; that case; this case; special case; override; overrides; overridden; individually; one-off; \
    temporarily; temporary; for the duration; covers for; cover for; vacation cover; stands in; deputy; on leave; parental leave; \
    while she; while he; outside of; in an emergency; emergency; if necessary; case by case; with permission; pilot; trial; \
    ausnahme; ausser; sauf; salvo";
const BESIDES: &str = "separate; separately; nothing to do; unrelated; not affected; unaffected; independent; independently; different; whereas; \
    unlike; also; additionally; in addition; on top; besides; another; extra; their own; its own; left alone; stays as; \
    as before; legacy; unchanged; likewise; zusatzlich; ademas; weiterhin";
const KEPT: &str = "left alone; was left; were left; not touched; untouched; nothing changes; not affected; unaffected; stays as; \
    remains as; unchanged; still holds; still valid; nothing to do; not changed; not change; not bound; \
    keeps its; keep their; nothing changed; no change; bleibt; bleiben; unberuhrt; unverandert; inchange; sin cambios";
const IDEA: &str = "looked at; looking at; considered; considering; not now; proposal; proposed; proposes; suggested; suggests; idea; ideas; \
    decided against; turned down; maybe; might; evaluated; evaluating; evaluation; thinking about; would like; history; \
    until then; why not; lost to; compared; comparison; discussed; debated; perhaps; vielleicht; idee; peut-etre";
const ALERT: &str = "alert; alerts; alerting; warning; warnings; warn; warns; warned; notify; notified; notification; alarm; alarms; page; pages; \
    informational; info; reminder; remind; soft limit";
const PAST: &str = "used to; formerly; former; previously; originally; back then; at the time; in the past; last year; last week; last month; \
    yesterday; until last; years ago; months ago; weeks ago; ago; it's over; is over; was over; in those days; at first; \
    initially; once was; historically; fruher; damals; autrefois; antes";

static CUES: LazyLock<FxHashMap<&'static str, Vec<Cue>>> = LazyLock::new(|| {
    let lists = [
        (GONE, Cue::Gone),
        (MOVED, Cue::Moved),
        (NOW, Cue::Now),
        (WIDE, Cue::Wide),
        (SOLE, Cue::Sole),
        (YET, Cue::Yet),
        (EXCEPTION, Cue::Exception),
        (BESIDES, Cue::Besides),
        (KEPT, Cue::Kept),
        (IDEA, Cue::Idea),
        (ALERT, Cue::Alert),
        (PAST, Cue::Past),
    ];
    let mut cues: FxHashMap<&'static str, Vec<Cue>> = FxHashMap::default();
    for (phrase, cue) in lists.into_iter().flat_map(|(list, cue)| list.split(';').map(move |phrase| (phrase.trim(), cue))) {
        cues.entry(phrase).or_default().push(cue);
    }
    cues
});

/// Words of the longest phrase.
const LONGEST: usize = 3;

/// What a text says of change and scope.
#[derive(Default, Debug)]
pub struct Cues {
    said: Vec<Cue>,
    /// The clauses in which something is said to be gone.
    pub gone: Vec<usize>,
    /// It tells what was, not what is.
    pub history: bool,
    /// It tells how something came about.
    pub story: bool,
}

impl Cues {
    pub fn of(reading: &Reading) -> Self {
        let words = &reading.words;
        let mut cues = Self::default();
        let mut phrase = String::new();
        for (at, word) in words.iter().enumerate() {
            phrase.clear();
            for next in words[at..].iter().take(LONGEST).take_while(|next| next.sentence == word.sentence) {
                if !phrase.is_empty() {
                    phrase.push(' ');
                }
                phrase.push_str(&next.low);
                for cue in CUES.get(phrase.as_str()).into_iter().flatten() {
                    cues.add(*cue, word);
                }
            }
        }
        let any = |low: &[&str]| words.iter().any(|word| low.contains(&word.low.as_str()));
        let was = any(&["was", "were", "had", "took", "ran", "did"]);
        let past = cues.has(Cue::Past) || is_until_year(words);
        let headed = words.iter().take(reading.title).any(|word| matches!(word.low.as_str(), "old" | "former" | "previous"));
        cues.history = (past && was) || headed;
        cues.story = was && any(&["because", "since", "due", "caused", "cause"]);
        cues
    }

    fn add(&mut self, cue: Cue, word: &Word) {
        // "No exceptions" is none.
        if cue == Cue::Exception && word.denied && word.low.starts_with("excep") {
            return;
        }
        if cue == Cue::Gone {
            self.gone.push(word.clause);
        }
        if !self.has(cue) {
            self.said.push(cue);
        }
    }

    pub fn has(&self, cue: Cue) -> bool {
        self.said.contains(&cue)
    }

    /// How much speaks of a change: gone, moved, now.
    pub fn changes(&self) -> f32 {
        let said: u8 = [Cue::Gone, Cue::Moved, Cue::Now].into_iter().map(|cue| u8::from(self.has(cue))).sum();
        f32::from(said.min(2))
    }
}

pub fn is_cue(low: &str) -> bool {
    CUES.contains_key(low)
}

/// Verbs of change, by which "from 3 to 5" gives up the 3.
pub fn is_move(low: &str) -> bool {
    CUES.get(low).is_some_and(|cues| cues.contains(&Cue::Moved)) || matches!(low, "went" | "goes" | "go")
}

/// "until 2022".
fn is_until_year(words: &[Word]) -> bool {
    let is_year = |low: &str| low.parse().is_ok_and(|year: u32| (1990..2100).contains(&year));
    words.windows(2).any(|two| two[0].low == "until" && is_year(&two[1].low))
}
