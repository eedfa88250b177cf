//! The look through a whole database for anything that breaks a promise: what statements can tell, and what has to be
//! computed – digests, sealed trails, signatures, and whether an erased text has come back.

use crate::{
    acts::seal,
    engines::seal::note,
    keyring::Keyring,
    model::deletion::Journalled,
    problem::Problem,
    store::consistency::{self, Outcome, texts},
};
use sqlx::PgConnection;
use std::collections::HashMap;
use uuid::Uuid;

/// What a look through came to.
#[derive(Debug, serde::Serialize)]
pub struct Report {
    pub holds: bool,
    pub checks: Vec<Outcome>,
}

/// Looks at everything, in the transaction that the connection is in. Without the master key nobody can tell whether an erased
/// text is among those that are there.
pub async fn look_through(conn: &mut PgConnection, keyring: Option<&Keyring>, journal: &[Journalled]) -> Result<Report, Problem> {
    let mut checks = consistency::ask(conn).await?;
    checks.push(chains(texts::successors(conn).await?));
    let (versions, unproven) = texts::unproven(conn).await?;
    let named = unproven.into_iter().map(|(memory, version)| format!("version {version} of memory {memory}"));
    checks.push(Outcome::of("digests_fit", "every version is what its entry in the trail has the digest of", versions, named.collect()));
    let sealed = seal::held_against(conn).await?;
    let broken = sealed.broken.iter().map(|workspace| format!("the trail of {workspace}")).collect();
    checks.push(Outcome::of("trails_hold", "every sealed trail adds up to what was signed", sealed.entries, broken));
    checks.push(certificates(texts::certificates(conn).await?, &sealed.vkeys));
    checks.push(texts::journalled(conn, journal).await?);
    if let Some(keyring) = keyring {
        checks.push(texts::come_back(conn, keyring).await?);
    }
    Ok(Report { holds: checks.iter().all(|check| check.found == 0), checks })
}

/// Whoever follows what took a memory's place comes to an end.
fn chains(successors: HashMap<(Uuid, Uuid), Uuid>) -> Outcome {
    let mut ended = std::collections::HashSet::new();
    let mut found = Vec::new();
    for start in successors.keys() {
        let (mut walked, mut at) = (Vec::new(), *start);
        while ended.insert(at) {
            walked.push(at);
            let Some(next) = successors.get(&at) else { break };
            at = (at.0, *next);
        }
        // Back on its own track, and not on one that was walked before.
        if successors.contains_key(&at) && walked.contains(&at) {
            found.push(format!("memory {}", at.1));
        }
    }
    let promise = "whoever follows what superseded a memory comes to an end";
    Outcome::of("chains_end", promise, successors.len() as u64, found)
}

fn certificates(executed: Vec<(Uuid, Uuid, Option<String>)>, vkeys: &[String]) -> Outcome {
    let count = executed.len() as u64;
    let verifies = |workspace: &Uuid, request: &Uuid, note: &Option<String>| {
        let text = note.as_deref().and_then(|note| note::verify(note, vkeys).ok());
        text.is_some_and(|text| text.contains(&workspace.to_string()) && text.contains(&request.to_string()))
    };
    let found = executed.into_iter().filter(|(workspace, request, note)| !verifies(workspace, request, note));
    let named = found.map(|(_, request, _)| format!("deletion request {request}")).collect();
    Outcome::of("certificates_verify", "every executed erasure has a certificate that this server signed", count, named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(links: &[(u128, u128)]) -> u64 {
        let of = |n: &u128| Uuid::from_u128(*n);
        chains(links.iter().map(|(old, new)| ((Uuid::nil(), of(old)), of(new))).collect()).found
    }

    #[test]
    fn a_chain_that_runs_in_a_circle_is_found_once() {
        assert_eq!(found(&[(1, 2), (2, 3), (4, 3), (5, 2)]), 0);
        assert_eq!(found(&[(1, 2), (2, 3), (3, 1), (4, 1), (5, 4)]), 1);
        assert_eq!(found(&[(1, 1)]), 1);
        assert_eq!(found(&[(1, 2), (2, 1), (3, 4), (4, 3)]), 2);
    }
}
