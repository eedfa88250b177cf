//! What words mean, by the vectors that ship with the server: how much of one text the other speaks of too, in whatever words.

use super::{
    alternatives, scope, synonyms,
    text::{Reading, Role, Word},
};
use crate::engines::recall::semantic::{Model, Vector};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The length of the vectors of rare words; longer ones are those of odd pieces.
const RAREST: f32 = 110.0;
/// What a number weighs among words, and what a word that goes with anything keeps of its weight.
const NUMBER: f32 = 40.0;
const GENERIC: f32 = 0.4;
/// From here two words are taken for the same; below the other they have nothing to do with each other.
const SAME: f32 = 0.55;
const NEAR: f32 = 0.35;
/// Pairs of sentences that are remembered at a time: a text of thousands of them must not take memory for all.
const MOST_BESIDE: usize = 1024;
/// Words at the beginning of a text that say what it is about.
const HEADS: usize = 2;

/// The telling words of one text, each once, with what they mean.
pub struct Meaning {
    words: Vec<Meant>,
    /// For each sentence of the reading, the title's words and its own.
    contexts: Vec<Vec<usize>>,
    /// For each word of the reading, where it stands among these.
    places: Vec<Option<usize>>,
    content: Option<Vector>,
}

struct Meant {
    stem: String,
    weight: f32,
    vector: Option<Vector>,
    titled: bool,
    told: bool,
    named: bool,
    head: bool,
    number: bool,
    /// The category of a tool: another one of it is an answer, not another subject.
    category: Option<usize>,
    /// How often it is affirmed, less how often it is denied.
    stance: i8,
}

/// How one text's words stand in the other.
#[derive(Default)]
pub struct Cover {
    /// How much of all it says.
    pub all: f32,
    /// How much of what both its title and its content name is unknown to the other.
    pub subject_own: f32,
    /// Its title has a name that the other does not know.
    pub named_own: bool,
    /// How much of its title stands in the other's title.
    pub title: f32,
    /// How much of its first words.
    pub head: f32,
}

impl Meaning {
    pub fn of(reading: &Reading) -> Self {
        let mut words: Vec<Meant> = Vec::new();
        let mut places: FxHashMap<&str, usize> = FxHashMap::default();
        let mut contexts: Vec<Vec<usize>> = vec![Vec::new(); reading.words.last().map_or(1, |last| last.sentence + 1)];
        let mut heads = 0;
        for (at, word) in reading.words.iter().enumerate() {
            if word.role == Role::Stop || word.part {
                continue;
            }
            let titled = at < reading.title;
            let head = !titled && heads < HEADS && word.role != Role::Number && !synonyms::is_generic(&word.stem);
            heads += usize::from(head);
            let place = *places.entry(&word.stem).or_insert_with(|| {
                words.push(Meant::of(word));
                words.len() - 1
            });
            let known = &mut words[place];
            known.titled |= titled;
            known.told |= !titled;
            known.head |= head;
            known.named |= word.role == Role::Name;
            if !titled {
                known.stance = known.stance.saturating_add(if word.denied { -1 } else { 1 });
            }
            if !known.number && !contexts[word.sentence].contains(&place) {
                contexts[word.sentence].push(place);
            }
        }
        let titled: Vec<usize> = (0..words.len()).filter(|at| words[*at].titled && !words[*at].number).collect();
        for context in &mut contexts {
            let more: Vec<usize> = titled.iter().copied().filter(|at| !context.contains(at)).collect();
            context.extend(more);
        }
        let content = sum(&words, |word| word.told);
        let places = reading.words.iter().map(|word| places.get(word.stem.as_str()).copied()).collect();
        Self { words, contexts, places, content }
    }

    /// How near the contents are in meaning.
    pub fn nearness(&self, other: &Self) -> f32 {
        let cosine = |one: &Option<Vector>, other: &Option<Vector>| one.as_ref().zip(other.as_ref()).map_or(0.0, |(a, b)| a.cosine(b));
        cosine(&self.content, &other.content)
    }
}

