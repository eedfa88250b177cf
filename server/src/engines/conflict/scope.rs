//! Signs that two texts speak of different things after all: another place or time, an exception, the past.

use super::{
    denials::{Words, words},
    subject::Stances,
    synonyms,
    text::{self, Reading, Role, Word},
    units::weekday,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// Words that divide a subject, a line each: what holds for one of a line need not hold for another of it.
const SIBLINGS: &str = "\
android ios web desktop mobile tablet watch
windows linux macos
safari chrome firefox edge
debug release
staging production live local development demo sandbox preview test uat
client server backend frontend
sdk cli api ui
read write connect idle
online offline
unit integration e2e smoke visual load regression
customer internal employee partner reseller supplier contractor intern visitor applicant
guest company staff corporate
guest admin member
private business
free enterprise premium trial
v1 v2 v3 v4
new existing legacy
warning critical
warning page
self-serve invited
transactional marketing newsletter
upload download
import export
public private internal
command event query
hotfix regular emergency planned
weekday weekend
summer winter
interactive script batch
primary replica standby
start end duration length
name number email address
invoice order return refund quote credit
access refresh session
training inference serving evaluation
input output
source target destination
inbound outbound
incoming outgoing
sender recipient
front back
log database cache backup queue
raw mart
audit debug access
hot cold
cpu gpu memory disk
p1 p2 p3 p4
p50 p95 p99 median average
major minor patch
gmbh inc ltd ag llc
key ip
card invoice
express standard
domestic international abroad
national international
gross net
list discount
advertise connection
minimum maximum recommended typical
soft hard
front rear
indoor outdoor
left right
upper lower
junior senior
parent child
buyer seller
sale purchase
hire leave
header footer
truck van car bike
doctor nurse patient
driver dispatcher
teacher student pupil
printer scanner
laptop phone tablet
lan wifi vpn
spring autumn
designer developer tester
urgent normal
personal shared
adult minor
retail wholesale
fresh frozen
paper digital
entry exit
arrival departure
pickup delivery
parcel pallet letter
hardware software firmware
bootloader application
reader writer
producer consumer
publisher subscriber
leader follower
encoder decoder
transmit receive
credit debit
deposit withdrawal
startup shutdown
morning afternoon evening
lunch dinner breakfast
sev1 sev2 sev3 sev4
lab field
battery mains
alpha beta
success failure
authenticated anonymous
full incremental differential
trainee freelancer permanent
header body footer
row column
title description
src spec
spare active
heating cooling
upstream downstream
foreground background
";

/// The lines on which a word stands.
static LINES: LazyLock<FxHashMap<String, Vec<usize>>> = LazyLock::new(|| {
    let mut lines: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for (line, words) in SIBLINGS.lines().enumerate() {
        for stem in synonyms::stems(words) {
            lines.entry(stem).or_default().push(line);
        }
    }
    lines
});

/// Words of the new text that make it an exception, an addition or a matter of some cases only.
static EXCEPTIONS: Words = words(|| {
    "exempt except exception exceptions unless until still besides also although additionally temporarily during legacy emergency \
     emergencies elsewhere if considered freely ausser ausnahme zusatzlich wahrend sauf pendant outre excepto salvo ademas"
        .split_whitespace()
        .collect()
});

/// Words by which a text speaks of what was.
static PAST: Words =
    words(|| "was were had took used previously formerly ago originally war waren fruher etait era".split_whitespace().collect());

/// Verbs by which a measurement is told of the past.
static MEASURED: Words = words(|| "was were had took needed used ran cost war hatte etait avait era tenia".split_whitespace().collect());

/// Whether what stands there is told of the past.
pub fn is_past(words: &[Word], at: usize) -> bool {
    words.iter().any(|word| word.clause == words[at].clause && MEASURED.contains(word.low.as_str()))
}

/// Words of titles that do not tell one subject from another.
const SAYS_LITTLE: &str = "url long many much often live keep store where hour day version set policy rule question request tool name number time new current use \
    note update change place location address host style choice standard default handle run limit size value everywhere language rewrite length contact \
    owner rhythm schedule term about ask way how who what data now again";

pub fn says_little(stem: &str) -> bool {
    LITTLE.contains(stem)
}

static LITTLE: LazyLock<FxHashSet<String>> = LazyLock::new(|| synonyms::stems(SAYS_LITTLE).collect());

/// Whether the texts take different sides of one line: "staging" here, "production" there.
pub fn take_sides(old: &Stances<'_>, new: &Stances<'_>) -> bool {
    let lines = |stances: &Stances<'_>, other: &Stances<'_>, shared: bool| -> Vec<usize> {
        let words = stances.keys().filter(|stem| other.contains_key(*stem) == shared);
        words.filter_map(|stem| LINES.get(*stem)).flatten().copied().collect()
    };
    let (both, theirs) = (lines(old, new, true), lines(new, old, false));
    lines(old, new, false).iter().any(|line| theirs.contains(line) && !both.contains(line))
}

/// A word of a line with which a text sets out, in its title or its first sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Side {
    line: usize,
    word: u64,
}

