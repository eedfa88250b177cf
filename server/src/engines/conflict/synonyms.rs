//! One stem for words that engineers use for the same thing, and words that say too little to be a subject.

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// Groups in lines; the first word stands for all.
const SAME: &str = "\
production prod productive
staging stage
development dev
configuration config configs cfg conf
repository repo repositories repos
database db databases dbs datenbank
document docs doc docs documentation
environment env environments envs
pipeline ci pipelines
image picture pictures photo photos images
mail email e-mail mails emails
authentication auth authenticate login log-in signin sign-in logon
kubernetes k8s kube
postgresql postgres pg psql
javascript js
typescript ts
python py python3
release ship releases rollout
deploy deployment deployments deploys deployed
ticket issue tickets
customer customers kunde kunden
person people human somebody someone
owner maintain maintains maintained responsible belong belongs owned owns zustandig responsable
store kept keep keeps keeping persist save stored saved hold holds held retain retained retention
limit maximum max cap most limits
minimum min least
run execute runs ran executed
test tests spec specs
delete remove removed removes erase purge wipe deleted deletion
host hostname
approve approval approvals approved approving sign-off ok
buy purchase purchased purchases bought
change modify modified modifies alter altered edit edits edited editing touch update updates updated
service microservice services
endpoint route api
request req reqs requests
log logging logs logged
format formatted formatting
error exception exceptions errors
throw raise thrown raised
fast quick
slow lent lenteur
hash hashed
backup snapshot backups snapshots
retry retries retried retrying
parallel concurrent concurrency parallelism
send sent deliver delivered delivers delivery deliveries
merge merged merging
cache cached caching caches
cause due blame
frontend front-end ui
backend back-end
credential secret password passwort secrets passwords credentials
allow permit permitted permits allowed
require required mandatory obligatory need needed needs necessary
page pager
author writer
finish complete completed
user account users accounts
restore recover recovered restored
encrypt encrypted encryption
sign signed signature signing signatures
expire expires expired expiry
generate generated generates
validate validated validation verify
timeout timeouts
write writes written wrote
lead leads led leader
aws amazon
frankfurt eu-central-1
ireland eu-west-1
virginia us-east-1
watchdog wdt
autoscaler hpa autoscaling autoscale
mfa 2fa multifactor
employee staff worker colleague employees
leave vacation holiday holidays
reply answer respond response replies answers answered
survey csat
cadence rhythm frequency interval
money amount amounts
contract agreement
vendor supplier suppliers vendors
outage downtime
developer engineer developers engineers
laptop notebook
invoice bill invoices billed
tenant customer-account
branch branches
threshold bound
duplicate dedup deduplicate deduplicated duplicates
quarantine quarantined
revoke revoked
eur euro euros
usd dollar dollars
sha256 sha-256
utf-8 utf8
golang go-lang
jpeg jpg
oauth oauth2
vscode vs-code
nextjs next.js
argocd argo
flux fluxcd
english englisch anglais ingles
german deutsch allemand aleman
french franzosisch
spanish spanisch
integer integers cents
float floats
decimal decimals
letsencrypt lets-encrypt
route53 route-53
";

static SAME_AS: LazyLock<FxHashMap<String, &'static str>> = LazyLock::new(|| {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut same = FxHashMap::default();
    for group in SAME.lines() {
        let Some(first) = group.split_whitespace().next() else { continue };
        for word in group.split_whitespace() {
            same.insert(word.to_owned(), first);
            same.insert(stemmer.stem(word).into_owned(), first);
        }
    }
    same
});

/// The stem by which a word is compared.
pub fn stem(stemmer: &Stemmer, low: &str) -> String {
    let known = |word: &str| SAME_AS.get(word).map(|first| (*first).to_owned());
    known(low).unwrap_or_else(|| {
        let stem = stemmer.stem(low);
        known(&stem).unwrap_or_else(|| stem.into_owned())
    })
}

/// What stands for a word that is written in several ways.
pub fn of(word: &str) -> &str {
    SAME_AS.get(word).copied().unwrap_or(word)
}

/// The stems of a table's words, as the reader makes them.
pub fn stems(words: &'static str) -> impl Iterator<Item = String> {
    let stemmer = Stemmer::create(Algorithm::English);
    words.split_whitespace().map(move |word| stem(&stemmer, word))
}

/// Words that go with anything: sharing one of them is not sharing a subject.
const GENERIC: &str = "store run use live set need work put come take write written read handle manage begin do give find contain serve provide support happen \
    include new old time thing way case day team also require return answer allow mean last base have let may get make prefer like want wird werden";

static GENERICS: LazyLock<FxHashSet<String>> = LazyLock::new(|| stems(GENERIC).collect());

pub fn is_generic(stem: &str) -> bool {
    GENERICS.contains(stem)
}
