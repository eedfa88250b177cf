//! Where a term is said: documents in rising order, each with how much it says it.

/// Most terms are said by one document, which needs no list.
#[derive(Debug)]
pub enum Postings {
    One(u32, u8),
    Many(Box<List>),
}

/// Two columns of one length. A weight of nought is the place of one that is gone.
#[derive(Default, Debug)]
pub struct List {
    documents: Vec<u32>,
    weights: Vec<u8>,
    gone: usize,
}

/// From here on taking one out of the middle costs more than leaving an empty place.
const LONG: usize = 2048;

impl Postings {
    /// The document is the newest: the order is kept by construction.
    pub fn push(&mut self, document: u32, weight: u8) {
        match self {
            Self::One(first, its) => {
                let list = List { documents: vec![*first, document], weights: vec![*its, weight], gone: 0 };
                *self = Self::Many(Box::new(list));
            }
            Self::Many(list) => list.push(document, weight),
        }
    }

    /// Takes a document out; true when none is left. Nothing of it stays: an empty place bears its neighbour's number.
    pub fn remove(&mut self, document: u32) -> bool {
        match self {
            Self::One(only, _) => *only == document,
            Self::Many(list) => {
                list.remove(document);
                list.documents.is_empty()
            }
        }
    }

    /// How many documents say it.
    pub fn len(&self) -> usize {
        match self {
            Self::One(..) => 1,
            Self::Many(list) => list.documents.len() - list.gone,
        }
    }

    /// Whether this one says it.
    pub fn names(&self, document: u32) -> bool {
        let (documents, weights) = self.columns();
        let from = documents.partition_point(|&other| other < document);
        documents[from..].iter().zip(&weights[from..]).take_while(|(other, _)| **other == document).any(|(_, weight)| *weight > 0)
    }

    /// Both columns, empty places included: they weigh nothing.
    pub fn columns(&self) -> (&[u32], &[u8]) {
        match self {
            Self::One(document, weight) => (std::slice::from_ref(document), std::slice::from_ref(weight)),
            Self::Many(list) => (&list.documents, &list.weights),
        }
    }

    /// After documents were renumbered in the same order. None of the gone ones may be in here any more.
    pub fn renumber(&mut self, new: &[u32]) {
        match self {
            Self::One(document, _) => *document = new[*document as usize],
            Self::Many(list) => {
                list.close_ranks();
                list.documents.iter_mut().for_each(|document| *document = new[*document as usize]);
            }
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Self::One(..) => 0,
            Self::Many(list) => size_of::<List>() + list.documents.capacity() * 4 + list.weights.capacity(),
        }
    }
}

impl List {
    fn push(&mut self, document: u32, weight: u8) {
        if self.documents.len() == self.documents.capacity() {
            // Doubling would leave a third of the index empty.
            let more = self.documents.len() / 4 + 2;
            self.documents.reserve_exact(more);
            self.weights.reserve_exact(more);
        }
        self.documents.push(document);
        self.weights.push(weight);
    }

    fn remove(&mut self, document: u32) {
        let from = self.documents.partition_point(|&other| other < document);
        let Some(at) = (from..self.documents.len()).take_while(|&at| self.documents[at] == document).find(|&at| self.weights[at] > 0)
        else {
            return;
        };
        if self.documents.len() < LONG {
            self.documents.remove(at);
            self.weights.remove(at);
            return;
        }
        self.weights[at] = 0;
        self.gone += 1;
        if self.gone * 4 > self.documents.len() {
            return self.close_ranks();
        }
        // Its number is overwritten, here and in empty places that had borrowed it.
        let last = (from..self.documents.len()).take_while(|&at| self.documents[at] == document).last().unwrap_or(at);
        let neighbour = if from > 0 { self.documents.get(from - 1) } else { self.documents.get(last + 1) }.copied();
        match neighbour {
            Some(neighbour) => self.documents[from..=last].fill(neighbour),
            None => self.close_ranks(),
        }
    }

    fn close_ranks(&mut self) {
        let mut kept = 0;
        for at in 0..self.documents.len() {
            if self.weights[at] > 0 {
                self.documents[kept] = self.documents[at];
                self.weights[kept] = self.weights[at];
                kept += 1;
            }
        }
        self.documents.truncate(kept);
        self.weights.truncate(kept);
        self.gone = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(postings: &Postings) -> Vec<(u32, u8)> {
        let (documents, weights) = postings.columns();
        documents.iter().copied().zip(weights.iter().copied()).filter(|(_, weight)| *weight > 0).collect()
    }

    #[test]
    fn what_is_taken_out_leaves_no_number_behind() {
        for size in [2_u32, 100, 5000] {
            let mut postings = Postings::One(0, 1);
            (1..size).for_each(|document| postings.push(document, 7));
            let mut left: Vec<u32> = (0..size).collect();
            for document in (0..size).rev().step_by(3).chain((0..size).step_by(2)) {
                let before = left.len();
                left.retain(|&other| other != document);
                assert_eq!(postings.remove(document), left.is_empty());
                if left.is_empty() {
                    break;
                }
                assert!(!postings.columns().0.contains(&document), "{document} of {size}");
                assert!(postings.columns().0.is_sorted());
                assert_eq!(postings.len(), left.len().min(before));
            }
            assert_eq!(said(&postings).into_iter().map(|(document, _)| document).collect::<Vec<_>>(), left);
        }
    }
}
