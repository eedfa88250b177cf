//! From a question to its answer: candidates by words and by meaning, both scores for all of them, then what else speaks for a memory.

use super::{
    dates,
    document::{AnchorOf, Facts, Prepared},
    filters,
    index::{Index, Only},
    lexical::{self, Asked, MOST_TERMS, Said},
    question::{AskedAnchor, Hit, Question},
    semantic::Vector,
    weights::{Fusion, authority},
    words::Words,
};
use crate::model::recall::Why;
use hashbrown::HashMap;
use roaring::RoaringBitmap;

/// More of a question than this is not read.
const LONGEST_QUESTION: usize = 16 * 1024;
/// Misspelt words in one question that are worth a look through the dictionary.
const MOST_TYPOS: usize = 4;

pub fn rank(index: &Index, question: &Question<'_>, only: Option<Only<'_>>, extra: &[Prepared]) -> Vec<Hit> {
    let mut allowed = index.filters.allowed(question.filter, question.viewer, question.now, &index.entries);
    if let Some(only) = only {
        let chosen = |document: &u32| index.entry(*document).is_some_and(|entry| only(entry.facts.id, entry.facts.version));
        allowed = allowed.iter().filter(chosen).collect();
    }
    let admitted = |one: &&Prepared| filters::admits(question.filter, question.viewer, question.now, &one.facts, &one.named);
    let extra: Vec<&Prepared> = extra.iter().filter(admitted).collect();
    let asked = asked(index, question, &allowed, &extra);
    let vector = question.vector.filter(|_| question.weights.semantic > 0.0);
    let search = Search {
        index,
        question,
        allowed: &allowed,
        vector,
        by_term: lexical::by_term(&asked),
        asked,
        average: index.lexicon.average_length(),
    };
    let mut candidates = search.candidates(&extra);
    search.fuse(&mut candidates);
    search.answer(candidates)
}

/// What a question says, in terms of the index: the rarest of its words, each once.
fn asked(index: &Index, question: &Question<'_>, allowed: &RoaringBitmap, extra: &[&Prepared]) -> Vec<Asked> {
    let mut end = question.query.len().min(LONGEST_QUESTION);
    while !question.query.is_char_boundary(end) {
        end -= 1;
    }
    let mut counts: HashMap<String, f32> = HashMap::new();
    Words::of_questions(question.weights.splitting).each(&question.query[..end], &mut |term, _| {
        *counts.entry_ref(term).or_insert(0.0) += 1.0;
    });
    let lexicon = &index.lexicon;
    let mut asked = Vec::with_capacity(counts.len());
    let mut unknown = Vec::new();
    for (text, count) in counts {
        let term = lexicon.find(&text).filter(|term| lexicon.is_said(*term, allowed));
        if term.is_some() || extra.iter().any(|one| one.terms.iter().any(|(term, _)| *term == *text)) {
            asked.push(Asked { weight: lexicon.rareness(term) * count.min(3.0), text: text.into(), term });
        } else {
            unknown.push(text);
        }
    }
    unknown.sort_unstable();
    for word in unknown.iter().take(MOST_TYPOS) {
        for (term, _) in lexicon.near(word) {
            let text = lexicon.text(term);
            if asked.iter().all(|asked| *asked.text != *text) && lexicon.is_said(term, allowed) {
                asked.push(Asked { text: text.into(), term: Some(term), weight: lexicon.rareness(Some(term)) * question.weights.typo });
            }
        }
    }
    asked.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.text.cmp(&b.text)));
    asked.truncate(MOST_TERMS);
    asked
}

