use super::{
    super::{
        Checkpoint, Edge, Hash, Node,
        checkpoint::origin,
        export::{LastLine, entry_line},
        leaf,
        tree::{Claim, Kept},
        verify::verify,
    },
    key,
};
use crate::model::{Actor, ActorKind, AuditId, Role, trail::Entry};
use serde_json::json;
use time::macros::datetime;
use tlog_tiles::record_hash;
use uuid::Uuid;

fn entry(n: u128) -> Entry {
    Entry {
        id: AuditId(Uuid::from_u128(n)),
        index: None,
        at: datetime!(2026-11-16 09:30:00.25 UTC),
        actor: Actor { kind: ActorKind::Agent, id: Uuid::from_u128(7), name: "whoever they are today".into() },
        role: Some(Role::Writer),
        action: "memory.judged".into(),
        target: Some(("memory".into(), Uuid::from_u128(8))),
        version: None,
        request_id: "r-\"1\"".into(),
        session_id: None,
        digest: Some(vec![0xab, 0x01]),
        details: Some(json!({"verdict": "used", "receipt": "x", "among": {"b": 1, "a": [{"d": 2, "c": 3}]}})),
    }
}

struct Sealed {
    lines: Vec<(String, Hash)>,
    kept: Vec<(Node, Hash)>,
    edge: Edge,
}

fn sealed(count: u64) -> Sealed {
    let mut all = Sealed { lines: Vec::new(), kept: Vec::new(), edge: Edge::default() };
    for n in 0..count {
        let text = leaf::text_of(&entry(n.into()), n).expect("text");
        let hash = record_hash(text.as_bytes());
        all.edge.push(hash, |node, hash| {
            if node.is_kept() {
                all.kept.push((node, hash));
            }
        });
        all.lines.push((text, hash));
    }
    all
}

fn checkpoint(edge: &Edge, seed: u8) -> String {
    let checkpoint = Checkpoint { origin: origin("cairn.example.org/trail", Uuid::from_u128(5)), size: edge.size(), root: edge.root() };
    key(seed).0.sign(&checkpoint.text()).expect("signs")
}

fn complete(sealed: &Sealed, seed: u8) -> String {
    let mut text: String = sealed.lines.iter().map(|(leaf, hash)| entry_line(leaf, *hash, None)).collect();
    text += &LastLine { checkpoint: checkpoint(&sealed.edge, seed), complete: true }.text().expect("a line");
    text
}

fn filtered(sealed: &Sealed, indexes: &[u64]) -> String {
    let (size, kept): (u64, Kept) = (sealed.edge.size(), sealed.kept.iter().copied().collect());
    let line = |index: &u64| {
        let proof = Claim::Inclusion { index: *index, size }.prove(&kept).expect("a proof");
        let (leaf, hash) = &sealed.lines[usize::try_from(*index).expect("small")];
        entry_line(leaf, *hash, Some(&proof))
    };
    let mut text: String = indexes.iter().map(line).collect();
    text += &LastLine { checkpoint: checkpoint(&sealed.edge, 1), complete: false }.text().expect("a line");
    text
}

#[test]
fn a_leaf_is_written_in_one_way() {
    assert_eq!(
        leaf::text_of(&entry(1), 42).expect("text"),
        r#"{"index":42,"id":"00000000-0000-0000-0000-000000000001","at":"2026-11-16T09:30:00.25Z","actor":{"type":"agent","id":"00000000-0000-0000-0000-000000000007"},"role":"writer","action":"memory.judged","target":{"type":"memory","id":"00000000-0000-0000-0000-000000000008"},"version":null,"request_id":"r-\"1\"","session_id":null,"digest":"ab01","details":{"among":{"a":[{"c":3,"d":2}],"b":1},"receipt":"x","verdict":"used"}}"#
    );
}

#[test]
fn an_untouched_export_holds_and_says_what_was_not_checked() {
    let (sealed, vkey) = (sealed(40), key(1).1);
    let then = checkpoint(&self::sealed(13).edge, 1);
    let report = verify(complete(&sealed, 1).as_bytes(), &[&vkey], Some(&then)).expect("holds");
    assert_eq!((report.entries, report.complete, report.since), (40, true, Some(13)));
    assert!(!report.to_string().contains("NOT CHECKED"), "{report}");
    let unsure = verify(complete(&sealed, 1).as_bytes(), &[] as &[&str], None).expect("holds");
    assert_eq!(unsure.to_string().matches("NOT CHECKED").count(), 2, "{unsure}");
    let some = verify(filtered(&sealed, &[0, 7, 39]).as_bytes(), &[&vkey], None).expect("holds");
    assert_eq!((some.entries, some.complete), (3, false));
    assert_eq!(verify(filtered(&sealed, &[]).as_bytes(), &[&vkey], None).expect("holds").entries, 0);
    assert_eq!(verify(complete(&self::sealed(0), 1).as_bytes(), &[&vkey], None).expect("holds").entries, 0);
}

