//! Each question in a workspace of its own that holds only its haystack: is any of the right sessions among the first
//! five, a session standing where its best turn stands?

use super::{
    ask::ask,
    load::{load, load_moved},
    set::{Set, moment},
};
use crate::{Failure, house::House};
use cairn_server::model::clock;
use std::collections::HashMap;

const SESSIONS: usize = 5;
/// Turns looked at: five sessions are in it, unless one alone fills it.
const TURNS: usize = 100;

pub struct Outcome {
    pub query: usize,
    pub hit: bool,
}

/// `then`: the whole story is moved so that the question's own day is today, for "a week ago" means a week before it.
pub async fn run(house: &mut House, set: &Set, most: usize, then: bool) -> Result<Vec<Outcome>, Failure> {
    let mut of_session: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in set.items.iter().enumerate() {
        of_session.entry(item.session.as_deref().unwrap_or_default()).or_default().push(at);
    }
    let queries: Vec<usize> = (0..set.queries.len()).filter(|at| !set.queries[*at].haystack_sessions.is_empty()).collect();
    let mut outcomes = Vec::new();
    for (n, at) in spread(&queries, most).enumerate() {
        let query = &set.queries[at];
        let mut turns: Vec<usize> =
            query.haystack_sessions.iter().filter_map(|session| of_session.get(session.as_str())).flatten().copied().collect();
        turns.sort_unstable();
        let workspace = format!("haystack-{n}");
        let key = house.workspace(&workspace).await?;
        let mut client = house.client(&key).await?;
        let loaded = match query.question_date.as_deref().and_then(moment).filter(|_| then) {
            Some(asked) => load_moved(&mut client, &workspace, set, &turns, asked - clock::now()).await?,
            None => load(&mut client, &workspace, set, &turns).await?,
        };
        let found = ask(&mut client, &workspace, &query.text, None, TURNS).await?;
        let mut sessions: Vec<&str> = Vec::new();
        for item in found.iter().flat_map(|one| loaded.items(one.memory)) {
            let session = set.items[*item].session.as_deref().unwrap_or_default();
            if !sessions.contains(&session) {
                sessions.push(session);
            }
        }
        let hit = sessions.iter().take(SESSIONS).any(|session| query.gold_sessions.iter().any(|gold| gold == session));
        outcomes.push(Outcome { query: at, hit });
        if n % 50 == 49 {
            eprintln!("   haystack: {} questions", n + 1);
        }
    }
    Ok(outcomes)
}

/// No more than so many, evenly from all.
fn spread(all: &[usize], most: usize) -> impl Iterator<Item = usize> {
    let count = all.len().min(most);
    (0..count).map(move |n| all[n * all.len() / count])
}
