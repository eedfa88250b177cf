//! From a question to its answer: candidates by words and by meaning, both scores for all of them, then what else speaks for a memory.

use super::{
    dates,
    document::{AnchorOf, Facts, Prepared},
    filters,
    index::{Index, Only},
    lexical::{self, Asked, Census, MOST_TERMS, Said},
    question::{AskedAnchor, Hit, Question},
    semantic::Vector,
    walk::Walk,
    weights::{Fusion, authority},
    words::Words,
};
use crate::{engines::freshness::Freshness, model::recall::Why};
use hashbrown::HashMap;
use roaring::RoaringBitmap;

/// More of a question than this is not read.
const LONGEST_QUESTION: usize = 16 * 1024;
/// Documents from which on a search takes milliseconds, and is done aside: below, handing the other tasks to another thread
/// costs more than they wait.
pub const MANY: usize = 150_000;
/// Misspelt words in one question that are worth a look through the dictionary.
const MOST_TYPOS: usize = 4;
/// Mates that one may not see in a row, which are passed over to find the next.
const MOST_HIDDEN: usize = 32;

pub fn rank(index: &Index, question: &Question<'_>, only: Option<Only<'_>>, extra: &[Prepared]) -> Vec<Hit> {
    let mut allowed = index.filters.allowed(question.filter, question.viewer, question.now, &index.entries);
    if let Some(only) = only {
        let chosen = |document: &u32| index.entry(*document).is_some_and(|entry| only(entry.facts.id, entry.facts.version));
        allowed = allowed.iter().filter(chosen).collect();
    }
    let admitted = |one: &&Prepared| filters::admits(question.filter, question.viewer, question.now, &one.facts, &one.named);
    let extra: Vec<&Prepared> = extra.iter().filter(admitted).collect();
    let vector = question.vector.filter(|_| question.weights.semantic > 0.0);
    let count = question.weights.candidates.max(question.limit);
    let hidden = index.filters.hidden_from(question.viewer);
    let census = index.lexicon.census(&hidden);
    let (asked, speaks) = asked(index, question, &census, &allowed, &extra);
    let (walk, by_words) = Walk::over(&index.lexicon, &census, &asked, &allowed, question.weights, count);
    // Most questions may see everything, and asking each row costs.
    let narrowed = Some(&allowed).filter(|allowed| allowed.len() < index.len() as u64);
    let by_meaning = vector.map(|vector| index.vectors.nearest(vector, narrowed, count)).unwrap_or_default();
    let average = census.average_length;
    let search =
        Search { index, question, allowed: &allowed, hidden: &hidden, vector, asked, walk, average, lists: !speaks && vector.is_none() };
    let mut candidates = search.candidates(by_words, by_meaning, count);
    candidates.extend(extra.iter().map(|one| search.outsider(one)));
    search.fuse(&mut candidates);
    search.answer(candidates)
}

/// What a question says, in terms of the index: the rarest of its words, each once. And whether it says anything at all.
fn asked(index: &Index, question: &Question<'_>, census: &Census<'_>, allowed: &RoaringBitmap, extra: &[&Prepared]) -> (Vec<Asked>, bool) {
    let end = question.query.floor_char_boundary(LONGEST_QUESTION);
    let mut counts: HashMap<String, f32> = HashMap::new();
    Words::of_questions(question.weights.splitting).each(&question.query[..end], &mut |term, _| {
        *counts.entry_ref(term).or_insert(0.0) += 1.0;
    });
    let (lexicon, speaks) = (&index.lexicon, !counts.is_empty());
    let mut asked = Vec::with_capacity(counts.len());
    let mut unknown = Vec::new();
    for (text, count) in counts {
        let term = lexicon.find(&text);
        if term.is_some_and(|term| lexicon.is_said(term, allowed))
            || extra.iter().any(|one| one.terms.iter().any(|(term, _)| *term == *text))
        {
            asked.push(Asked { weight: lexicon.rareness(term, census) * count.min(3.0), text: text.into(), term });
        } else {
            unknown.push(text);
        }
    }
    unknown.sort_unstable();
    for word in unknown.iter().take(MOST_TYPOS) {
        for (term, _) in lexicon.near(word, allowed) {
            let text = lexicon.text(term);
            if asked.iter().all(|asked| *asked.text != *text) {
                let weight = lexicon.rareness(Some(term), census) * question.weights.typo;
                asked.push(Asked { text: text.into(), term: Some(term), weight });
            }
        }
    }
    asked.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.text.cmp(&b.text)));
    asked.truncate(MOST_TERMS);
    (asked, speaks)
}

