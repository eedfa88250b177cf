//! Words as data: languages, grammar, denials, numbers and words that mean the same. Knows nothing of memories.

use rust_stemmers::{Algorithm, Stemmer};
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
}

const GERMAN: &str = "der die das den dem des ein eine einen einem einer und ist sind wird werden wurde nicht kein keine auf mit von im am zum zur \
    sich fur uber nur weil wenn bei aus als auch nach noch jede jeder alle wir man es er sie hat haben kann muss darf soll statt ohne vom ins uns";
const FRENCH: &str = "le la les un une des du de et est sont sur avec dans pour par au aux ne pas plus on nous vous que qui se sa son ses leur \
    ce cette toute tout tous toutes sans mais ou en il elle sous a jamais chaque aucun aucune";
const SPANISH: &str = "el la los las un una unos unas de del y es son en con por para se su sus lo al que no nunca cada ya sin pero como \
    nos todo toda todos todas ningun ninguna siempre esta este";
const ENGLISH: &str = "a an the and or of to in on at by for from with as is are was were be been being it its it's that this these those there \
    their they them he she his her we us our you your i me my do does did done has have had will would shall should can could may might must \
    not no nor so if then than when while where which who whom whose what how why all any each every both either some such only own same too \
    very just also even still yet but because since until unless about into over under again once more most other another per via out up down \
    off through during before after between against within without here now never always none nothing nobody cannot neither instead rather \
    ever already everything everyone everybody anything anyone anybody else itself themselves himself let lets get gets got go goes going \
    come comes make makes made want wants put puts take takes taken say says whatever whoever etc i.e e.g be's us one's much many few little";

