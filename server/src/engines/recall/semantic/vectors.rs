//! All vectors of one index, row after row, and the search for those nearest to a question.

use roaring::RoaringBitmap;

use super::{Vector, kernels, signs::Signs};

/// A row whose document is gone, or a document without rows.
const NONE: u32 = u32::MAX;

/// Rows scored at a time: enough to keep the processor busy, few enough for its nearest cache.
const BLOCK: usize = 64;

/// Up to here every row is scored. Beyond, the signs choose the rows first: at 20,000 rows that takes 0.25 ms instead of 0.35,
/// at 100,000 0.6 instead of 2.0, at 1,000,000 4.6 instead of 22 (the median of ten nearest, 256 dimensions, one core with AVX2).
const EXACT_UP_TO: usize = 16_000;

/// Rows that the signs let through for each document asked for, and at least. What is lost by it, with 687 questions over 20,000 to
/// 1,000,000 texts: of the true first ten at most 0.1 %; of the true first hundred at most 3.7 % if a hundred are asked for, 1.3 % if
/// two hundred. A thousand rows more take 0.3 to 1 ms at 1,000,000.
const KEPT_FOR_EACH: usize = 10;
const KEPT_AT_LEAST: usize = 1_000;

/// Allowed documents are looked up one by one if they are fewer than one in so many rows; else all rows are scanned and only good ones asked.
const SELECTIVE: u64 = 4;

/// Long texts are compared with each other by their first rows: near-duplicates begin alike.
const COMPARED_ROWS: usize = 16;

/// Rows of int8 codes; the rows of one document lie together. Documents are small numbers, counted up by the index.
#[derive(Default)]
pub struct Vectors {
    dimension: usize,
    codes: Vec<i8>,
    scales: Vec<f32>,
    /// Row → document.
    documents: Vec<u32>,
    /// Document → its first row.
    first_rows: Vec<u32>,
    /// Rows whose document is gone: so few that asking them is quicker than looking up a document.
    gone: RoaringBitmap,
    signs: Option<Signs>,
}

impl Vectors {
    pub fn new() -> Self {
        Self::default()
    }

    /// The vectors of a document, in place of those it had. The first vector of all fixes the dimension; one of another is passed over.
    pub fn put(&mut self, document: u32, vectors: &[Vector]) {
        self.remove(document);
        if self.documents.is_empty() {
            self.dimension = vectors.first().map_or(0, |vector| vector.codes.len());
        }
        let (first_row, dimension) = (self.documents.len(), self.dimension);
        for vector in vectors.iter().filter(|vector| !vector.codes.is_empty() && vector.codes.len() == dimension) {
            self.append(document, &vector.codes, vector.scale);
        }
        if self.documents.len() > first_row {
            self.set_first_row(document, first_row);
            self.sign();
        }
    }

    /// Forgets a document: its rows are zeroed at once and given back with the next `compact`.
    pub fn remove(&mut self, document: u32) {
        for row in self.rows(document) {
            self.codes[row * self.dimension..(row + 1) * self.dimension].fill(0);
            self.scales[row] = 0.0;
            self.documents[row] = NONE;
            self.gone.insert(u32::try_from(row).unwrap_or(NONE));
            if let Some(signs) = &mut self.signs {
                signs.clear(row);
            }
        }
        if let Some(first_row) = self.first_rows.get_mut(document as usize) {
            *first_row = NONE;
        }
    }

