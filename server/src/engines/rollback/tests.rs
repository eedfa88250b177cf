use super::*;
use crate::model::rollbacks::{Item, Outcome, Reason};

fn id(n: u128) -> MemoryId {
    MemoryId(uuid::Uuid::from_u128(n))
}

fn standing(path: &str) -> Standing {
    Standing {
        state: State::Active,
        kind: Kind::Fact,
        store: StoreId(uuid::Uuid::nil()),
        path: path.into(),
        project: None,
        owner: None,
        supersedes: None,
        superseded_by: None,
    }
}

fn past(version: i32, selected: bool, standing: Standing) -> Past {
    Past { version, selected, restores: None, standing, content_sha256: None, redacted: false }
}

/// A history in short: `s` selected, `o` another's, a digit a rollback to that version.
fn thread(n: u128, history: &str) -> Thread {
    let versions = history.chars().zip(1..).map(|(c, version)| Past {
        restores: c.to_digit(10).and_then(|to| i32::try_from(to).ok()),
        ..past(version, c == 's', standing(&format!("/{n}")))
    });
    Thread { id: id(n), versions: versions.collect() }
}

fn done(threads: Vec<Thread>) -> Vec<Item> {
    let mut plan = Plan::new(threads, None);
    plan.settle();
    plan.items()
}

fn outcomes(threads: Vec<Thread>) -> Vec<(u128, Outcome)> {
    let mut outcomes: Vec<_> = done(threads).iter().map(|item| (item.memory_id.0.as_u128(), item.outcome)).collect();
    outcomes.sort_by_key(|(id, _)| *id);
    outcomes
}

#[test]
fn what_lies_on_top_is_taken_off() {
    for (history, back_to) in [("os", 1), ("oss", 1), ("oos", 2), ("s", 0), ("sss", 0)] {
        let items = done(vec![thread(1, history)]);
        assert_eq!(items[0].back_to, Some(back_to), "{history}");
    }
    assert!(done(vec![thread(1, "oo")]).is_empty());
}

#[test]
fn what_others_built_on_is_left() {
    for (history, version) in [("so", 2), ("oso", 3), ("osos", 3), ("soso", 4), ("sooo", 2)] {
        let items = done(vec![thread(1, history)]);
        assert_eq!((items[0].reason, items[0].version), (Some(Reason::ChangedSince), Some(version)), "{history}");
    }
}

#[test]
fn what_was_rolled_back_is_no_part_of_the_history() {
    // Undone already.
    assert!(done(vec![thread(1, "os1")]).is_empty());
    assert!(done(vec![thread(1, "s0")]).is_empty());
    // Undone, and that undone.
    assert_eq!(done(vec![thread(1, "os12")])[0].back_to, Some(1));
    assert_eq!(done(vec![thread(1, "s01")])[0].back_to, Some(0));
    // Undone, and changed by others since.
    assert!(done(vec![thread(1, "os1o")]).is_empty());
    assert_eq!(done(vec![thread(1, "os12o")])[0].reason, Some(Reason::ChangedSince));
    // Another's rolled back: the selected one lies on top again.
    assert_eq!(done(vec![thread(1, "oso2")])[0].back_to, Some(1));
}

#[test]
fn a_version_that_is_not_to_be_seen_is_somebodys() {
    let mut hidden = thread(1, "oso");
    hidden.versions.remove(2);
    hidden.versions.push(past(4, true, standing("/1")));
    assert_eq!(done(vec![hidden.clone()])[0].version, Some(3));
    hidden.versions.remove(1);
    assert_eq!(done(vec![hidden])[0].reason, Some(Reason::NotVisible));
}

/// `old` is superseded by `new`: made by what is undone, and by others changed since if said.
fn superseded(old: u128, new: u128, since: bool) -> Vec<Thread> {
    let aside = Standing { state: State::Superseded, superseded_by: Some(id(new)), ..standing("/p") };
    let successor = Standing { supersedes: Some(id(old)), ..standing("/p") };
    let mut threads = vec![
        Thread { id: id(old), versions: vec![past(1, false, standing("/p")), past(2, true, aside)] },
        Thread { id: id(new), versions: vec![past(1, true, successor.clone())] },
    ];
    if since {
        threads[1].versions.push(past(2, false, successor));
    }
    threads
}

#[test]
fn a_superseded_memory_comes_back_when_its_successor_goes() {
    assert_eq!(outcomes(superseded(1, 2, false)), [(1, Outcome::Unwound), (2, Outcome::Archived)]);
}

#[test]
fn and_stays_where_it_is_when_the_successor_stays() {
    let items = done(superseded(1, 2, true));
    let left: Vec<_> = items.iter().map(|item| (item.memory_id, item.reason)).collect();
    assert_eq!(left, [(id(1), Some(Reason::PlaceTaken)), (id(2), Some(Reason::ChangedSince))]);
}

