//! The tree of RFC 6962: growing it, and proving from a few of its nodes what is in it.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};
use tlog_tiles::{EMPTY_HASH, Error, Hash, HashReader, node_hash, prove_record, prove_tree, split_stored_hash_index};

/// Of the levels above the leaves only every so many are kept; a node between is made again from those below it.
pub const KEPT_EVERY: u8 = 4;

/// A complete node: level 0 are the leaves, and each has a place in its level, from the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node {
    pub level: u8,
    pub place: u64,
}

impl Node {
    pub fn is_kept(self) -> bool {
        self.level.is_multiple_of(KEPT_EVERY)
    }

    /// The kept nodes that it is made of, from the left; itself, if it is one.
    fn made_of(self) -> impl Iterator<Item = Self> {
        let down = self.level % KEPT_EVERY;
        let first = self.place << down;
        (first..first + (1 << down)).map(move |place| Self { level: self.level - down, place })
    }
}

/// The right edge of a tree: all that is needed to go on adding leaves.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Edge {
    size: u64,
    /// Roots of the complete subtrees, largest first.
    peaks: Vec<Hash>,
}

impl Edge {
    /// The nodes that an edge is made of.
    pub fn peaks_of(size: u64) -> Vec<Node> {
        let levels = (0..64_u8).rev().filter(|level| size >> level & 1 == 1);
        levels.map(|level| Node { level, place: (size >> level) - 1 }).collect()
    }

    /// The edge of a tree of which these nodes were kept.
    pub fn of(size: u64, kept: &Kept) -> Result<Self, Error> {
        let peaks = Self::peaks_of(size).into_iter().map(|node| kept.hash(node)).collect::<Result<_, _>>()?;
        Ok(Self { size, peaks })
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf, and tells of every node that is complete with it, the leaf first.
    pub fn push(&mut self, leaf: Hash, mut complete: impl FnMut(Node, Hash)) {
        let (mut node, mut hash) = (Node { level: 0, place: self.size }, leaf);
        complete(node, hash);
        while node.place % 2 == 1
            && let Some(left) = self.peaks.pop()
        {
            hash = node_hash(left, hash);
            node = Node { level: node.level + 1, place: node.place / 2 };
            complete(node, hash);
        }
        self.peaks.push(hash);
        self.size += 1;
    }

    pub fn root(&self) -> Hash {
        self.peaks.iter().rev().copied().reduce(|right, left| node_hash(left, right)).unwrap_or(EMPTY_HASH)
    }
}

/// Nodes as they were kept, to prove from.
#[derive(Default, Debug)]
pub struct Kept(BTreeMap<Node, Hash>);

impl FromIterator<(Node, Hash)> for Kept {
    fn from_iter<I: IntoIterator<Item = (Node, Hash)>>(nodes: I) -> Self {
        Self(nodes.into_iter().collect())
    }
}

impl Kept {
    fn hash(&self, node: Node) -> Result<Hash, Error> {
        let mut row =
            node.made_of().map(|node| self.0.get(&node).copied().ok_or(Error::IndexesNotInTree)).collect::<Result<Vec<_>, _>>()?;
        while row.len() > 1 {
            row = row.chunks_exact(2).map(|pair| node_hash(pair[0], pair[1])).collect();
        }
        row.pop().ok_or(Error::BadMath)
    }
}

impl HashReader for Kept {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Error> {
        indexes.iter().map(|index| self.hash(node_at(*index))).collect()
    }
}

/// Notes what a proof would be made of.
#[derive(Default)]
struct Wanted(RefCell<Vec<Node>>);

impl HashReader for Wanted {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Error> {
        self.0.borrow_mut().extend(indexes.iter().map(|index| node_at(*index)));
        Ok(vec![EMPTY_HASH; indexes.len()])
    }
}

fn node_at(index: u64) -> Node {
    let (level, place) = split_stored_hash_index(index);
    Node { level, place }
}

/// What is to be proven of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The leaf at this index is in the tree of this size.
    Inclusion { index: u64, size: u64 },
    /// The tree of the first size is the beginning of that of the second.
    Consistency { from: u64, to: u64 },
}

impl Claim {
    /// The kept nodes that its proof is made of.
    pub fn needs(self) -> Result<BTreeSet<Node>, Error> {
        let wanted = Wanted::default();
        self.made_from(&wanted)?;
        Ok(wanted.0.into_inner().into_iter().flat_map(Node::made_of).collect())
    }

    /// The proof, as RFC 6962 has it.
    pub fn prove(self, kept: &Kept) -> Result<Vec<Hash>, Error> {
        self.made_from(kept)
    }

    fn made_from(self, reader: &impl HashReader) -> Result<Vec<Hash>, Error> {
        match self {
            Self::Inclusion { index, size } => prove_record(size, index, reader),
            Self::Consistency { from, to } if from == to => Ok(Vec::new()),
            Self::Consistency { from, to } => prove_tree(to, from, reader),
        }
    }
}

/// The kept nodes that the edge of a tree is made of.
pub fn edge_needs(size: u64) -> BTreeSet<Node> {
    Edge::peaks_of(size).into_iter().flat_map(Node::made_of).collect()
}
