//! One's own account: the password, and where one is signed in.

use super::{Door, Hall};
use crate::query;
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "hall/account.html")]
pub struct Account {
    pub hall: Hall,
    /// Somebody who comes by single sign-on has none.
    pub has_password: bool,
    pub password_min: usize,
    pub logins: Vec<Login>,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Login {
    pub id: String,
    /// As the browser or program calls itself.
    pub user_agent: String,
    pub address: String,
    pub created_at: OffsetDateTime,
    pub last_used_at: OffsetDateTime,
    pub expires_at: OffsetDateTime,
    /// The one that shows this page.
    pub this_one: bool,
}

impl Account {
    fn doors(&self) -> Vec<Door> {
        self.hall.doors("/account")
    }

    fn next(&self) -> Option<String> {
        self.next_cursor.as_deref().map(|cursor| query::link("/account", &[("cursor", cursor)]))
    }

    #[expect(clippy::unused_self, reason = "every list is asked in the same way")]
    fn first(&self) -> &'static str {
        "/account"
    }
}

impl Login {
    fn end(&self) -> String {
        format!("/account/sign-ins/{}/end", query::encode(&self.id))
    }

    /// “Firefox on Linux”, as far as it can be told.
    fn label(&self) -> String {
        let has = |word: &str| self.user_agent.contains(word);
        let browser = [
            ("Edg/", "Edge"),
            ("OPR/", "Opera"),
            ("Firefox/", "Firefox"),
            ("Chrome/", "Chrome"),
            ("Safari/", "Safari"),
            ("curl/", "curl"),
            ("cairn", "cairn"),
        ];
        let system = [
            ("Android", "Android"),
            ("iPhone", "iPhone"),
            ("iPad", "iPad"),
            ("Windows", "Windows"),
            ("Mac OS", "macOS"),
            ("Linux", "Linux"),
        ];
        let browser = browser.iter().find(|(word, _)| has(word)).map(|(_, name)| *name);
        let system = system.iter().find(|(word, _)| has(word)).map(|(_, name)| *name);
        match (browser, system) {
            (Some(browser), Some(system)) => format!("{browser} on {system}"),
            (Some(one), None) | (None, Some(one)) => one.to_owned(),
            (None, None) if self.user_agent.is_empty() => "An unnamed program".to_owned(),
            (None, None) => self.user_agent.chars().take(80).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_is_called_what_people_call_it() {
        let said = |user_agent: &str| {
            let at = OffsetDateTime::UNIX_EPOCH;
            let login = Login {
                id: String::new(),
                user_agent: user_agent.into(),
                address: String::new(),
                created_at: at,
                last_used_at: at,
                expires_at: at,
                this_one: false,
            };
            login.label()
        };
        assert_eq!(
            said("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36"),
            "Chrome on Linux"
        );
        assert_eq!(
            said("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15"),
            "Safari on macOS"
        );
        assert_eq!((said("").as_str(), said("thing/1").as_str()), ("An unnamed program", "thing/1"));
    }
}
