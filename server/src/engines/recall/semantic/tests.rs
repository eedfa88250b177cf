//! What the rest of recall may rely on.

use proptest::prelude::*;
use roaring::RoaringBitmap;

use super::*;

const DIMENSION: usize = 24;

fn embed(text: &str) -> Vector {
    Model::builtin().embed(text).unwrap()
}

#[test]
fn nearer_in_meaning_is_nearer() {
    let question = embed("how do we deploy");
    assert!(question.cosine(&embed("deployment procedure")) > question.cosine(&embed("lunch menu")) + 0.2);
}

#[test]
fn the_same_text_gives_the_same_vector() {
    assert_eq!(embed("Deploys are frozen on Fridays."), embed("Deploys are frozen on Fridays."));
    assert!((embed("frozen").cosine(&embed("frozen")) - 1.0).abs() < 1e-6);
}

#[test]
fn quantising_loses_next_to_nothing() {
    let values: Vec<f32> = (0_u8..=255).map(|place| (f32::from(place) * 1.7).sin() * f32::from(place % 7)).collect();
    let vector = Vector::quantise(&values).unwrap();
    let dot: f32 = values.iter().zip(&vector.codes).map(|(value, code)| value * f32::from(*code) * vector.scale).sum();
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    assert!(dot / length > 0.9998, "{}", dot / length);
}

#[test]
fn what_has_no_direction_has_no_vector() {
    for values in [&[][..], &[0.0, -0.0], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0], &[f32::NEG_INFINITY; 3]] {
        assert_eq!(Vector::quantise(values), None, "{values:?}");
    }
    assert!(Vector::quantise(&[f32::MAX, f32::MAX]).is_some());
    assert!(Vector::quantise(&[f32::MIN_POSITIVE, 0.0]).is_some());
}

#[test]
fn no_text_is_too_strange_to_read() {
    let long = ["the deploy is frozen. ", "x1?", "記憶", "شكرا ", "👩‍💻", "x", "\u{301}"].map(|text| text.repeat(100_000 / text.len()));
    let short = ["", " ", "\u{0}", "🦀", "שלום עולם", "かな", "한국어", "'; drop table memories; --", "(?:a+)+$", "\u{FFFD}\u{202E}"]
        .map(String::from);
    for text in long.iter().chain(&short) {
        let (one, many) = (Model::builtin().embed(text), Model::builtin().embed_long(text));
        assert!(many.len() <= 256);
        assert!(one.is_none_or(|vector| !vector.scale.is_nan()) && many.iter().all(|vector| vector.codes.len() == 256));
    }
    assert_eq!(Model::builtin().embed(""), None);
    assert!(Model::builtin().embed_long(" \u{200b}").is_empty());
}

#[test]
fn a_passage_deep_in_a_long_text_is_found() {
    let passage =
        "The fire drill is on Thursday at noon: leave the building by the nearest stairs and wait in the car park for the alarm to end. ";
    let long = format!("{}{passage}{}", "Invoices are paid monthly. ".repeat(120), "Backups run at night. ".repeat(120));
    let (windows, question) = (Model::builtin().embed_long(&long), embed("when is the fire drill"));
    let mut vectors = Vectors::new();
    vectors.put(0, &windows);
    let (best, whole) = (vectors.similarity(0, &question).unwrap(), embed(&long).cosine(&question));
    assert!(best > whole + 0.1, "{best} {whole}");
    assert_eq!(vectors.nearest(&question, None, 10).len(), 1);
}

#[test]
fn vectors_of_another_model_are_passed_over() {
    let mut vectors = Vectors::new();
    vectors.put(0, &[Vector::quantise(&[1.0, 0.0, 0.0]).unwrap()]);
    vectors.put(1, &[Vector::quantise(&[1.0, 0.0]).unwrap()]);
    let other = Vector::quantise(&[1.0, 0.0]).unwrap();
    assert_eq!(vectors.similarity(1, &Vector::quantise(&[1.0, 0.0, 0.0]).unwrap()), None);
    assert_eq!((vectors.nearest(&other, None, 5), vectors.similarity(0, &other)), (Vec::new(), None));
}

#[test]
fn nothing_of_a_removed_document_stays() {
    let mut vectors = Vectors::new();
    let secret = embed("the launch code is in the safe");
    vectors.put(0, &[embed("lunch is at noon")]);
    vectors.put(1, &[secret.clone(), embed("a second window")]);
    vectors.remove(1);
    vectors.remove(1);
    vectors.remove(77);
    assert_eq!(vectors.nearest(&secret, None, 10).len(), 1);
    assert_eq!((vectors.similarity(1, &secret), vectors.between(0, 1)), (None, None));
    vectors.put(1, &[embed("something else")]);
    assert!(vectors.similarity(1, &secret).unwrap() < 0.9);
    let before = vectors.bytes();
    vectors.compact(&|document| (document == 1).then_some(0));
    assert!(vectors.bytes() < before);
    assert_eq!(vectors.nearest(&embed("something else"), None, 10)[0].0, 0);
}