struct Search<'a> {
    index: &'a Index,
    question: &'a Question<'a>,
    allowed: &'a RoaringBitmap,
    vector: Option<&'a Vector>,
    asked: Vec<Asked>,
    by_term: Vec<(u32, usize)>,
    average: f32,
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
    fn candidates(&self, extra: &[&'a Prepared]) -> Vec<Candidate<'a>> {
        let weights = self.question.weights;
        let count = weights.candidates.max(self.question.limit);
        let lexicon = &self.index.lexicon;
        let mut pool: RoaringBitmap =
            lexicon.best(&self.asked, self.allowed, weights, count).into_iter().map(|(document, _)| document).collect();
        if let Some(vector) = self.vector {
            // Most questions may see everything, and asking each row costs.
            let allowed = Some(self.allowed).filter(|allowed| allowed.len() < self.index.len() as u64);
            pool.extend(self.index.vectors.nearest(vector, allowed, count).into_iter().map(|(document, _)| document));
        }
        for asked in self.question.anchors {
            if let Some(anchored) = self.index.filters.anchored(&asked.path) {
                pool.extend((anchored & self.allowed).iter().rev().take(count));
            }
        }
        if pool.is_empty() && extra.is_empty() && self.asked.is_empty() && self.vector.is_none() {
            pool.extend(self.listing());
        }
        let mut evidence = Evidences { search: self, known: HashMap::new() };
        if weights.context > 0.0 {
            evidence.widen(&mut pool);
        }
        let mut candidates: Vec<Candidate<'a>> = pool.iter().filter_map(|document| evidence.candidate(document)).collect();
        candidates.extend(extra.iter().map(|one| self.outsider(one)));
        candidates
    }

    /// Nothing was asked: the newest of all, for their authority and age to speak.
    fn listing(&self) -> impl Iterator<Item = u32> {
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
        let words = Stretch::over(candidates.iter().map(|one| one.words));
        let meaning = Stretch::over(candidates.iter().filter_map(|one| one.meaning));
        // One whose vector is still being made is neither near nor far.
        let unknown = meaning.middle;
        for one in candidates.iter_mut() {
            one.why.keyword = words.of(one.words);
            one.why.semantic = one.meaning.map_or(unknown, |own| meaning.of(own));
        }
        let semantic = match (self.asked.is_empty() || words.most <= 0.0, self.vector.is_some()) {
            (_, false) => 0.0,
            (true, true) => 1.0,
            (false, true) => weights.semantic,
        };
        match weights.fusion {
            Fusion::Sum => {
                candidates.iter_mut().for_each(|one| one.relevance = (1.0 - semantic) * one.why.keyword + semantic * one.why.semantic)
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
        let listing = self.asked.is_empty() && self.vector.is_none();
        candidates.retain(|one| listing || one.words > 0.0 || one.meaning.is_some() || one.code > 0.0);
        let mut hits: Vec<Hit> = candidates
            .into_iter()
            .map(|one| {
                let freshness = one.facts.freshness(now);
                let mut why = Why { code: one.code, ..one.why };
                why.date = f32::from(window.as_ref().is_some_and(|window| window.contains(&one.facts.valid_from)));
                why.recency = recency(now - one.facts.changed_at);
                why.authority = authority(one.facts.kind);
                why.verification = f32::from(one.facts.verified);
                why.confidence = one.facts.confidence;
                why.helpfulness = (f32::from(one.facts.helpful) / 10.0).clamp(-1.0, 1.0).midpoint(1.0);
                why.freshness = weights.freshness(freshness);
                Hit {
                    id: one.facts.id,
                    version: one.facts.version,
                    score: weights.total(one.relevance, &why),
                    why,
                    freshness,
                    tokens: one.facts.tokens,
                }
            })
            .collect();
        hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.freshness.cmp(&b.freshness)).then(b.id.cmp(&a.id)));
        hits.truncate(self.question.limit);
        hits
    }
}

struct Evidences<'s, 'a> {
    search: &'s Search<'a>,
    known: HashMap<u32, Evidence>,
}

/// What one document says of the question by itself.
#[derive(Clone)]
struct Evidence {
    said: Said,
    length: f32,
    meaning: Option<f32>,
}

impl<'a> Evidences<'_, 'a> {
    fn of(&mut self, document: u32) -> &Evidence {
        let Search { index, by_term, vector, .. } = self.search;
        self.known.entry(document).or_insert_with(|| Evidence {
            said: index.lexicon.said(document, by_term),
            length: index.lexicon.length_of(document),
            meaning: vector.and_then(|vector| index.vectors.similarity(document, vector)),
        })
    }

    fn widen(&mut self, pool: &mut RoaringBitmap) {
        let mut wide = pool.clone();
        for document in &*pool {
            let (mates, at) = self.search.index.mates(document);
            wide.extend(mates.iter().take(at + 3).skip(at.saturating_sub(2)).filter(|mate| self.search.allowed.contains(**mate)));
        }
        *pool = wide;
    }

    fn candidate(&mut self, document: u32) -> Option<Candidate<'a>> {
        let search = self.search;
        let entry = search.index.entry(document)?;
        let weights = search.question.weights;
        let Evidence { mut said, mut length, mut meaning } = self.of(document).clone();
        let mut words = lexical::score(&said, length, search.average, &search.asked, weights);
        if weights.context > 0.0 {
            let c = weights.context;
            let (mates, at) = search.index.mates(document);
            let near: Vec<(u32, f32)> = [(at.wrapping_sub(2), weights.spare[1]), (at.wrapping_sub(1), 1.0), (at + 1, weights.spare[2])]
                .into_iter()
                .filter_map(|(i, w)| Some((*mates.get(i)?, w)))
                .filter(|(m, w)| *w > 0.0 && search.allowed.contains(*m))
                .collect();
            let mut sum_words = 0.0;
            let mut sum_meaning = 0.0;
            let mut sum_w = 0.0;
            let mut max_words = 0.0_f32;
            let mut max_meaning = 0.0_f32;
            for (mate, w) in &near {
                let e = self.of(*mate).clone();
                let ws = lexical::score(&e.said, e.length, search.average, &search.asked, weights);
                sum_words += w * ws;
                max_words = max_words.max(w * ws);
                if let Some(m) = e.meaning {
                    sum_meaning += w * m;
                    max_meaning = max_meaning.max(w * m);
                }
                sum_w += w;
                for (a, b) in said.iter_mut().zip(&e.said) {
                    *a += c * w * b;
                }
                length += c * w * e.length;
            }
            let mode = weights.spare[0] as i32;
            match mode {
                0 => words = lexical::score(&said, length, search.average, &search.asked, weights),
                1 => words += c * sum_words,
                2 => words = (words + c * sum_words) / (1.0 + c * sum_w),
                3 => words += c * max_words,
                _ => {}
            }
            if let Some(m) = &mut meaning {
                match weights.spare[3] as i32 {
                    0 | 2 => *m = (*m + c * sum_meaning) / (1.0 + c * sum_w),
                    1 => *m += c * sum_meaning,
                    3 => *m += c * max_meaning,
                    _ => {}
                }
            }
        }
        let code = if search.question.anchors.is_empty() {
            0.0
        } else {
            code(search.question.anchors, search.index.filters.anchors(&entry.marks))
        };
        Some(Candidate { facts: &entry.facts, code, words, meaning, relevance: 0.0, why: Why::default() })
    }
}

struct Stretch {
    least: f32,
    most: f32,
    middle: f32,
}

impl Stretch {
    fn over(values: impl Iterator<Item = f32>) -> Self {
        let (mut least, mut most, mut sum, mut count) = (f32::INFINITY, f32::NEG_INFINITY, 0.0, 0.0_f32);
        for value in values {
            (least, most, sum, count) = (least.min(value), most.max(value), sum + value, count + 1.0);
        }
        let mut stretch = Self { least, most, middle: 0.0 };
        stretch.middle = if count > 0.0 { stretch.of(sum / count) } else { 0.0 };
        stretch
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
