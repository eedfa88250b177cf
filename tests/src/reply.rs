//! An answer, read to its end.

use reqwest::header::HeaderMap;
use serde_json::Value;
use std::fmt;

#[derive(Clone, PartialEq)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
    /// The body where it is JSON, else null.
    pub body: Value,
}

impl Reply {
    pub(crate) async fn read(response: reqwest::Response) -> Result<Self, reqwest::Error> {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await?.to_vec();
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Self { status, headers, bytes, body })
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The stable word of a problem; empty when this is none.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().or_else(|| self.body["error"]["code"].as_str()).unwrap_or_default()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The items of a list.
    pub fn data(&self) -> &[Value] {
        self.body["data"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// The body, where this status was expected.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        self.body
    }

    /// Fails unless the answer is this problem, told as every problem is.
    #[track_caller]
    pub fn refuses(&self, status: u16, code: &str) -> &Self {
        assert_eq!((self.status, self.code()), (status, code), "{self:?}");
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        assert_eq!(self.body["status"], status, "{self:?}");
        for member in ["type", "title", "detail", "request_id"] {
            assert!(self.body[member].as_str().is_some_and(|text| !text.is_empty()), "no {member}: {self:?}");
        }
        assert_eq!(self.body["request_id"], self.header("x-request-id"), "{self:?}");
        assert_eq!(self.body["type"], format!("/docs/problems#{code}"), "{self:?}");
        assert!(include_str!("../../docs/problems.md").contains(&format!("\n### {code}\n")), "docs/problems.md does not explain {code}");
        self
    }

    /// Fails unless the answer is this error, told as the Memory Stores API tells them.
    #[track_caller]
    pub fn denies(&self, status: u16, kind: &str, code: &str) -> &Self {
        let error = &self.body["error"];
        assert_eq!((self.status, error["type"].as_str(), error["code"].as_str()), (status, Some(kind), Some(code)), "{self:?}");
        assert_eq!(self.header("content-type"), "application/json", "{self:?}");
        assert_eq!(self.body["type"], "error", "{self:?}");
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{self:?}");
        for header in ["request-id", "x-request-id"] {
            assert_eq!(self.body["request_id"], self.header(header), "{self:?}");
        }
        assert!(include_str!("../../docs/problems.md").contains(&format!("\n### {code}\n")), "docs/problems.md does not explain {code}");
        self
    }

    /// The names of the fields that a 422 is about.
    pub fn wrong_fields(&self) -> Vec<&str> {
        self.body["errors"].as_array().into_iter().flatten().filter_map(|error| error["field"].as_str()).collect()
    }

    /// The body without the one member that differs from request to request.
    pub fn but_for_the_request(&self) -> Value {
        let mut body = self.body.clone();
        if let Some(members) = body.as_object_mut() {
            members.remove("request_id");
        }
        body
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, self.text().chars().take(2000).collect::<String>())
    }
}