pub fn opening(words: &[Word], title: usize) -> Vec<Side> {
    let first = words.get(title).map(|word| word.sentence);
    let opens = words.iter().enumerate().filter(|(at, word)| *at < title || Some(word.sentence) == first).map(|(_, word)| word);
    let telling = opens.filter(|word| matches!(word.role, Role::Content | Role::Name));
    let sides = |word: &Word| {
        LINES.get(&word.stem).into_iter().flatten().map(|line| Side { line: *line, word: text::mark(&word.stem) }).collect::<Vec<_>>()
    };
    telling.flat_map(sides).collect()
}

/// Whether the texts set out on different sides of one line, whatever they come to later: "staging is on 6.2", "production runs 7.2; staging follows".
pub fn set_out_apart(old: &Reading, new: &Reading) -> bool {
    let is_shared = |line: usize| old.opening.iter().any(|side| side.line == line && new.opening.contains(side));
    old.opening.iter().any(|one| new.opening.iter().any(|other| other.line == one.line) && !is_shared(one.line))
}

/// "outside Spain", "other than admins": the new text draws its line along a word of the other.
pub fn beyond(reading: &Reading, other: &Stances<'_>) -> bool {
    reading.words.iter().enumerate().any(|(at, word)| {
        let outside =
            matches!(word.low.as_str(), "outside" | "fuera" | "hors" | "ausserhalb" | "except" | "beyond" | "apart" | "excluding");
        outside && reading.words[at..].iter().take(4).any(|word| other.contains_key(word.stem.as_str()))
    })
}

pub fn is_exception(new: &Reading) -> bool {
    new.words.iter().any(|word| EXCEPTIONS.contains(word.low.as_str()))
}

pub fn tells_past(reading: &Reading) -> bool {
    reading.words.iter().any(|word| PAST.contains(word.low.as_str()))
}

/// Whether both titles share a word and each goes its own way: "flashing rev B", "flashing rev C".
pub fn titles_part<'a>(old: &Stances<'a>, new: &Stances<'a>, apart: &[String]) -> bool {
    let titled = |stances: &Stances<'a>| stances.iter().filter(|(_, stance)| stance.titled).map(|(stem, _)| *stem).collect::<Vec<_>>();
    let (one, other) = (titled(old), titled(new));
    let shared = one.iter().any(|stem| other.contains(stem));
    let own = |one: &[&str], against: &Stances<'_>| {
        one.iter().any(|stem| !against.contains_key(stem) && !apart.iter().any(|own| own == stem) && !LITTLE.contains(*stem))
    };
    shared && own(&one, new) && own(&other, old)
}

/// Whether a text says that something is the only one.
pub fn exclusive(reading: &Reading) -> bool {
    reading.words.iter().any(|word| is_only(&word.low))
}

pub fn is_only(low: &str) -> bool {
    ["only", "just", "exclusively", "solely", "nur", "ausschliesslich", "seulement", "uniquement", "solo", "solamente"].contains(&low)
}

static ALL: Words = words(|| {
    "all every each always never any everything everyone everybody nobody nothing none forever everywhere alle jede jeder jedes \
     immer nie tout toute tous toujours jamais todo toda siempre nunca nadie cada"
        .split_whitespace()
        .collect()
});

/// Whether a text speaks of all cases.
pub fn universal(reading: &Reading) -> bool {
    reading.words.iter().any(|word| ALL.contains(word.low.as_str()))
}

pub fn denials(reading: &Reading) -> bool {
    reading.words.iter().any(|word| word.denied)
}

/// Words that open a case.
static OPENS: Words = words(|| {
    "for on in at during within of after before under behind bei fur im am pour pendant en para durante".split_whitespace().collect()
});