#[test]
fn a_successor_stays_when_what_it_replaced_cannot_come_back() {
    let mut threads = superseded(1, 2, false);
    let changed = threads[0].versions[1].standing.clone();
    threads[0].versions.push(past(3, false, changed));
    let items = done(threads);
    assert_eq!(items[1].reason, Some(Reason::StillNeeded));
}

#[test]
fn a_successor_that_had_been_put_away_goes_again_whatever_was_done_to_what_it_replaced() {
    let aside = Standing { state: State::Superseded, superseded_by: Some(id(2)), ..standing("/p") };
    let successor = Standing { supersedes: Some(id(1)), ..standing("/p") };
    let away = Standing { state: State::Archived, ..successor.clone() };
    // What is undone touched the old one, and brought the new one back.
    let threads = vec![
        Thread { id: id(1), versions: vec![past(1, false, aside.clone()), past(2, true, aside)] },
        Thread { id: id(2), versions: vec![past(1, false, successor.clone()), past(2, false, away), past(3, true, successor)] },
    ];
    assert_eq!(outcomes(threads), [(1, Outcome::Restored), (2, Outcome::Restored)]);
}

#[test]
fn chains_are_unwound_to_where_others_built_on_them() {
    let link = |n: u128| Standing { supersedes: Some(id(n - 1)), ..standing("/p") };
    let aside = |by: u128, from: Standing| Standing { state: State::Superseded, superseded_by: Some(id(by)), ..from };
    // 1 is another's; 2 and 3 are to be undone.
    let chain = |last: Option<u128>| {
        let mut threads = vec![
            Thread { id: id(1), versions: vec![past(1, false, standing("/p")), past(2, true, aside(2, standing("/p")))] },
            Thread { id: id(2), versions: vec![past(1, true, link(2)), past(2, true, aside(3, link(2)))] },
            Thread { id: id(3), versions: vec![past(1, true, link(3))] },
        ];
        if let Some(by) = last {
            threads[2].versions.push(past(2, false, aside(by, link(3))));
        }
        threads
    };
    assert_eq!(outcomes(chain(None)), [(1, Outcome::Unwound), (2, Outcome::Archived), (3, Outcome::Archived)]);
    let reasons: Vec<_> = done(chain(Some(4))).iter().map(|item| item.reason).collect();
    assert_eq!(reasons, [Reason::PlaceTaken, Reason::PlaceTaken, Reason::ChangedSince].map(Some));
}

#[test]
fn two_never_come_to_lie_at_one_path() {
    let back = |n: u128, path: &str| {
        let away = Standing { state: State::Archived, ..standing(path) };
        Thread { id: id(n), versions: vec![past(1, false, standing(path)), past(2, true, away)] }
    };
    assert_eq!(outcomes(vec![back(1, "/a"), back(2, "/a")]), [(1, Outcome::Restored), (2, Outcome::Left)]);
    assert_eq!(outcomes(vec![back(1, "/a/b"), back(2, "/a")]), [(1, Outcome::Restored), (2, Outcome::Left)]);
    assert_eq!(outcomes(vec![back(1, "/a"), back(2, "/a/b/c")]), [(1, Outcome::Restored), (2, Outcome::Left)]);
    assert_eq!(outcomes(vec![back(1, "/a/b"), back(2, "/a/bc")]), [(1, Outcome::Restored), (2, Outcome::Restored)]);
}

#[test]
fn what_makes_way_in_the_same_rollback_is_not_in_the_way() {
    let moved =
        |n: u128, from: &str, to: &str| Thread { id: id(n), versions: vec![past(1, false, standing(from)), past(2, true, standing(to))] };
    let swapped = || Plan::new(vec![moved(1, "/a", "/b"), moved(2, "/b", "/a")], None);
    let blockers = |plan: &mut Plan| {
        let at = |n: u128, path: &str| vec![Blocker { id: Some(id(n)), path: path.into() }];
        plan.blocked_by([(id(1), at(2, "/a")), (id(2), at(1, "/b"))].into());
    };
    let mut plan = swapped();
    blockers(&mut plan);
    plan.settle();
    assert_eq!((plan.moves().count(), plan.making_way()), (2, vec![id(1), id(2)]));
    let mut plan = swapped();
    blockers(&mut plan);
    plan.leave(id(1), Reason::ContentErased, None);
    plan.settle();
    assert_eq!(plan.moves().count(), 0, "what is left keeps its path");
}

#[test]
fn a_walled_key_undoes_what_is_its_own() {
    let mut own = thread(1, "os");
    for past in &mut own.versions {
        past.standing.project = Some("gateway".into());
    }
    let mut plan = Plan::new(vec![own, thread(2, "os")], Some("gateway"));
    plan.settle();
    let reasons: Vec<_> = plan.items().iter().map(|item| (item.memory_id, item.reason)).collect();
    assert_eq!(reasons, [(id(2), Some(Reason::OutsideProject)), (id(1), None)]);
}
