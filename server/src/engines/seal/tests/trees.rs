use super::super::{
    Edge, Hash, Node,
    tree::{Claim, Kept, edge_needs},
};
use proptest::prelude::*;
use tlog_tiles::{check_record, check_tree, node_hash, record_hash};

/// The definition in RFC 6962, section 2.1, as it is written there.
fn by_the_book(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => tlog_tiles::EMPTY_HASH,
        [leaf] => *leaf,
        leaves => {
            let half = leaves.len().next_power_of_two() / 2;
            node_hash(by_the_book(&leaves[..half]), by_the_book(&leaves[half..]))
        }
    }
}

fn leaves(count: u64) -> Vec<Hash> {
    (0..count).map(|n| record_hash(&n.to_be_bytes())).collect()
}

/// A tree, and of its nodes only those that are kept.
fn grown(leaves: &[Hash]) -> (Edge, Vec<(Node, Hash)>) {
    let (mut edge, mut kept) = (Edge::default(), Vec::new());
    for leaf in leaves {
        edge.push(*leaf, |node, hash| {
            if node.is_kept() {
                kept.push((node, hash));
            }
        });
    }
    (edge, kept)
}

/// Only what was asked for, so that a proof cannot be made of more.
fn only(wanted: std::collections::BTreeSet<Node>, kept: &[(Node, Hash)]) -> Kept {
    kept.iter().filter(|(node, _)| wanted.contains(node)).copied().collect()
}

#[test]
fn the_hashes_are_those_that_everybody_else_gets() {
    // The vectors that implementations of Certificate Transparency share.
    let data: [&[u8]; 8] = [b"", b"\x00", b"\x10", b"\x20\x21", b"\x30\x31", b"\x40\x41\x42\x43", b"PQRSTUVW", b"`abcdefghijklmno"];
    let hex = |hash: Hash| crate::model::text::hex(&hash.0);
    let mut edge = Edge::default();
    assert_eq!(hex(edge.root()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    let mut roots = Vec::new();
    for leaf in data {
        edge.push(record_hash(leaf), |_, _| ());
        roots.push(hex(edge.root()));
    }
    assert_eq!(roots[0], "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    assert_eq!(roots[7], "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
}

proptest! {
    #[test]
    fn proofs_hold_and_are_made_of_few_nodes(size in 1_u64..700, a in 0_u64..700, b in 1_u64..700, other in any::<[u8; 32]>()) {
        let (index, from) = (a % size, 1 + b % size);
        let leaves = leaves(size);
        let (edge, kept) = grown(&leaves);
        prop_assert_eq!(edge.root(), by_the_book(&leaves));
        prop_assert_eq!(&Edge::of(size, &only(edge_needs(size), &kept)).unwrap(), &edge);

        let claim = Claim::Inclusion { index, size };
        let proof = claim.prove(&only(claim.needs().unwrap(), &kept)).unwrap();
        let leaf = leaves[usize::try_from(index).unwrap()];
        prop_assert!(check_record(&proof, size, edge.root(), index, leaf).is_ok());
        prop_assert!(check_record(&proof, size, edge.root(), index, Hash(other)).is_err());

        let claim = Claim::Consistency { from, to: size };
        let proof = claim.prove(&only(claim.needs().unwrap(), &kept)).unwrap();
        let then = by_the_book(&leaves[..usize::try_from(from).unwrap()]);
        prop_assert!(check_tree(&proof, size, edge.root(), from, then).is_ok());
        prop_assert!(check_tree(&proof, size, edge.root(), from, Hash(other)).is_err());
    }
}

#[test]
fn an_edge_goes_on_where_it_was_left() {
    let leaves = leaves(1000);
    for left_at in [0, 1, 15, 16, 17, 255, 256, 777] {
        let (_, kept) = grown(&leaves[..left_at]);
        let mut edge = Edge::of(left_at as u64, &only(edge_needs(left_at as u64), &kept)).expect("an edge");
        for leaf in &leaves[left_at..] {
            edge.push(*leaf, |_, _| ());
        }
        assert_eq!(edge.root(), by_the_book(&leaves), "left at {left_at}");
    }
}