    /// The documents nearest to a question, each by its best row, best first; only allowed ones, if that is given.
    pub fn nearest(&self, query: &Vector, allowed: Option<&RoaringBitmap>, count: usize) -> Vec<(u32, f32)> {
        if query.codes.len() != self.dimension || self.documents.is_empty() || count == 0 {
            return Vec::new();
        }
        let mut best = Best::of(count);
        let kept = KEPT_AT_LEAST.max(count.saturating_mul(KEPT_FOR_EACH));
        let few = allowed.filter(|allowed| allowed.len() < self.documents.len() as u64 / SELECTIVE);
        match (&self.signs, few) {
            (Some(signs), Some(few)) if few.len() / 2 > kept as u64 => {
                let rows = few.iter().flat_map(|document| self.rows(document));
                self.rescore(signs.nearest_among(rows, query, kept), query, &mut best);
            }
            (_, Some(few)) => self.rescore(few.iter().flat_map(|document| self.rows(document)), query, &mut best),
            (Some(signs), None) => {
                let rows = signs.nearest(query, kept, |row| self.is_allowed(row, allowed));
                self.rescore(rows, query, &mut best);
            }
            (None, None) => self.scan(query, allowed, &mut best),
        }
        best.sorted(query.scale)
    }

    /// How near a document's best row is to a question.
    pub fn similarity(&self, document: u32, query: &Vector) -> Option<f32> {
        if query.codes.len() != self.dimension {
            return None;
        }
        self.rows(document).map(|row| self.scaled(kernels::dot(&query.codes, self.codes(row)), row) * query.scale).max_by(f32::total_cmp)
    }

    /// How near two documents are to each other, by their best rows.
    pub fn between(&self, a: u32, b: u32) -> Option<f32> {
        let pairs = self.rows(a).take(COMPARED_ROWS).flat_map(|a| self.rows(b).take(COMPARED_ROWS).map(move |b| (a, b)));
        pairs.map(|(a, b)| self.scaled(kernels::dot(self.codes(a), self.codes(b)), a) * self.scales[b]).max_by(f32::total_cmp)
    }

    /// Drops the documents that map to nothing and renumbers the others; gives back what removed rows took.
    pub fn compact(&mut self, renumbered: &dyn Fn(u32) -> Option<u32>) {
        let old = std::mem::replace(self, Self { dimension: self.dimension, ..Self::default() });
        let live = old.documents.iter().filter(|document| **document != NONE).count();
        self.reserve(live);
        for (row, document) in old.documents.iter().enumerate() {
            let Some(document) = (*document != NONE).then(|| renumbered(*document)).flatten() else { continue };
            if self.documents.last() != Some(&document) {
                self.set_first_row(document, self.documents.len());
            }
            self.append(document, old.codes(row), old.scales[row]);
        }
        drop(old);
        self.sign();
    }

    /// The memory that all of this takes.
    pub fn bytes(&self) -> usize {
        self.codes.capacity()
            + self.scales.capacity() * size_of::<f32>()
            + (self.documents.capacity() + self.first_rows.capacity()) * size_of::<u32>()
            + self.gone.serialized_size()
            + self.signs.as_ref().map_or(0, Signs::bytes)
    }

    fn append(&mut self, document: u32, codes: &[i8], scale: f32) {
        if self.documents.len() == self.documents.capacity() {
            // Not doubled, as a vector would by itself: at a million rows half of 300 MB would lie idle.
            self.reserve(64.max(self.documents.len() / 8));
        }
        self.codes.extend_from_slice(codes);
        self.scales.push(scale);
        self.documents.push(document);
    }

    fn reserve(&mut self, rows: usize) {
        self.codes.reserve_exact(rows * self.dimension);
        self.scales.reserve_exact(rows);
        self.documents.reserve_exact(rows);
    }

    fn set_first_row(&mut self, document: u32, row: usize) {
        let document = document as usize;
        if self.first_rows.len() <= document {
            self.first_rows.resize(document + 1, NONE);
        }
        self.first_rows[document] = u32::try_from(row).expect("fewer than four thousand million rows");
    }

    /// Keeps the signs in step with the rows, once there are enough of them.
    fn sign(&mut self) {
        if self.documents.len() <= EXACT_UP_TO {
            return;
        }
        match &mut self.signs {
            Some(signs) if !signs.outgrown(self.documents.len()) => signs.extend(&self.codes, &self.scales),
            _ => self.signs = Some(Signs::of(self.dimension, &self.codes, &self.scales)),
        }
    }

