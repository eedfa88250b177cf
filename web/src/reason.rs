//! A reason in words. It names other memories by their ids, as the API does; people follow a link instead.

use askama::{Template, filters::HtmlSafe};

#[derive(Template)]
#[template(source = r#"{{ before }}{% if let Some(href) = href %}<a href="{{ href }}">{{ what }}</a>{% endif %}{{ after }}"#, ext = "html")]
pub(crate) struct Reason<'a> {
    before: &'a str,
    href: Option<String>,
    what: &'static str,
    after: &'a str,
}

impl HtmlSafe for Reason<'_> {}

impl<'a> Reason<'a> {
    /// `link` leads to a memory by its id.
    pub(crate) fn new(text: &'a str, link: impl Fn(&str) -> String) -> Self {
        /// As long as an id is.
        const LENGTH: usize = 36;
        let starts = text.char_indices().map(|(at, _)| at);
        let found = starts.filter_map(|at| Some((at, text.get(at..at + LENGTH)?))).find(|(_, word)| is_id(word));
        match found {
            Some((at, id)) => {
                let before = &text[..at];
                let (before, what) = match before.strip_suffix("the decision ") {
                    Some(before) => (before, "another decision"),
                    None => (before, "another memory"),
                };
                Self { before, href: Some(link(id)), what, after: &text[at + LENGTH..] }
            }
            None => Self { before: text, href: None, what: "", after: "" },
        }
    }
}

fn is_id(word: &str) -> bool {
    let fits = |(at, sign): (usize, u8)| if matches!(at, 8 | 13 | 18 | 23) { sign == b'-' } else { sign.is_ascii_hexdigit() };
    word.bytes().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_becomes_a_link_and_anything_else_stays_words() {
        let said = |text: &str| Reason::new(text, |id| format!("/m/{id}")).to_string();
        let id = "01a1e80c-7b8c-7172-9274-59a27559d202";
        assert_eq!(said(&format!("contradicts {id}, undecided")), format!("contradicts <a href=\"/m/{id}\">another memory</a>, undecided"));
        assert_eq!(
            said(&format!("It contradicts the decision {id}.")),
            format!("It contradicts <a href=\"/m/{id}\">another decision</a>.")
        );
        assert_eq!(said("expired on 2026-10-01 – ü"), "expired on 2026-10-01 – ü");
        assert_eq!(said("<b>"), "&#60;b&#62;");
    }
}
