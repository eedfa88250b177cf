//! Speaks to the house's own router as a client would, without a network between.

use super::Failure;
use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Method, Request, header},
};
use serde_json::{Value, json};
use tower::ServiceExt;

pub struct Api<'a> {
    router: &'a Router,
    bearer: String,
}

impl<'a> Api<'a> {
    pub async fn sign_in(router: &'a Router, email: &str, password: &str) -> Result<Self, Failure> {
        let anyone = Self { router, bearer: String::new() };
        let login = anyone.post("/v1/auth/login", json!({"email": email, "password": password})).await?;
        Ok(Self { router, bearer: login["access_token"].as_str().unwrap_or_default().to_owned() })
    }

    pub async fn sign_in_again(&self, email: &str, password: &str) -> Result<Self, Failure> {
        Self::sign_in(self.router, email, password).await
    }

    pub fn with_key(&self, key: String) -> Self {
        Self { router: self.router, bearer: key }
    }

    pub async fn get(&self, path: &str) -> Result<Value, Failure> {
        self.send(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Result<Value, Failure> {
        self.send(Method::POST, path, Some(body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Result<Value, Failure> {
        self.send(Method::PATCH, path, Some(body)).await
    }

    pub async fn delete(&self, path: &str) -> Result<Value, Failure> {
        self.send(Method::DELETE, path, None).await
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value, Failure> {
        let mut request =
            Request::builder().method(&method).uri(path).header("x-request-id", "demo").header(header::CONTENT_TYPE, "application/json");
        if !self.bearer.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", self.bearer));
        }
        // As from this machine: there is no connection to ask.
        let mut request = request.body(body.map_or_else(Body::empty, |body| Body::from(body.to_string())))?;
        request.extensions_mut().insert(axum::extract::ConnectInfo(std::net::SocketAddr::from(([127, 0, 0, 1], 0))));
        let Ok(response) = self.router.clone().oneshot(request).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await?;
        if status.is_success() {
            Ok(serde_json::from_slice(&bytes).unwrap_or_default())
        } else {
            Err(format!("{method} {path}: {status} {}", String::from_utf8_lossy(&bytes)).into())
        }
    }
}