static STOPS: LazyLock<HashMap<&'static str, ()>> = LazyLock::new(|| ENGLISH.split_whitespace().map(|word| (word, ())).collect());
static FOREIGN: LazyLock<[Vec<&'static str>; 3]> =
    LazyLock::new(|| [GERMAN, FRENCH, SPANISH].map(|words| words.split_whitespace().collect()));

pub fn language(title: &str, content: &str) -> Language {
    let mut hits = [0_usize; 3];
    let mut english = 0_usize;
    for chunk in title.split_whitespace().chain(content.split_whitespace()).take(120) {
        let low = super::text::fold(chunk.trim_matches(|c: char| !c.is_alphanumeric()));
        english += usize::from(STOPS.contains_key(low.as_str()));
        for (hits, words) in hits.iter_mut().zip(FOREIGN.iter()) {
            *hits += usize::from(words.contains(&low.as_str()));
        }
    }
    let best = hits.into_iter().max().unwrap_or(0);
    if best <= english || best < 2 {
        return Language::English;
    }
    [Language::German, Language::French, Language::Spanish][hits.iter().position(|hits| *hits == best).unwrap_or(0)]
}

pub fn is_stop(low: &str, language: Language) -> bool {
    let foreign = match language {
        Language::English => return STOPS.contains_key(low),
        Language::German => &FOREIGN[0],
        Language::French => &FOREIGN[1],
        Language::Spanish => &FOREIGN[2],
    };
    foreign.contains(&low) || is_denial(low)
}

/// don't, can't, isn't: the verb, and the denial in it.
pub fn contraction(low: &str) -> Option<(&str, &'static str)> {
    match low {
        "can't" | "cannot" => Some(("can", "not")),
        "won't" => Some(("will", "not")),
        "n't" => None,
        _ => low.strip_suffix("n't").map(|verb| (verb, "not")),
    }
}

pub fn breaks_clause(low: &str) -> bool {
    gives_reason(low)
        || [
            "but", "while", "before", "after", "bevor", "avant", "apres", "antes", "despues", "although", "though", "unless", "until",
            "whereas", "sondern", "aber", "mais", "pero", "sino",
        ]
        .contains(&low)
}

/// What follows says why; it is not what is claimed.
pub fn gives_reason(low: &str) -> bool {
    ["because", "otherwise", "weil", "sonst", "denn", "car", "parce", "sinon", "porque"].contains(&low)
}

/// Words that deny what follows them.
pub fn is_denial(low: &str) -> bool {
    const DENIALS: &[&str] = &[
        "not", "no", "never", "nothing", "nobody", "none", "without", "neither", "nor", "nowhere", "zero", "nicht", "kein", "keine",
        "keinen", "keiner", "keinem", "keines", "nie", "niemals", "niemand", "nichts", "ohne", "pas", "jamais", "aucun", "aucune", "sans",
        "rien", "personne", "nunca", "jamas", "sin", "nadie", "ningun", "ninguna", "ninguno", "nada", "tampoco",
    ];
    DENIALS.contains(&low)
}

/// Whether the word by itself denies anything, in whichever way.
pub fn denies(low: &str) -> bool {
    is_denial(low) || is_denying_state(low) || is_denying_act(low)
}

/// After one of these, "no" and "not" say something else: no other, not only, not even.
pub fn is_no_denial_before(next: &str) -> bool {
    ["only", "just", "even", "other", "others", "further", "matter", "later", "sooner", "less", "doubt", "nur", "seulement", "solo"]
        .contains(&next)
}

/// Denied, these take what stands before them along: not allowed, never built, no effect.
pub fn is_existence(low: &str) -> bool {
    const WORDS: &[&str] = &[
        "allowed",
        "permitted",
        "accepted",
        "supported",
        "possible",
        "offered",
        "used",
        "needed",
        "required",
        "available",
        "maintained",
        "planned",
        "built",
        "exist",
        "exists",
        "existed",
        "effect",
        "work",
        "works",
        "resolve",
        "resolves",
        "apply",
        "applies",
        "longer",
        "blame",
        "cause",
        "culprit",
        "necessary",
        "welcome",
        "enabled",
        "installed",
        "run",
        "running",
        "served",
        "help",
        "helps",
        "schuld",
        "erlaubt",
        "notig",
        "unterstutzt",
        "verwendet",
        "genutzt",
        "gepflegt",
        "mehr",
        "mantiene",
        "usa",
        "utilise",
        "permis",
        "autorise",
        "permitido",
        "necesario",
        "recommended",
        "considered",
        "read",
        "honoured",
        "honored",
        "respected",
        "reached",
        "want",
        "wanted",
        "kept",
    ];
    WORDS.contains(&low)
}

/// Nouns after which the name of one of them follows.
pub fn is_named_kind(low: &str) -> bool {
    const KINDS: &[&str] = &[
        "queue",
        "bucket",
        "topic",
        "branch",
        "host",
        "table",
        "cluster",
        "namespace",
        "channel",
        "label",
        "flag",
        "job",
        "index",
        "service",
        "database",
        "schema",
        "repo",
        "repository",
        "server",
        "node",
        "region",
        "zone",
        "exchange",
        "stream",
        "group",
        "role",
        "user",
        "account",
        "network",
        "volume",
        "image",
        "tag",
        "package",
        "module",
        "crate",
        "app",
        "project",
        "machine",
        "box",
        "runner",
        "pool",
        "profile",
        "command",
    ];
    KINDS.contains(&low)
}

pub fn is_condition(low: &str) -> bool {
    ["if", "when", "once", "whenever", "after", "before", "where", "wenn", "falls", "sobald", "si", "quand", "lorsque", "cuando"]
        .contains(&low)
}

/// A pronoun that opens the main clause after a condition.
pub fn is_subject(low: &str) -> bool {
    ["we", "you", "they", "he", "she", "i", "then", "wir", "man", "nous", "vous"].contains(&low)
}

/// Adjectives and participles by which a thing is denied: it is gone, forbidden, switched off.
pub fn is_denying_state(low: &str) -> bool {
    const STATES: &[&str] = &[
        "gone",
        "forbidden",
        "banned",
        "prohibited",
        "disallowed",
        "disabled",
        "off",
        "removed",
        "deleted",
        "dropped",
        "deprecated",
        "archived",
        "closed",
        "retired",
        "abandoned",
        "blocked",
        "denied",
        "rejected",
        "refused",
        "discontinued",
        "decommissioned",
        "unsupported",
        "obsolete",
        "optional",
        "unnecessary",
        "unavailable",
        "impossible",
        "lost",
        "replaced",
        "superseded",
        "discouraged",
        "out",
        "wrong",
        "false",
        "dead",
        "stopped",
        "cancelled",
        "canceled",
        "revoked",
        "outdated",
        "unused",
        "broken",
        "shut",
        "phased",
        "skipped",
        "ignored",
        "excluded",
        "worse",
        "harmful",
        "useless",
        "failing",
        "verboten",
        "abgeschaltet",
        "abgeschafft",
        "entfernt",
        "geloscht",
        "deaktiviert",
        "ersetzt",
        "untersagt",
        "eingestellt",
        "interdit",
        "interdite",
        "supprime",
        "supprimee",
        "desactive",
        "desactivee",
        "abandonne",
        "remplace",
        "prohibido",
        "prohibida",
        "eliminado",
        "eliminada",
        "desactivado",
        "desactivada",
        "obsoleto",
    ];
    STATES.contains(&low)
}

/// Verbs that deny what they are done to: drop it, avoid it, stop it.
pub fn is_denying_act(low: &str) -> bool {
    const ACTS: &[&str] = &[
        "drop",
        "drops",
        "dropping",
        "avoid",
        "avoids",
        "stop",
        "stops",
        "stopped",
        "stopping",
        "reject",
        "rejects",
        "refuse",
        "refuses",
        "skip",
        "skips",
        "bypass",
        "bypasses",
        "forbid",
        "forbids",
        "prohibit",
        "prohibits",
        "ban",
        "bans",
        "remove",
        "removes",
        "removing",
        "delete",
        "deletes",
        "abandon",
        "abandons",
        "disable",
        "disables",
        "disallow",
        "disallows",
        "deny",
        "denies",
        "block",
        "blocks",
        "replace",
        "replaces",
        "replacing",
        "retire",
        "retires",
        "deprecate",
        "deprecates",
        "ditch",
        "dissolve",
        "omit",
        "omits",
        "spare",
        "fail",
        "fails",
        "ignore",
        "ignores",
        "exclude",
        "excludes",
        "prevent",
        "prevents",
        "lacks",
        "vermeiden",
        "abschalten",
        "entfernen",
        "ersetzen",
        "eviter",
        "abandonner",
        "supprimer",
        "remplacer",
        "evitar",
        "eliminar",
        "reemplazar",
        "quitar",
        "refrain",
    ];
    ACTS.contains(&low)
}

/// A state after one of these belongs to what stands before them.
pub fn is_being(low: &str) -> bool {
    const BEING: &[&str] = &[
        "is", "are", "was", "were", "be", "been", "being", "get", "gets", "got", "has", "have", "had", "ships", "ship", "stays", "stay",
        "switched", "turned", "now", "becomes", "became", "remains", "makes", "it", "being", "strictly", "wird", "wurde", "werden",
        "wurden", "ist", "sind", "est", "sont", "a", "ete", "es", "son", "esta", "estan", "fue", "queda",
    ];
    BEING.contains(&low)
}

pub fn number(low: &str) -> Option<f64> {
    let value = match low {
        "zero" => 0.0,
        "one" | "once" | "single" | "ein" | "eine" => 1.0,
        "two" | "twice" | "zwei" | "deux" | "dos" | "double" => 2.0,
        "three" | "thrice" | "drei" | "trois" | "tres" => 3.0,
        "four" | "vier" | "quatre" | "cuatro" => 4.0,
        "five" | "funf" | "cinq" | "cinco" => 5.0,
        "six" | "sechs" | "seis" => 6.0,
        "seven" | "sieben" | "sept" | "siete" => 7.0,
        "eight" | "acht" | "huit" | "ocho" => 8.0,
        "nine" | "neun" | "neuf" | "nueve" => 9.0,
        "ten" | "zehn" | "dix" | "diez" => 10.0,
        "eleven" => 11.0,
        "twelve" | "dozen" | "zwolf" | "douze" | "doce" => 12.0,
        "fourteen" | "vierzehn" | "quatorze" => 14.0,
        "fifteen" | "quinze" | "quince" => 15.0,
        "twenty" | "zwanzig" | "vingt" | "veinte" => 20.0,
        "thirty" | "dreissig" | "trente" | "treinta" => 30.0,
        "forty" => 40.0,
        "fifty" => 50.0,
        "sixty" => 60.0,
        "ninety" => 90.0,
        "hundred" | "hundert" | "cent" | "cien" => 100.0,
        "thousand" | "tausend" | "mille" | "mil" => 1000.0,
        _ => return None,
    };
    // ein, eine are articles far more often than numbers.
    (!matches!(low, "ein" | "eine")).then_some(value)
}

/// Words that go with anything: sharing one of them is not sharing a subject.
const GENERIC: &str = "store run use live set need work put come take write written read handle manage begin do give find contain serve provide support happen \
    include new old time thing way case day team also require return answer allow mean last base have let may get make wird werden";

static GENERICS: LazyLock<HashSet<String>> = LazyLock::new(|| stems(GENERIC).collect());

pub fn is_generic(stem: &str) -> bool {
    GENERICS.contains(stem)
}

/// The stems of a table's words, as the reader makes them.
pub fn stems(words: &'static str) -> impl Iterator<Item = String> {
    let stemmer = Stemmer::create(Algorithm::English);
    words.split_whitespace().map(move |word| stem(&stemmer, word))
}

pub fn stem(stemmer: &Stemmer, low: &str) -> String {
    let known = same_as(low);
    if known != low {
        return known.to_owned();
    }
    let stem = stemmer.stem(low);
    same_as(&stem).to_owned()
}

/// One word for words that engineers use for the same thing; groups in lines, the first stands for all.
const SAME: &str = "\
    production prod productive\nstaging stage\ndevelopment dev\nconfiguration config configur configs cfg conf\nrepository repo repositori repos\n\
    database db databas dbs datenbank\ndocument docs doc documentation\nenvironment env environ envs\npipeline ci pipelin\nimage picture pictur photo imag\n\
    mail email e-mail mails\nauthentication auth authent login log-in signin sign-in logon\nkubernetes k8s kube\npostgresql postgres pg psql postgresq\n\
    javascript js\ntypescript ts\ngolang\npython py python3\nrelease ship rollout\ndeploy deployment deploi\nticket issu issue\ncustomer custom customers kund kunde kunden\n\
    person people human somebody someone\nowner maintain respons belong owned owns zustand zustandig responsable\nstore kept keep keeps persist save stored saved stor hold held retain retent\n\
    limit maximum max cap most\nminimum min least\nrun execut runs ran execute\ntest tests spec\ndelete remov eras purg wipe delet\nhost server-name hostnam\n\
    approve approv approval sign-off ok\nbuy purchas bought\nchange modif modify alter edit chang touch updat\nservice servic microservice\nendpoint rout api\n\
    log logg logs\nformat formatt\nerror exception except\nthrow rais thrown raise\nfast quick\nslow lent lenteur\nhash hashed\nbackup snapshot\n\
    retry retri retries\nparallel parallel concurr parallelism\nsend sent go-out deliv deliver deliveri\nmerge merg\nbranch branches\ncache cached cach\n\
    cause due blame\nfrontend front-end ui\nbackend back-end\ncredential secret password passwort\ncommit commits\nallow permit permitt allowed\n\
    require requir mandatory oblig need needed necessary must-have\npage pager\nauthor writer\nfinish complet done\nuser account";

static SAME_AS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let groups = SAME.lines().map(str::split_whitespace);
    groups.flat_map(|mut group| group.next().map(|first| group.map(move |other| (other, first)).collect::<Vec<_>>())).flatten().collect()
});

pub fn same_as(word: &str) -> &str {
    SAME_AS.get(word).copied().unwrap_or(word)
}
