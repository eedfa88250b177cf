//! Speaking to an endpoint that the operator named: texts and key go there, and not on from there.

use crate::config::Outside;
use reqwest::{
    Client, Response, Url,
    header::{AUTHORIZATION, HeaderMap, HeaderValue},
    redirect::Policy,
};
use std::time::Duration;

/// The names of an endpoint's settings, for whoever has to mend them.
pub struct Named {
    pub url: &'static str,
    pub key: &'static str,
}

/// Why an answer could not be read.
pub enum Broken {
    Off(reqwest::Error),
    TooLong,
}

pub fn client(outside: &Outside, named: &Named) -> Result<Client, String> {
    // The provider is the process's; another part of it may have chosen already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut headers = HeaderMap::new();
    if let Some(key) = &outside.key {
        let mut value = HeaderValue::try_from(format!("Bearer {}", key.0)).map_err(|_| format!("{}: cannot be sent", named.key))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    let mut http = Client::builder().default_headers(headers).redirect(Policy::none()).connect_timeout(Duration::from_secs(5));
    if is_this_machine(&outside.url) {
        http = http.no_proxy();
    }
    if outside.url.scheme() == "http" {
        // A machine without certificates of authorities needs none for this.
        http = http.tls_certs_only([]);
    }
    http.build().map_err(|error| format!("{}: {error}: are the certificates of authorities installed?", named.url))
}

/// The whole of an answer, if it is no longer than that.
pub async fn body(mut response: Response, longest: usize) -> Result<Vec<u8>, Broken> {
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| Broken::Off(error.without_url()))? {
        if body.len() + part.len() > longest {
            return Err(Broken::TooLong);
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

/// A proxy that the environment names is for others.
fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
