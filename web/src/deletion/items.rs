//! All that is on a request's list, page by page.

use super::{Request, Touched};
use crate::{Chrome, query};
use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "deletion/items.html")]
pub struct Items {
    pub chrome: Chrome,
    pub request: Request,
    /// The copies that stay, and not what goes?
    pub stays: bool,
    pub touched: Vec<Touched>,
    /// Is this a later page, reached by a cursor?
    pub continued: bool,
    pub next_cursor: Option<String>,
}

impl Items {
    fn back(&self) -> String {
        self.chrome.deletion(&self.request.id)
    }

    fn href_of(&self, touched: &Touched) -> Option<String> {
        touched.href(&self.chrome)
    }

    fn link(&self, cursor: &str) -> String {
        let show = if self.stays { "copies" } else { "" };
        query::link(&format!("{}/items", self.back()), &[("show", show), ("cursor", cursor)])
    }

    fn next(&self) -> Option<String> {
        self.next_cursor.as_deref().map(|cursor| self.link(cursor))
    }

    fn first(&self) -> String {
        self.link("")
    }
}