#[test]
fn no_byte_can_be_changed_taken_away_or_added() {
    let (sealed, vkey) = (sealed(5), key(1).1);
    for export in [complete(&sealed, 1), filtered(&sealed, &[1, 3])] {
        for n in 0..export.len() {
            let mut changed = export.clone().into_bytes();
            changed[n] ^= 1;
            assert!(verify(&changed, &[&vkey], None).is_err(), "byte {n} changed");
            let mut shorter = export.clone().into_bytes();
            shorter.remove(n);
            assert!(verify(&shorter, &[&vkey], None).is_err(), "byte {n} taken away");
            for more in *b" \n\"0," {
                let mut longer = export.clone().into_bytes();
                longer.insert(n, more);
                assert!(verify(&longer, &[&vkey], None).is_err(), "{more} added at byte {n}");
            }
        }
        assert!(verify((export.clone() + "\n").as_bytes(), &[&vkey], None).is_err());
        assert!(verify(export.as_bytes(), &[&vkey], None).is_ok());
    }
}

#[test]
fn the_first_entry_that_does_not_hold_is_named() {
    let (sealed, vkey) = (sealed(40), key(1).1);
    let export = complete(&sealed, 1);
    let lines: Vec<&str> = export.split_inclusive('\n').collect();
    let at = |text: String| verify(text.as_bytes(), &[&vkey], None).expect_err("is broken").index;
    assert_eq!(at(export.replacen("\"index\":17,\"id\"", "\"index\":17,\"Id\"", 1)), Some(17));
    assert_eq!(at([&lines[..9], &lines[10..]].concat().concat()), Some(9));
    let mut swapped = lines.clone();
    swapped.swap(20, 21);
    assert_eq!(at(swapped.concat()), Some(20));
    assert_eq!(at([&lines[..12], &lines[11..]].concat().concat()), Some(12));
    assert_eq!(at([&lines[..30], &lines[40..]].concat().concat()), Some(30));
}

#[test]
fn a_cut_off_end_and_a_rewritten_past_are_found_by_an_earlier_checkpoint() {
    let vkey = key(1).1;
    let then = checkpoint(&sealed(20).edge, 1);
    let cut_off = complete(&sealed(19), 1);
    assert!(verify(cut_off.as_bytes(), &[&vkey], None).is_ok(), "by itself it is a trail");
    assert_eq!(verify(cut_off.as_bytes(), &[&vkey], Some(&then)).expect_err("cut off").index, Some(19));
    let mut rewritten = Sealed { lines: Vec::new(), kept: Vec::new(), edge: Edge::default() };
    for n in 0..30_u64 {
        let text = leaf::text_of(&entry(if n == 3 { 99 } else { n.into() }), n).expect("text");
        rewritten.edge.push(record_hash(text.as_bytes()), |_, _| ());
        rewritten.lines.push((text.clone(), record_hash(text.as_bytes())));
    }
    let rewritten = complete(&rewritten, 1);
    assert!(verify(rewritten.as_bytes(), &[&vkey], None).is_ok(), "whoever holds the key can lie, once");
    assert!(verify(rewritten.as_bytes(), &[&vkey], Some(&then)).is_err());
}

#[test]
fn a_forger_without_the_key_is_found() {
    let (ours, theirs) = (key(1).1, key(2).1);
    let forged = complete(&sealed(9), 2);
    assert!(verify(forged.as_bytes(), &[&theirs], None).is_ok());
    assert!(verify(forged.as_bytes(), &[&ours], None).is_err());
    let then = checkpoint(&sealed(4).edge, 2);
    assert!(verify(complete(&sealed(9), 1).as_bytes(), &[&ours], Some(&then)).is_err(), "the earlier one has to be signed too");
    assert!(verify(complete(&sealed(9), 1).as_bytes(), &[&ours, &theirs], Some(&then)).is_ok(), "as after a change of keys");
}
