use super::*;
use crate::model::code::{File, Symbol};
use proptest::prelude::*;
use std::cell::OnceCell;

const AT: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

fn hash(seed: u64) -> String {
    format!("{seed:016x}")
}

fn symbol(name: &str, signature: u64, body: u64) -> Symbol {
    let (signature, body) = (hash(signature), hash(body));
    Symbol { name: name.to_owned(), kind: "function".to_owned(), signature, body, start: 1, end: 9, shingles: Vec::new() }
}

fn file(path: &str, symbols: Vec<Symbol>) -> File {
    let digest = symbols.iter().fold(path.len() as u64, |all, one| {
        one.name
            .bytes()
            .chain(one.signature.bytes())
            .chain(one.body.bytes())
            .fold(all, |all, byte| all.wrapping_mul(31).wrapping_add(byte.into()))
    });
    File::of(path.to_owned(), hash(digest), Some(symbols))
}

fn files(all: Vec<File>) -> Files {
    all.into_iter().map(|file| (file.path.clone(), file)).collect()
}

/// A branch that went from one state to another.
fn look<'a>(name: &'a str, commit: &'a str, before: &'a Files, now: &'a Files, none: &'a Files) -> Branch<'a> {
    Branch { name, main: "main", commit, before, now, unchanged: none, came: OnceCell::new() }
}

fn anchored(path: &'static str, name: &'static str, signature: u64, body: u64) -> Anchored<'static> {
    let of = Of::Symbol { signature: hash(signature), body: hash(body) };
    Anchored { path, symbol: Some(name), fingerprint: Some(Fingerprint { of, branch: Some("main".to_owned()) }), standing: None }
}

fn standing(found: &Found, anchor: &Anchored<'_>) -> Standing {
    Standing {
        position: 1,
        branch: "main".to_owned(),
        main: true,
        repo: "r".to_owned(),
        verdict: found.verdict,
        path: found.path.clone(),
        symbol: found.symbol.clone(),
        was_path: anchor.path.to_owned(),
        was_symbol: anchor.symbol.map(str::to_owned),
        since: found.since.clone(),
        at: AT,
    }
}

const LOGIN: &str = "auth/service.py";

fn judged(before: Vec<File>, now: Vec<File>) -> Found {
    let (before, now, none) = (files(before), files(now), Files::new());
    look("main", "3f2a1c", &before, &now, &none).judge(&anchored(LOGIN, "login", 1, 2)).unwrap()
}

fn then() -> Vec<File> {
    vec![file(LOGIN, vec![symbol("login", 1, 2), symbol("logout", 3, 4)])]
}

#[test]
fn what_became_of_the_code() {
    let cases: Vec<(Vec<File>, Fate, &str)> = vec![
        (vec![file(LOGIN, vec![symbol("login", 1, 2), symbol("logout", 3, 5)])], Fate::Unchanged, "login is as it was (auth/service.py)"),
        (vec![file(LOGIN, vec![symbol("login", 1, 9)])], Fate::BodyChanged, "login changed its body in 3f2a1c (auth/service.py)"),
        (vec![file(LOGIN, vec![symbol("login", 8, 2)])], Fate::SignatureChanged, "login changed its signature in 3f2a1c (auth/service.py)"),
        (vec![file(LOGIN, vec![symbol("logout", 3, 4)])], Fate::Removed, "login was removed in 3f2a1c (auth/service.py)"),
        (vec![], Fate::FileGone, "login went with its file in 3f2a1c (auth/service.py)"),
        (
            vec![file(LOGIN, vec![symbol("logout", 3, 4)]), file("auth/users.py", vec![symbol("login", 1, 2)])],
            Fate::Moved,
            "login moved to auth/users.py in 3f2a1c",
        ),
        (
            vec![file(LOGIN, vec![symbol("sign_in", 1, 2), symbol("logout", 3, 4)])],
            Fate::Renamed,
            "login is called sign_in since 3f2a1c (auth/service.py)",
        ),
        (
            vec![file(LOGIN, vec![symbol("Session.login", 1, 2), symbol("logout", 3, 4)])],
            Fate::Unchanged,
            "Session.login is as it was (auth/service.py)",
        ),
    ];
    for (now, verdict, said) in cases {
        let anchor = anchored(LOGIN, "login", 1, 2);
        let found = judged(then(), now);
        assert_eq!((found.verdict, reason(&standing(&found, &anchor)).as_str()), (verdict, said));
    }
}