struct Search<'a> {
    index: &'a Index,
    question: &'a Question<'a>,
    allowed: &'a RoaringBitmap,
    /// What is behind the walls of whoever asks.
    hidden: &'a RoaringBitmap,
    vector: Option<&'a Vector>,
    asked: Vec<Asked>,
    walk: Walk<'a>,
    average: f32,
    /// Nothing was asked: whatever the filter lets through is an answer.
    lists: bool,
}

/// A document that may be an answer, and what speaks for it.
struct Candidate<'a> {
    facts: &'a Facts,
    code: f32,
    words: f32,
    /// None when it has no vector.
    meaning: Option<f32>,
    relevance: f32,
    why: Why,
}

impl<'a> Search<'a> {
    fn candidates(&self, by_words: Vec<(u32, f32)>, by_meaning: Vec<(u32, f32)>, count: usize) -> Vec<Candidate<'a>> {
        let mut pool: RoaringBitmap = by_words.iter().chain(&by_meaning).map(|(document, _)| *document).collect();
        for asked in self.question.anchors {
            if let Some(anchored) = self.index.filters.anchored(&asked.path) {
                pool.extend((anchored & self.allowed).iter().rev().take(count));
            }
        }
        if self.lists {
            pool.extend(self.newest());
        }
        let bring = self.question.weights.in_context;
        for (document, _) in by_words.into_iter().take(bring).chain(by_meaning.into_iter().take(bring)) {
            pool.extend(self.neighbours(document).into_iter().flatten());
        }
        let beside: Vec<(u32, [Option<u32>; 2])> = pool.iter().map(|document| (document, self.neighbours(document))).collect();
        let evidence = self.evidence(&beside);
        beside.iter().filter_map(|(document, beside)| self.candidate(*document, *beside, &evidence)).collect()
    }

    fn candidate(&self, document: u32, beside: [Option<u32>; 2], evidence: &HashMap<u32, Evidence>) -> Option<Candidate<'a>> {
        let entry = self.index.entry(document)?;
        let Evidence { words, meaning } = *evidence.get(&document)?;
        let (mut all, mut weight) = (Evidence { words, meaning }, 1.0);
        for beside in beside.into_iter().flatten().filter_map(|neighbour| evidence.get(&neighbour)) {
            let context = self.question.weights.context;
            all.words += context * beside.words;
            all.meaning = all.meaning.map(|own| own + context * beside.meaning.unwrap_or(own));
            weight += context;
        }
        // What was said just before and after can lend to a memory, and never takes from it.
        let words = words.max(all.words / weight);
        let meaning = meaning.map(|own| own.max(all.meaning.unwrap_or(own) / weight));
        let code =
            if self.question.anchors.is_empty() { 0.0 } else { code(self.question.anchors, self.index.filters.anchors(&entry.marks)) };
        Some(Candidate { facts: &entry.facts, code, words, meaning, relevance: 0.0, why: Why::default() })
    }

    /// Of all of them and those beside them, each once.
    fn evidence(&self, documents: &[(u32, [Option<u32>; 2])]) -> HashMap<u32, Evidence> {
        let mut all: Vec<u32> =
            documents.iter().flat_map(|(document, beside)| beside.iter().flatten().chain([document])).copied().collect();
        all.sort_unstable();
        all.dedup();
        let meaning = |document| self.vector.and_then(|vector| self.index.vectors.similarity(document, vector));
        let evidence = |(&document, words)| (document, Evidence { words, meaning: meaning(document) });
        all.iter().zip(self.walk.scores(&all)).map(evidence).collect()
    }

    /// The ones before and after it in its session, as far as they may be seen.
    fn neighbours(&self, document: u32) -> [Option<u32>; 2] {
        let mut beside = self.index.sessions.beside(document);
        if !self.hidden.is_empty() {
            for (side, mate) in beside.iter_mut().enumerate() {
                // Past what is behind a wall, as if it were not there; whoever looks farther than this finds nothing.
                for _ in 0..MOST_HIDDEN {
                    match *mate {
                        Some(hidden) if self.hidden.contains(hidden) => *mate = self.index.sessions.beside(hidden)[side],
                        _ => break,
                    }
                }
            }
        }
        beside.map(|mate| mate.filter(|mate| self.allowed.contains(*mate)))
    }

    /// Nothing was asked: the newest of all, for their authority and age to speak.
    fn newest(&self) -> impl Iterator<Item = u32> {
        const MOST: usize = 10_000;
        self.allowed.iter().rev().take(MOST)
    }

    fn outsider(&self, one: &'a Prepared) -> Candidate<'a> {
        let mut said: Said = [0.0; MOST_TERMS];
        for (term, weight) in one.terms.iter() {
            if let Some(place) = self.asked.iter().position(|asked| *asked.text == *term) {
                said[place] = super::document::scale::WEIGHTS[usize::from(weight)];
            }
        }
        let length = super::document::scale::LENGTHS[usize::from(one.terms.length)];
        let anchors = one.named.anchors.iter().map(|anchor| AnchorOf {
            repo: anchor.repo.as_deref(),
            path: &anchor.path,
            symbol: anchor.symbol.as_deref(),
        });
        let meaning = self.vector.and_then(|vector| one.vectors.iter().map(|own| own.cosine(vector)).max_by(f32::total_cmp));
        Candidate {
            facts: &one.facts,
            code: code(self.question.anchors, anchors),
            words: lexical::score(&said, length, self.average, &self.asked, self.question.weights),
            meaning,
            relevance: 0.0,
            why: Why::default(),
        }
    }

    /// Both scores on one scale over the candidates, then added.
    fn fuse(&self, candidates: &mut [Candidate<'a>]) {
        let weights = self.question.weights;
        let words = Stretch::over(candidates.iter().map(|one| one.words).chain([0.0]));
        let meaning = Stretch::over(candidates.iter().filter_map(|one| one.meaning));
        for one in candidates.iter_mut() {
            one.why.keyword = words.of(one.words);
            // One whose vector is still being made is neither near nor far.
            one.why.semantic = one.meaning.map_or(if self.vector.is_some() { 0.5 } else { 0.0 }, |own| meaning.of(own));
        }
        let semantic = match (self.asked.is_empty() || words.most <= 0.0, self.vector.is_some()) {
            (_, false) => 0.0,
            (true, true) => 1.0,
            (false, true) => weights.semantic,
        };
        match weights.fusion {
            Fusion::Sum => {
                for one in candidates {
                    one.relevance = (1.0 - semantic) * one.why.keyword + semantic * one.why.semantic;
                }
            }
            Fusion::Ranks => {
                add_ranks(candidates, |one| one.why.keyword);
                if semantic > 0.0 {
                    add_ranks(candidates, |one| one.why.semantic);
                }
            }
        }
    }

    fn answer(&self, mut candidates: Vec<Candidate<'a>>) -> Vec<Hit> {
        let (weights, now) = (self.question.weights, self.question.now);
        let window = dates::window(self.question.query, now);
        candidates.retain(|one| self.lists || one.words > 0.0 || one.meaning.is_some() || one.code > 0.0);
        let mut hits: Vec<Hit> = candidates
            .into_iter()
            .map(|one| {
                let branch = self.question.filter.branch.as_deref();
                let freshness = one.facts.freshness(now, branch);
                let mut why = Why { code: one.code, ..one.why };
                why.date = f32::from(window.as_ref().is_some_and(|window| window.contains(&one.facts.valid_from)));
                why.recency = recency(now - one.facts.changed_at);
                why.authority = authority(one.facts.kind);
                why.verification = f32::from(one.facts.verified);
                why.confidence = one.facts.confidence;
                why.helpfulness = (f32::from(one.facts.helpful) / 10.0).clamp(-1.0, 1.0).midpoint(1.0);
                why.freshness = match one.facts.freshness_if_right(now, branch) {
                    Freshness::Fresh if freshness != Freshness::Fresh => weights.contested,
                    _ => weights.freshness(freshness),
                };
                Hit {
                    id: one.facts.id,
                    version: one.facts.version,
                    score: weights.total(one.relevance, &why),
                    why,
                    freshness,
                    spoken_of: one.facts.spoken_of,
                    tokens: one.facts.tokens,
                    author: one.facts.author,
                    sketch: one.facts.sketch,
                }
            })
            .collect();
        hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.freshness.cmp(&b.freshness)).then(b.id.cmp(&a.id)));
        hits.truncate(self.question.limit);
        hits
    }
}