/// Enough rows for the signs to choose: filters, removals and renumbering hold there too.
#[test]
fn a_large_index_keeps_its_promises() {
    let rows: Vec<Vector> = (0_u32..17_000).map(scattered).collect();
    let mut vectors = Vectors::new();
    for (document, row) in (0..).zip(&rows) {
        vectors.put(document, std::slice::from_ref(row));
    }
    let first = |vectors: &Vectors, row: usize, allowed: Option<&RoaringBitmap>| vectors.nearest(&rows[row], allowed, 3)[0].0;
    assert_eq!(first(&vectors, 16_500, None), 16_500);
    vectors.remove(16_500);
    assert_ne!(first(&vectors, 16_500, None), 16_500);
    for divisor in [2, 3, 5, 100] {
        let allowed: RoaringBitmap = (0..17_000).filter(|document| document % divisor == 1).collect();
        assert_eq!(first(&vectors, 16_201, Some(&allowed)), 16_201);
        assert_eq!(vectors.nearest(&rows[0], Some(&allowed), usize::MAX).len() as u64, allowed.len());
        assert!(vectors.nearest(&rows[12_000], Some(&allowed), 50).iter().all(|(document, _)| allowed.contains(*document)));
    }
    vectors.compact(&|document| (document % 17 != 0).then(|| document / 17 * 16 + document % 17 - 1));
    assert_eq!(first(&vectors, 170 + 5, None), 164);
    assert_eq!(vectors.nearest(&rows[16_500], None, usize::MAX).len(), 15_999);
}

proptest! {
    #[test]
    fn the_nearest_are_those_of_a_plain_search(
        puts in prop::collection::vec((0_u32..40, 0_u32..1_000, 0_usize..4), 1..60),
        removed in prop::collection::vec(0_u32..40, 0..8),
        allowed in prop::option::of(prop::collection::btree_set(0_u32..50, 0..50)),
        count in 0_usize..12,
        compacted in any::<bool>(),
    ) {
        let (mut vectors, mut plain) = (Vectors::new(), std::collections::BTreeMap::new());
        for (document, seed, rows) in puts {
            let rows: Vec<Vector> = (0..rows).map(|row| scattered(seed * 4 + u32::try_from(row).unwrap())).collect();
            vectors.put(document, &rows);
            plain.insert(document, rows);
        }
        for document in removed {
            vectors.remove(document);
            plain.remove(&document);
        }
        if compacted {
            let renumbered = |document: u32| (!document.is_multiple_of(3)).then_some(document / 2 + 20 * (document % 2));
            vectors.compact(&renumbered);
            plain = plain.into_iter().filter_map(|(document, rows)| Some((renumbered(document)?, rows))).collect();
        }
        let (query, allowed) = (scattered(7_777), allowed.map(|set| set.into_iter().collect::<RoaringBitmap>()));
        let score = |rows: &Vec<Vector>| rows.iter().map(|row| row.cosine(&query)).max_by(f32::total_cmp);
        let mut expected: Vec<f32> = plain
            .iter()
            .filter(|(document, _)| allowed.as_ref().is_none_or(|allowed| allowed.contains(**document)))
            .filter_map(|(_, rows)| score(rows))
            .collect();
        expected.sort_by(|a, b| b.total_cmp(a));
        expected.truncate(count);

        let found = vectors.nearest(&query, allowed.as_ref(), count);
        prop_assert_eq!(found.len(), expected.len());
        for ((document, found), expected) in found.iter().zip(expected) {
            prop_assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
            prop_assert_eq!(vectors.similarity(*document, &query), Some(*found));
            prop_assert!(allowed.as_ref().is_none_or(|allowed| allowed.contains(*document)));
        }
    }

    #[test]
    fn texts_of_any_letters_are_read(text in "\\PC{0,200}") {
        let one = Model::builtin().embed(&text);
        prop_assert_eq!(one.is_some(), !Model::builtin().embed_long(&text).is_empty());
    }
}

/// Some direction, the same for the same seed.
fn scattered(seed: u32) -> Vector {
    let mut state = u64::from(seed).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let values: Vec<f32> = (0..DIMENSION)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f32::from((state >> 48) as u16) / 32_768.0 - 1.0
        })
        .collect();
    Vector::quantise(&values).unwrap()
}