#[test]
fn one_of_several_equals_is_nobody_in_particular() {
    // Two that went had the same body, and one came: it may be either.
    let before = vec![file(LOGIN, vec![symbol("login", 1, 2), symbol("enter", 1, 2)])];
    assert_eq!(judged(before, vec![file(LOGIN, vec![symbol("sign_in", 1, 2)])]).verdict, Fate::Removed);
    // Two came, and either may be it.
    let now = vec![file("a.py", vec![symbol("login", 1, 2)]), file("b.py", vec![symbol("login", 1, 2)])];
    assert_eq!(judged(then(), now).verdict, Fate::FileGone);
    // Elsewhere, under another name and called otherwise, it is another.
    assert_eq!(judged(then(), vec![file("a.py", vec![symbol("other", 7, 2)])]).verdict, Fate::FileGone);
    // One that was there before is not where it went.
    let was = vec![file(LOGIN, vec![symbol("login", 1, 2), symbol("twin", 1, 2)])];
    assert_eq!(judged(was, vec![file(LOGIN, vec![symbol("twin", 1, 2)])]).verdict, Fate::Removed);
}

#[test]
fn what_was_gone_before_does_not_come_back_under_another_name() {
    let anchor = anchored(LOGIN, "login", 1, 2);
    let rest = || file(LOGIN, vec![symbol("logout", 3, 4)]);
    let removed = standing(&judged(then(), vec![rest()]), &anchor);
    let later = |came: &str| {
        let (before, now) =
            (files(vec![rest()]), files(vec![file(LOGIN, vec![symbol("logout", 3, 5)]), file("b.py", vec![symbol(came, 1, 2)])]));
        let anchor = Anchored { standing: Some(&removed), ..anchor.clone() };
        look("main", "9b1c2d", &before, &now, &Files::new()).judge(&anchor).unwrap().verdict
    };
    assert_eq!(later("enter"), Fate::Removed);
    assert_eq!(later("login"), Fate::Moved);
}

#[test]
fn a_name_that_changed_with_most_of_the_body_left_is_followed_and_doubted() {
    let shingled = |name: &str, body, shingles: std::ops::Range<u32>| Symbol { shingles: shingles.collect(), ..symbol(name, 1, body) };
    let before = vec![file(LOGIN, vec![shingled("login", 2, 0..40)])];
    let near = judged(before.clone(), vec![file(LOGIN, vec![shingled("sign_in", 5, 4..44), shingled("other", 6, 90..130)])]);
    assert_eq!((near.verdict, near.symbol.as_deref()), (Fate::RenamedAndChanged, Some("sign_in")));
    let far = judged(before, vec![file(LOGIN, vec![shingled("sign_in", 5, 30..70)])]);
    assert_eq!(far.verdict, Fate::Removed);
}

#[test]
fn a_file_that_nobody_could_look_into_says_nothing_new() {
    let anchor = anchored(LOGIN, "login", 1, 2);
    let (none, closed) = (Files::new(), files(vec![File::of(LOGIN.to_owned(), hash(7), None)]));
    let (before, now) = (files(then()), files(vec![file(LOGIN, vec![symbol("login", 1, 9)])]));
    let changed = look("main", "c1", &before, &now, &none).judge(&anchor).unwrap();
    let last = standing(&changed, &anchor);
    let again = look("main", "c2", &now, &closed, &none).judge(&Anchored { standing: Some(&last), ..anchor.clone() }).unwrap();
    assert_eq!((again.verdict, again.since.as_str()), (Fate::BodyChanged, "c1"));
    assert_eq!(look("main", "c2", &none, &closed, &none).judge(&anchor), None);
}