/// How well one document answers by itself.
#[derive(Clone, Copy)]
struct Evidence {
    words: f32,
    /// None when it has no vector.
    meaning: Option<f32>,
}

struct Stretch {
    least: f32,
    most: f32,
}

impl Stretch {
    fn over(values: impl Iterator<Item = f32>) -> Self {
        values.fold(Self { least: f32::INFINITY, most: f32::NEG_INFINITY }, |all, one| Self {
            least: all.least.min(one),
            most: all.most.max(one),
        })
    }

    fn of(&self, value: f32) -> f32 {
        if self.most > self.least { ((value - self.least) / (self.most - self.least)).clamp(0.0, 1.0) } else { f32::from(self.most > 0.0) }
    }
}

fn add_ranks(candidates: &mut [Candidate<'_>], part: impl Fn(&Candidate<'_>) -> f32) {
    /// As it is used everywhere; half of the sum of two first places is 1.
    const K: f32 = 60.0;
    candidates.sort_by(|a, b| part(b).total_cmp(&part(a)));
    let mut rank = 0.0;
    for one in candidates.iter_mut() {
        rank += 1.0;
        one.relevance += (K + 1.0) / (K + rank) / 2.0;
    }
}

/// 1 for today, half for half a year ago.
fn recency(age: i64) -> f32 {
    const HALF: f32 = 180.0 * 86_400.0;
    #[expect(clippy::cast_precision_loss, reason = "an age in seconds")]
    let age = age.max(0) as f32;
    HALF / (HALF + age)
}

/// The best match of an asked place with an anchor: symbol, file, folder.
fn code<'a>(asked: &[AskedAnchor], anchors: impl Iterator<Item = AnchorOf<'a>>) -> f32 {
    anchors.flat_map(|anchor| asked.iter().map(move |asked| asked.weight.clamp(0.0, 1.0) * same_place(asked, &anchor))).fold(0.0, f32::max)
}

fn same_place(asked: &AskedAnchor, anchor: &AnchorOf<'_>) -> f32 {
    if let (Some(asked), Some(own)) = (asked.repo.as_deref(), anchor.repo)
        && asked != own
    {
        return 0.0;
    }
    if asked.path == anchor.path {
        return match (asked.symbol.as_deref(), anchor.symbol) {
            (Some(asked), Some(own)) if asked == own => 1.0,
            (Some(_), Some(_)) => 0.6,
            _ => 0.8,
        };
    }
    let folder = |path: &str| path.rfind('/').map(|slash| path[..slash].to_owned());
    if folder(&asked.path).is_some_and(|own| folder(anchor.path) == Some(own)) { 0.3 } else { 0.0 }
}
