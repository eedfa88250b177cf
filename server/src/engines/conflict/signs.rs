//! All signs for and against a contradiction between two readings, side by side.

use super::{
    choices,
    clash::Clash,
    figures,
    flips::{self, Flips, Of},
    opposites, roles, scope, subject,
    text::Reading,
};

#[derive(Default, Debug)]
pub struct Signs {
    pub overlap: f32,
    pub shared: f32,
    pub choice: Option<Clash>,
    pub value: Option<Clash>,
    pub name: Option<Clash>,
    pub opposite: Option<Clash>,
    pub filler: Option<Clash>,
    pub owner: Option<Clash>,
    pub cause: Option<Clash>,
    pub flips: Flips,
    /// A name that is in use there and given up here.
    pub retired: Vec<String>,
    /// One names the only one, the other all.
    pub restricted: bool,
    /// What the turned words are said of.
    pub said_of: Of,
    pub heads_differ: bool,
    pub siblings: bool,
    pub excepted: bool,
    pub past: bool,
    pub titles_part: bool,
    /// The new text says in which case it holds.
    pub narrowed: bool,
    pub exclusive: (bool, bool),
    pub universal: bool,
    pub denials: (bool, bool),
}

pub fn signs(old: &Reading, new: &Reading) -> Signs {
    let (there, here) = (subject::stances(old), subject::stances(new));
    let (overlap, shared) = subject::overlap(&there, &here);
    let (choice, name) = (choices::choice(old, new), choices::name(old, new));
    let value = figures::value(old, new);
    let mut opposite = opposites::opposite(old, new);
    // Two kinds of a thing may have a value each.
    let kinds = (value.is_some() || choice.is_some()) && opposite.as_ref().is_some_and(|clash| opposites::are_kinds(clash, old, new));
    if kinds {
        opposite = None;
    }
    let flips = flips::flips(&there, &here);
    let apart: Vec<String> = [&choice, &value, &name].into_iter().flatten().flat_map(|clash| clash.own.clone()).collect();
    Signs {
        overlap,
        shared,
        value,
        name,
        opposite,
        filler: choices::filler(old, new),
        owner: roles::owner(old, new),
        cause: roles::cause(old, new),
        exclusive: (scope::exclusive(old), scope::exclusive(new)),
        universal: scope::universal(old),
        denials: (scope::denials(old), scope::denials(new)),
        retired: flips::retired(&there, &here),
        restricted: opposites::restricted(old, new),
        said_of: flips::said_of(&flips, old, new),
        heads_differ: scope::heads_differ(old, new),
        siblings: kinds
            || scope::other_days(old, new)
            || scope::other_ones(old, new)
            || scope::take_sides(&there, &here)
            || scope::set_out_apart(old, new)
            || scope::beyond(old, &here)
            || scope::beyond(new, &there),
        excepted: scope::is_exception(new),
        past: scope::tells_past(old),
        narrowed: scope::narrowed(new, old, &there, &apart),
        titles_part: scope::titles_part(&there, &here, &apart),
        choice,
        flips: Flips { denied: flips.denied + opposites::agreements(old, new), ..flips },
    }
}
