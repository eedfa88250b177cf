//! The filters of the list: from the address to what is asked of the store, and back into the form.

use super::super::asked::Asked;
use crate::model::memory::Filter;
use cairn_web::memories::Filters;

pub fn read(asked: &mut Asked) -> Filter {
    Filter {
        kind: asked.read("kind", "a kind of memory, such as decision", |text| text.parse().ok()),
        state: asked.read("state", "active, proposed, superseded or archived", |text| text.parse().ok()),
        freshness: asked.read("freshness", "fresh, suspect or stale", |text| text.parse().ok()),
        author: asked.read("author", "the id of a person or an agent", |text| text.parse().ok()),
        tag: asked.text("tag"),
        project: asked.text("project"),
        path_prefix: asked.text("path_prefix"),
        session_id: asked.read("session_id", "the id of a session", |text| text.parse().ok()),
        q: asked.text("q"),
        ..Filter::default()
    }
}

pub fn shown(asked: &Asked) -> Filters {
    let said = |name| asked.said(name).to_owned();
    Filters {
        q: said("q"),
        kind: said("kind"),
        tag: said("tag"),
        project: said("project"),
        state: said("state"),
        freshness: said("freshness"),
        author: said("author"),
        path_prefix: said("path_prefix"),
        session_id: said("session_id"),
    }
}
