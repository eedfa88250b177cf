//! Who did something, as a part that renders itself.

use askama::{Template, filters::HtmlSafe};

/// A person or an agent. Printed in a template it becomes a name with its sign.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "parts/actor.html")]
pub struct Actor {
    pub name: String,
    /// `person`, `agent`, or another word of the API for what acts by itself.
    pub kind: String,
}

impl HtmlSafe for Actor {}

impl Actor {
    pub fn person(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: "person".into() }
    }

    pub fn agent(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: "agent".into() }
    }

    fn is_person(&self) -> bool {
        self.kind == "person"
    }
}