impl Meant {
    fn of(word: &Word) -> Self {
        let (number, found) = (word.role == Role::Number, Model::builtin().word(&word.low));
        let length = found.as_ref().map_or(RAREST, |(_, length)| length.min(RAREST));
        let weight = match () {
            () if number => NUMBER,
            () if synonyms::is_generic(&word.stem) => length * GENERIC,
            () => length,
        };
        let vector = found.map(|(vector, _)| vector);
        let category = alternatives::known(word).map(|(category, _)| category);
        Self { stem: word.stem.clone(), weight, vector, titled: false, told: false, named: false, head: false, number, category, stance: 0 }
    }

    fn near(&self, other: &Self) -> f32 {
        if self.stem == other.stem {
            return 1.0;
        }
        if self.number || other.number {
            return 0.0;
        }
        self.vector.as_ref().zip(other.vector.as_ref()).map_or(0.0, |(one, other)| one.cosine(other)).max(0.0)
    }

    /// Whether the content affirms or denies it, all in all.
    fn is_said(&self) -> bool {
        !self.number && self.stance != 0
    }

    /// Whether it tells one subject from another.
    fn tells(&self) -> bool {
        !self.number && !scope::says_little(&self.stem)
    }
}

fn sum(words: &[Meant], counts: impl Fn(&Meant) -> bool) -> Option<Vector> {
    let mut sum: Vec<f32> = Vec::new();
    for (word, vector) in words.iter().filter(|word| counts(word)).filter_map(|word| Some((word, word.vector.as_ref()?))) {
        sum.resize(vector.codes.len(), 0.0);
        for (sum, code) in sum.iter_mut().zip(&vector.codes) {
            *sum += f32::from(*code) * vector.scale * word.weight;
        }
    }
    Vector::quantise(&sum)
}

/// The words of two texts against each other.
pub struct Pair<'a> {
    there: &'a Meaning,
    here: &'a Meaning,
    /// For each word there and each here, how near they are.
    near: Vec<f32>,
    /// Of sentences that were held against each other: a text of many figures asks for the same two again and again.
    contexts: RefCell<FxHashMap<(usize, usize), Beside>>,
}

/// For each word of a sentence there, and for each of one here, the nearest of the other.
type Beside = [Vec<Nearest>; 2];

/// How near the nearest word of another sentence is, which that is, and how near the next one is.
#[derive(Clone, Copy, Default)]
struct Nearest {
    best: f32,
    at: Option<usize>,
    next: f32,
}

impl Nearest {
    fn of(all: impl Iterator<Item = (usize, f32)>) -> Self {
        all.fold(Self::default(), |nearest, (at, near)| match () {
            () if near > nearest.best => Self { best: near, at: Some(at), next: nearest.best },
            () => Self { next: nearest.next.max(near), ..nearest },
        })
    }

    fn but_for(&self, word: Option<usize>) -> f32 {
        if word.is_some() && self.at == word { self.next } else { self.best }
    }
}

impl<'a> Pair<'a> {
    pub fn of(there: &'a Meaning, here: &'a Meaning) -> Self {
        let near = there.words.iter().flat_map(|one| here.words.iter().map(|other| one.near(other))).collect();
        Self { there, here, near, contexts: RefCell::default() }
    }

    /// How near two words are.
    pub fn near(&self, row: usize, column: usize) -> f32 {
        self.near[row * self.here.words.len() + column]
    }

    /// How near the nearest word of the new text is.
    pub fn best_of_row(&self, row: usize) -> f32 {
        (0..self.here.words.len()).map(|column| self.near(row, column)).fold(0.0, f32::max)
    }

    /// How near the nearest word of the old text is.
    pub fn best_of_column(&self, column: usize) -> f32 {
        (0..self.there.words.len()).map(|row| self.near(row, column)).fold(0.0, f32::max)
    }

    /// Where the old text has a word.
    pub fn row(&self, stem: &str) -> Option<usize> {
        self.there.words.iter().position(|word| word.stem == stem)
    }

    /// Where the new one has it.
    pub fn column(&self, stem: &str) -> Option<usize> {
        self.here.words.iter().position(|word| word.stem == stem)
    }

    /// How the old text's words stand in the new one, and the other way round.
    pub fn covers(&self) -> (Cover, Cover) {
        (cover(self.there, self.here, |one, other| self.near(one, other)), cover(self.here, self.there, |one, other| self.near(other, one)))
    }