/// Whether a text says in which case it holds, by a word the other does not have: "for invited users …", "backups of the audit log".
pub fn narrowed(reading: &Reading, against: &Reading, other: &Stances<'_>, apart: &[String]) -> bool {
    let others: Vec<&str> = against.words.iter().filter(|word| word.role == Role::Stop).map(|word| word.low.as_str()).collect();
    let words = &reading.words;
    (0..words.len()).any(|at| {
        // "After the trial …": another time than the other speaks of, whatever it is after.
        let phase = matches!(words[at].low.as_str(), "after" | "during" | "outside" | "nach" | "wahrend" | "apres" | "pendant" | "durante");
        let rest = matches!(words[at].low.as_str(), "other" | "others" | "remaining" | "andere" | "autres" | "otros");
        if rest && words[at].first {
            return true;
        }
        if phase && (words[at].first || at < reading.title) && !others.contains(&words[at].low.as_str()) {
            return true;
        }
        let opens = OPENS.contains(words[at].low.as_str()) && (words[at].first || at < reading.title);
        let told = words[at + 1..].iter().take_while(|word| word.clause == words[at].clause).take(3);
        let told = told.filter(|word| matches!(word.role, Role::Content | Role::Name));
        opens
            && told
                .into_iter()
                .next()
                .is_some_and(|word| !other.contains_key(word.stem.as_str()) && !LITTLE.contains(&word.stem) && !apart.contains(&word.stem))
    })
}

/// Whether the texts begin with different things: "Handlers never …", "The middleware …".
pub fn heads_differ(old: &Reading, new: &Reading) -> bool {
    let head = |reading: &'_ Reading| {
        let content = reading.words.get(reading.title..).unwrap_or_default().iter();
        content.take(4).position(|word| matches!(word.role, Role::Content | Role::Name)).map(|at| reading.title + at)
    };
    let (Some(one), Some(other)) = (head(old), head(new)) else { return false };
    let (one, other) = (&old.words[one], &new.words[other]);
    !new.has_stem(&one.stem) && !old.has_stem(&other.stem) && !synonyms::is_generic(&one.stem) && !synonyms::is_generic(&other.stem)
}

/// Whether one is denied for some days and the other affirmed for others: "not on Fridays", "from Monday to Thursday".
pub fn other_days(old: &Reading, new: &Reading) -> bool {
    let days =
        |reading: &'_ Reading| reading.words.iter().filter_map(|word| weekday(&word.low).map(|day| (day, word.denied))).collect::<Vec<_>>();
    let (there, here) = (days(old), days(new));
    let apart = there.iter().all(|(day, _)| here.iter().all(|(other, _)| (day - other).abs() > 0.5));
    let (no, yes) = (there.iter().any(|(_, denied)| *denied), here.iter().any(|(_, denied)| *denied));
    !there.is_empty() && !here.is_empty() && apart && no != yes
}

/// Whether both speak of the same sort of thing, each of another one: "CI runners have …", "GPU runners have …".
pub fn other_ones(old: &Reading, new: &Reading) -> bool {
    let (there, here) = (subjects(old), subjects(new));
    let own = |which: &Word, other: &Reading| !other.has_stem(&which.stem) && !synonyms::is_generic(&which.stem);
    there.iter().any(|(which, thing)| own(which, new) && here.iter().any(|(other, same)| same.stem == thing.stem && own(other, old)))
}

/// What sentences begin with where a verb follows: which one, of what.
fn subjects(reading: &Reading) -> Vec<(&Word, &Word)> {
    const VERBS: &[&str] = &[
        "is", "are", "was", "were", "has", "have", "had", "may", "must", "can", "should", "will", "do", "does", "take", "takes", "run",
        "runs", "get", "gets", "go", "goes", "need", "needs",
    ];
    let content = reading.words.get(reading.title..).unwrap_or_default();
    let telling = |word: &Word| matches!(word.role, Role::Content | Role::Name) && !word.part;
    let triples = content.windows(3).enumerate().filter(|(at, three)| {
        let opens = three[0].first || (*at > 0 && content[at - 1].first && content[at - 1].role == Role::Stop);
        opens && telling(&three[0]) && telling(&three[1]) && three[2].clause == three[0].clause && VERBS.contains(&three[2].low.as_str())
    });
    triples.map(|(_, three)| (&three[0], &three[1])).collect()
}
