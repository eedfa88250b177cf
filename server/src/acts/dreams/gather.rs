//! What a dream has to know, read page by page and no more than fits.

use crate::{
    App,
    engines::{
        dream::{Known, Rules},
        freshness::{self, Signs},
    },
    model::{ActorKind, Kind, MemoryId, Settings, State, access::Mode, clock},
    problem::Problem,
    store::{
        self, Scope, Writing,
        dreams::{Light, Settled},
    },
};
use time::OffsetDateTime;
use uuid::Uuid;

const PAGE: i64 = 2000;
/// So much text is held at once; what comes after it is left to dreams of single projects.
const MOST_BYTES: usize = 256 * 1024 * 1024;

pub struct Gathered {
    pub known: Vec<Known>,
    pub left_out: u64,
    pub rules: Rules,
}

pub async fn gather(
    app: &App,
    scope: &Scope<Writing>,
    project: Option<&str>,
    looked_at: impl Fn(Kind) -> Mode,
) -> Result<Gathered, Problem> {
    let (now, settings) = (clock::now(), scope.settings());
    let (mut known, mut bytes, mut after, mut left_out) = (Vec::new(), 0, MemoryId(Uuid::nil()), 0);
    loop {
        let mut tx = app.db().read(scope).await?;
        let page = store::dreams::page(&mut tx, project, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.id;
        bytes += page.iter().map(|one| one.content.len() + one.title.len()).sum::<usize>();
        known.extend(page.into_iter().filter(|one| looked_at(one.kind) != Mode::Off).map(|one| as_known(one, settings, now)));
        if bytes > MOST_BYTES {
            left_out = u64::try_from(store::dreams::count_after(&mut tx, project, after).await?).unwrap_or_default();
            break;
        }
    }
    let Settled { kept_apart, left_alone, known_conflicts } = store::dreams::settled(&mut app.db().read(scope).await?).await?;
    Ok(Gathered { known, left_out, rules: Rules { known_conflicts, kept_apart, left_alone, ..Rules::at(now) } })
}

fn as_known(one: Light, settings: &Settings, now: OffsetDateTime) -> Known {
    let signs = Signs {
        kind: one.kind,
        state: State::Active,
        superseded_by: None,
        stale_after: one.stale_after,
        expires_at: one.expires_at,
        verified_at: one.verified_at,
        updated_at: one.updated_at,
        reported: one.reported_at.zip(one.reported_as),
        code: one.code.map(|code| code.0).unwrap_or_default(),
        contested: Vec::new(),
    };
    Known {
        id: one.id,
        version: one.version,
        kind: one.kind,
        project: one.project,
        title: one.title,
        content: one.content,
        tags: one.tags,
        confidence: one.confidence,
        anchored: one.anchored,
        author: one.created_by,
        by_person: one.created_by_type == ActorKind::Person,
        session: one.session_id,
        verified: one.verified_by_person,
        created_at: one.created_at,
        updated_at: one.updated_at,
        told: u32::try_from(one.told).unwrap_or(u32::MAX),
        helpful: u32::try_from(one.helpful).unwrap_or_default(),
        freshness: freshness::judge(signs, settings, now).state,
    }
}