    /// How much of what both speak of is denied by both, from 0 to 1.
    pub fn denied(&self) -> f32 {
        let (mut all, mut denied) = (0.0, 0.0);
        for (row, one) in self.there.words.iter().enumerate().filter(|(_, word)| word.is_said()) {
            let others = self.here.words.iter().enumerate().filter(|(_, word)| word.is_said());
            let nearest = others.map(|(column, word)| (self.near(row, column), word)).max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((near, other)) = nearest.filter(|(near, _)| *near >= SAME) else { continue };
            let weight = near * one.weight.min(other.weight);
            all += weight;
            denied += if one.stance < 0 && other.stance < 0 { weight } else { 0.0 };
        }
        if all > 0.0 { denied / all } else { 0.0 }
    }

    /// How much of what stands around the one stands around the other too, from 0 to 1.
    pub fn around(&self, old: &Reading, one: usize, new: &Reading, other: usize) -> f32 {
        let (row, column) = (self.there.places[one], self.here.places[other]);
        let sentences = (old.words[one].sentence, new.words[other].sentence);
        let (rows, columns) = (&self.there.contexts[sentences.0], &self.here.contexts[sentences.1]);
        let mut contexts = self.contexts.borrow_mut();
        if contexts.len() >= MOST_BESIDE {
            contexts.clear();
        }
        let [forth, back] = contexts.entry(sentences).or_insert_with(|| {
            let forth = |row: &usize| Nearest::of(columns.iter().map(|column| (*column, soft(self.near(*row, *column)))));
            let back = |column: &usize| Nearest::of(rows.iter().map(|row| (*row, soft(self.near(*row, *column)))));
            [rows.iter().map(forth).collect(), columns.iter().map(back).collect()]
        });
        let part = |meaning: &Meaning, places: &[usize], nearest: &[Nearest], own: Option<usize>, its: Option<usize>| {
            let others = places.iter().zip(nearest).filter(|(at, _)| Some(**at) != own);
            mean(others.map(|(at, nearest)| (meaning.words[*at].weight, nearest.but_for(its))))
        };
        let (forth, back) = (part(self.there, rows, forth, row, column), part(self.here, columns, back, column, row));
        forth.max(back) * 0.5 + (forth * back).sqrt() * 0.5
    }
}

fn cover(one: &Meaning, other: &Meaning, near: impl Fn(usize, usize) -> f32) -> Cover {
    let nearest = |at: usize, counts: &dyn Fn(&Meant) -> bool| {
        (0..other.words.len()).filter(|to| counts(&other.words[*to])).map(|to| near(at, to)).fold(0.0, f32::max)
    };
    let best: Vec<f32> = (0..one.words.len()).map(|at| nearest(at, &|_| true)).collect();
    let those = |counts: &dyn Fn(&Meant) -> bool| (0..one.words.len()).filter(|at| counts(&one.words[*at])).collect::<Vec<_>>();
    let is = |yes: bool| f32::from(u8::from(yes));
    let answers = |word: &Meant| word.category.is_some() && other.words.iter().any(|rival| rival.category == word.category);
    let titled = those(&|word| word.titled && word.tells() && !answers(word));
    Cover {
        all: part(one, &those(&|word| !word.number), |at| soft(best[at])),
        subject_own: part(one, &those(&|word| word.titled && word.told && word.tells() && !answers(word)), |at| is(best[at] < SAME)),
        named_own: titled.iter().any(|at| one.words[*at].named && best[*at] < SAME),
        title: part(one, &titled, |at| is(nearest(at, &|word| word.titled) >= SAME)),
        head: part(one, &those(&|word| word.head), |at| soft(best[at])),
    }
}

/// The weighted mean of what is said of these words.
fn part(meaning: &Meaning, places: &[usize], of: impl Fn(usize) -> f32) -> f32 {
    mean(places.iter().map(|at| (meaning.words[*at].weight, of(*at))))
}

fn mean(weighted: impl Iterator<Item = (f32, f32)>) -> f32 {
    let (mut all, mut got) = (0.0, 0.0);
    for (weight, value) in weighted {
        all += weight;
        got += weight * value;
    }
    if all > 0.0 { got / all } else { 0.0 }
}

fn soft(near: f32) -> f32 {
    if near < NEAR { 0.0 } else { near }
}