#[test]
fn what_no_picture_has_waits_for_one() {
    let (none, now) = (Files::new(), files(then()));
    let anchor = Anchored { fingerprint: None, ..anchored(LOGIN, "login", 0, 0) };
    assert_eq!(look("main", "c", &none, &none, &none).judge(&anchor), None);
    let seen = look("main", "c", &none, &now, &none).judge(&anchor).unwrap();
    assert_eq!(seen.first_seen.unwrap().to_string(), format!("s1:{}:{}@main", hash(1), hash(2)));
    let whole = Anchored { symbol: None, ..anchor };
    assert!(look("main", "c", &none, &now, &none).judge(&whole).unwrap().first_seen.unwrap().to_string().starts_with("f1:"));
}

#[test]
fn a_whole_file_changes_with_what_its_symbols_say_and_not_with_its_layout() {
    let (none, was) = (Files::new(), file(LOGIN, vec![symbol("login", 1, 2)]));
    let anchor = Anchored { path: LOGIN, symbol: None, fingerprint: Some(Fingerprint::of_file(&was, "main")), standing: None };
    let verdict = |now: File| {
        let (before, now) = (files(vec![was.clone()]), files(vec![now]));
        look("main", "c", &before, &now, &none).judge(&anchor).unwrap().verdict
    };
    assert_eq!(verdict(File { sha256: hash(99), ..was.clone() }), Fate::Unchanged);
    assert_eq!(verdict(file(LOGIN, vec![symbol("login", 1, 3)])), Fate::FileChanged);
    assert_eq!(verdict(File { path: "auth/moved.py".to_owned(), ..was.clone() }), Fate::Moved);
}

#[test]
fn branches_do_not_disturb_each_other() {
    let none = Files::new();
    // Written for what is on main, and removed on a branch.
    let (main, without) = (anchored(LOGIN, "login", 1, 2), files(vec![file(LOGIN, vec![symbol("logout", 3, 4)])]));
    assert_eq!(look("feature", "c", &none, &without, &none).judge(&main).unwrap().verdict, Fate::Removed);
    // Written on a branch, of what main does not have yet, or has otherwise: main did not change.
    let mut on_branch = main.clone();
    on_branch.fingerprint.as_mut().unwrap().branch = Some("feature".to_owned());
    let absent = look("main", "c", &none, &without, &none).judge(&on_branch).unwrap();
    assert_eq!((absent.verdict, absent.verdict.freshness()), (Fate::Absent, None));
    let other = files(vec![file(LOGIN, vec![symbol("login", 5, 6)])]);
    let differs = look("main", "c", &none, &other, &none).judge(&on_branch).unwrap();
    assert_eq!(differs.verdict, Fate::Differs);
    // Merged, it is there; and then a change is a change.
    let last = standing(&differs, &on_branch);
    let (merged, changed) = (files(then()), files(vec![file(LOGIN, vec![symbol("login", 8, 2)])]));
    let there = look("main", "c2", &other, &merged, &none).judge(&Anchored { standing: Some(&last), ..on_branch.clone() }).unwrap();
    assert_eq!(there.verdict, Fate::Unchanged);
    let last = standing(&there, &on_branch);
    let after = look("main", "c3", &merged, &changed, &none).judge(&Anchored { standing: Some(&last), ..on_branch.clone() }).unwrap();
    assert_eq!(after.verdict, Fate::SignatureChanged);
}