    fn rows(&self, document: u32) -> impl Iterator<Item = usize> + use<> {
        let first = self.first_rows.get(document as usize).copied().filter(|row| *row != NONE);
        let begin = first.map_or(0, |row| row as usize);
        let count = first.map_or(0, |_| self.documents[begin..].iter().take_while(|of| **of == document).count());
        begin..begin + count
    }

    fn codes(&self, row: usize) -> &[i8] {
        &self.codes[row * self.dimension..(row + 1) * self.dimension]
    }

    /// The cosine but for the question's own scale, which is the same for all.
    #[expect(clippy::cast_precision_loss, reason = "a cosine needs no more digits")]
    fn scaled(&self, dot: i32, row: usize) -> f32 {
        dot as f32 * self.scales[row]
    }

    fn is_allowed(&self, row: usize, allowed: Option<&RoaringBitmap>) -> bool {
        match allowed {
            Some(allowed) => self.documents[row] != NONE && allowed.contains(self.documents[row]),
            None => !self.gone.contains(u32::try_from(row).unwrap_or(NONE)),
        }
    }

    /// Rows from here and there. They are copied together before they are scored, so that the waits for memory overlap.
    fn rescore(&self, rows: impl IntoIterator<Item = usize>, query: &Vector, best: &mut Best) {
        let mut rows = rows.into_iter();
        let (mut block, mut codes, mut dots) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK * self.dimension), [0; BLOCK]);
        loop {
            block.clear();
            block.extend(rows.by_ref().take(BLOCK));
            if block.is_empty() {
                return;
            }
            codes.clear();
            for row in &block {
                codes.extend_from_slice(self.codes(*row));
            }
            kernels::dots(&query.codes, &codes, &mut dots);
            for (row, dot) in block.iter().zip(dots) {
                best.offer(self.documents[*row], self.scaled(dot, *row));
            }
        }
    }

    fn scan(&self, query: &Vector, allowed: Option<&RoaringBitmap>, best: &mut Best) {
        let mut dots = [0; BLOCK];
        for (block, codes) in self.codes.chunks(BLOCK * self.dimension).enumerate() {
            let rows = block * BLOCK..block * BLOCK + codes.len() / self.dimension;
            kernels::dots(&query.codes, codes, &mut dots);
            for (row, dot) in rows.zip(dots) {
                let score = self.scaled(dot, row);
                if score > best.floor && self.is_allowed(row, allowed) {
                    best.offer(self.documents[row], score);
                }
            }
        }
    }
}

/// The best documents so far. Rows come document by document; twice as many as asked for are collected before the worse half is let go.
struct Best {
    count: usize,
    found: Vec<(u32, f32)>,
    current: Option<(u32, f32)>,
    /// What a score must exceed to matter.
    floor: f32,
}

impl Best {
    fn of(count: usize) -> Self {
        Self { count, found: Vec::new(), current: None, floor: f32::NEG_INFINITY }
    }

    fn offer(&mut self, document: u32, score: f32) {
        if score <= self.floor {
            return;
        }
        match &mut self.current {
            Some((same, best)) if *same == document => *best = best.max(score),
            _ => {
                self.found.extend(self.current.replace((document, score)));
                if self.found.len() >= self.count.saturating_mul(2) {
                    self.halve();
                }
            }
        }
    }

    fn halve(&mut self) {
        if self.found.len() > self.count {
            self.found.select_nth_unstable_by(self.count - 1, |a, b| b.1.total_cmp(&a.1));
            self.found.truncate(self.count);
            self.floor = self.found[self.count - 1].1;
        }
    }

    fn sorted(mut self, scale: f32) -> Vec<(u32, f32)> {
        self.found.extend(self.current.take());
        self.halve();
        self.found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.found.iter().map(|(document, score)| (*document, score * scale)).collect()
    }
}
