//! The first page of a workspace.

use super::{actors::shown, memories::words, viewer::Viewer};
use crate::{
    acts::{self, activity},
    engines::freshness::Freshness,
    model::{Kind, Memory, State, clock},
    problem::Problem,
    store::{Reading, activity::Day},
};
use axum::response::{Redirect, Response};
use cairn_web::{
    chart::Columns,
    overview::{Active, KindCount, Known, Needs, Newest, Overview, Recalled},
};
use time::{Date, Duration};

/// So many are listed.
const OFTEN: usize = 6;
const DOUBTFUL: usize = 5;

/// Whoever shortens an address to the workspace's name.
pub async fn enter(viewer: Viewer<Reading>) -> Redirect {
    Redirect::to(&viewer.place("overview"))
}

pub async fn show(viewer: Viewer<Reading>) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let (glance, census) = tokio::try_join!(activity::glance(app, scope), acts::recall::census(app, scope))?;
    let recalled = |(memory, times): &(Memory, i64)| Recalled {
        id: memory.id.to_string(),
        title: memory.title.clone(),
        kind: memory.kind.word().to_owned(),
        freshness: words::freshness(scope, memory),
        times: times.unsigned_abs(),
    };
    // What was superseded or archived meanwhile is doubted by nobody any more.
    let doubtful =
        |(memory, _): &&(Memory, i64)| memory.state == State::Active && acts::memories::judge(scope, memory).state != Freshness::Fresh;
    let waiting = viewer.waiting();
    let view = Overview {
        known: census.map(|census| Known {
            kinds: Kind::ALL
                .iter()
                .zip(census.kinds)
                .filter(|(_, counts)| counts.iter().sum::<u64>() > 0)
                .map(|(kind, [fresh, suspect, stale])| KindCount { kind: kind.word().to_owned(), fresh, suspect, stale })
                .collect(),
            tokens: census.tokens,
        }),
        writes: columns("Writes", &glance.days, |day| day.writes),
        recalls: columns("Recalls", &glance.days, |day| day.recalls),
        told: glance.days.iter().map(|day| day.tokens.unsigned_abs()).sum(),
        needs: Needs {
            proposals: waiting.proposals,
            conflicts: waiting.conflicts,
            to_approve: waiting.to_approve,
            to_execute: waiting.to_execute,
            doubtful: glance.recalled.iter().filter(doubtful).take(DOUBTFUL).map(recalled).collect(),
        },
        most_recalled: glance.recalled.iter().take(OFTEN).map(recalled).collect(),
        decisions: glance.decisions.iter().map(newest).collect(),
        agents: glance
            .at_work
            .iter()
            .map(|one| Active {
                agent: shown(&one.agent),
                last_seen: one.last_seen,
                session: one.session.as_ref().map(|(id, tool, about)| (id.to_string(), about.clone().unwrap_or_else(|| tool.clone()))),
            })
            .collect(),
        origin: app.config().public_url(),
        chrome: viewer.chrome(None),
    };
    Ok(viewer.sees(view.html()))
}

fn newest(memory: &Memory) -> Newest {
    Newest {
        id: memory.id.to_string(),
        title: memory.title.clone(),
        by: shown(&memory.created_by),
        at: memory.created_at,
        supersedes: memory.supersedes.is_some(),
    }
}

/// Every day of the span, those on which nothing happened too.
fn columns(label: &'static str, days: &[Day], count: fn(&Day) -> i64) -> Columns {
    let today = clock::now().date();
    let of = |day: Date| days.iter().find(|one| one.day == day).map_or(0, |one| count(one).unsigned_abs());
    let span = (0..activity::DAYS).rev().filter_map(|ago| today.checked_sub(Duration::days(ago)));
    Columns { label, days: span.map(|day| (day, of(day))).collect() }
}
