//! A person's browser: it keeps cookies, sends forms, and follows nothing by itself.

use crate::{House, PASSWORD, Reply};
use reqwest::{Client, redirect::Policy};

pub struct Browser {
    http: Client,
    url: String,
    /// What the forms on its pages carry.
    pub csrf: String,
}

impl House {
    /// A browser that has been nowhere yet.
    pub fn browser(&self) -> Browser {
        let http = Client::builder().no_proxy().cookie_store(true).redirect(Policy::none()).build().expect("a client");
        Browser { http, url: self.url.clone(), csrf: String::new() }
    }

    /// One in which somebody has signed in with the form.
    pub async fn browser_of(&self, email: &str) -> Browser {
        let mut browser = self.browser();
        browser.takes_csrf_from("/sign-in").await;
        let done = browser.sends("/sign-in", &[("email", email), ("password", PASSWORD)]).await;
        assert_eq!((done.status, done.header("location")), (303, "/workspaces"), "{done:?}");
        browser.takes_csrf_from("/workspaces").await;
        browser
    }
}

impl Browser {
    pub async fn opens(&self, path: &str) -> Reply {
        Reply::read(self.http.get(format!("{}{path}", self.url)).send().await.expect("an answer")).await.expect("a page")
    }

    /// Sends a form as the page it stands on would.
    pub async fn sends(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let fields: Vec<_> = fields.iter().copied().chain([("csrf", self.csrf.as_str())]).collect();
        self.sends_only(path, &fields).await
    }

    /// The page that a form leads to.
    pub async fn follows(&self, sent: &Reply) -> String {
        assert_eq!(sent.status, 303, "{sent:?}");
        self.opens(sent.header("location")).await.text()
    }

    /// Sends a form without what its page would have put in.
    pub async fn sends_only(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let sent = self.http.post(format!("{}{path}", self.url)).form(&fields).send().await;
        Reply::read(sent.expect("an answer")).await.expect("a page")
    }

    async fn takes_csrf_from(&mut self, path: &str) {
        let mut page = self.opens(path).await;
        if page.status == 303 {
            page = self.opens(page.header("location")).await;
        }
        let text = page.text();
        let token = text.split("name=\"csrf\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        token.unwrap_or_else(|| panic!("no form on {path}: {page:?}")).clone_into(&mut self.csrf);
    }
}
