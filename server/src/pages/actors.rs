//! Who did something, in the words of the pages.

use crate::model::Actor;
use cairn_web::Choice;

pub fn shown(actor: &Actor) -> cairn_web::Actor {
    cairn_web::Actor { name: actor.name.clone(), kind: actor.kind.word().to_owned() }
}

/// To pick from, by id.
pub fn choices(actors: &[Actor]) -> Vec<Choice> {
    actors.iter().map(|actor| Choice::new(actor.id.to_string(), actor.name.clone())).collect()
}