#[test]
fn a_fingerprint_is_read_as_it_was_written_and_nothing_else_is() {
    for of in [
        Of::Symbol { signature: hash(1), body: hash(2) },
        Of::File { sha256: hash(3), outline: None },
        Of::File { sha256: hash(3), outline: Some(hash(4)) },
    ] {
        for branch in [None, Some("main".to_owned()), Some("user@host:odd/branch".to_owned())] {
            let one = Fingerprint { of: of.clone(), branch };
            assert_eq!(Fingerprint::read(&one.to_string()), Some(one));
        }
    }
    for other in
        ["", "abc", "s1:xyz:abc", "s1:0123456789abcdef", "s2:0123456789abcdef:0123456789abcdef", "s1:0123456789abcdef:0123456789abcdef:0@m"]
    {
        assert_eq!(Fingerprint::read(other), None, "{other}");
    }
}

/// A small world: a few files with a few symbols, each called and made in one of a few ways.
fn world() -> impl Strategy<Value = Vec<File>> {
    let symbols = prop::collection::btree_map("[a-d]", (0..3_u64, 0..4_u64), 0..4);
    prop::collection::btree_map("[x-z]\\.py", symbols, 0..3).prop_map(|files| {
        files.into_iter().map(|(path, all)| file(&path, all.into_iter().map(|(name, (s, b))| symbol(&name, s, b)).collect())).collect()
    })
}

/// What changed between two worlds.
fn between(one: &[File], other: &[File]) -> (Files, Files, Files) {
    let same = |file: &File, there: &[File]| there.contains(file);
    let before = one.iter().filter(|file| !same(file, other)).cloned().collect();
    let now = other.iter().filter(|file| !same(file, one)).cloned().collect();
    (files(before), files(now), files(one.iter().filter(|file| same(file, other)).cloned().collect()))
}

proptest! {
    /// Through any number of changes: code that is as it was is never doubted, code that is not there as it was is never
    /// called unchanged, and going back to the first state makes everything fresh again.
    #[test]
    fn through_any_history(start in world(), steps in prop::collection::vec(world(), 1..6)) {
        for own in &start {
            for was in &own.symbols {
                let fingerprint = Some(Fingerprint::of_symbol(was, "main"));
                let mut last: Option<Standing> = None;
                let mut state = start.clone();
                for (n, next) in steps.iter().chain([&start]).enumerate() {
                    let (before, now, unchanged) = between(&state, next);
                    let commit = format!("c{n}");
                    let anchor = Anchored { path: &own.path, symbol: Some(&was.name), fingerprint: fingerprint.clone(), standing: last.as_ref() };
                    let found = look("main", &commit, &before, &now, &unchanged).judge(&anchor).unwrap();
                    let at = next.iter().find(|file| file.path == found.path);
                    let there = at.and_then(|file| file.symbol(found.symbol.as_deref().unwrap_or_default()));
                    let same = there.is_some_and(|there| (&there.signature, &there.body) == (&was.signature, &was.body));
                    prop_assert_eq!(found.verdict.freshness() == Some(Freshness::Fresh), same, "{:?} {:?}", &found, there);
                    prop_assert_eq!(found.verdict.is_missing(), there.is_none(), "{:?}", &found);
                    let stands = standing(&found, &anchor);
                    last = Some(stands);
                    state.clone_from(next);
                }
                let last = last.unwrap();
                // Somewhere the same may have been found and followed; where it was, it is again.
                prop_assert_eq!(last.verdict.freshness(), Some(Freshness::Fresh), "{:?}", last);
            }
        }
    }

    #[test]
    fn likeness_is_a_share(mut one in prop::collection::vec(any::<u32>(), 0..64), mut other in prop::collection::vec(any::<u32>(), 0..64)) {
        for all in [&mut one, &mut other] {
            all.sort_unstable();
            all.dedup();
        }
        let near = alike(&one, &other);
        prop_assert!((0.0..=1.0).contains(&near) && near.to_bits() == alike(&other, &one).to_bits());
        if !one.is_empty() {
            prop_assert!((alike(&one, &one) - 1.0).abs() < f32::EPSILON);
        }
    }
}
