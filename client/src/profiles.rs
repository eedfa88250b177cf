//! Who we are to which server: profiles in `credentials.toml`, or the environment.

use crate::{clean::short_hash, failure::Failure, places, repository::Repository};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, env, fs, net::IpAddr, path::PathBuf};
use ureq::http::uri::Authority;

pub const DEFAULT: &str = "default";
/// How the name of a destination begins that the environment describes.
const ENVIRONMENT: &str = "env-";

/// A server, a key for it, and the workspace that the key opens.
#[derive(Debug, Default, Clone, Serialize, Deserialize, PartialEq)]
pub struct Profile {
    pub url: String,
    pub key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The certificates of a private authority, as PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spool_mb: Option<u64>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Credentials {
    #[serde(default)]
    profiles: BTreeMap<String, Profile>,
}

/// The name under which texts for one server and key wait. Found without reading credentials: hooks need only this.
pub fn destination(chosen: Option<&str>, repository: &Repository) -> String {
    let (url, key) = (variable("CAIRN_URL"), variable("CAIRN_KEY"));
    if chosen.is_none() && (url.is_some() || key.is_some()) {
        return format!("{ENVIRONMENT}{}", short_hash(&format!("{} {}", url.unwrap_or_default(), key.unwrap_or_default())));
    }
    let named = chosen.map(str::to_owned).or_else(|| variable("CAIRN_PROFILE")).or_else(|| repository.settings.profile.clone());
    // A name becomes a folder.
    named.filter(|name| is_name(name)).unwrap_or_else(|| DEFAULT.to_owned())
}

/// The profile of a destination.
pub fn open(destination: &str) -> Result<Profile, Failure> {
    let mut profiles = load()?.profiles;
    let mut profile = if destination.starts_with(ENVIRONMENT) {
        let base = variable("CAIRN_PROFILE").unwrap_or_else(|| DEFAULT.to_owned());
        profiles.remove(&base).unwrap_or_default()
    } else {
        profiles.remove(destination).unwrap_or_default()
    };
    if destination.starts_with(ENVIRONMENT) {
        if let Some(url) = variable("CAIRN_URL") {
            profile.url = with_scheme(url);
        }
        if let Some(key) = variable("CAIRN_KEY") {
            // Another key may open another workspace.
            (profile.key, profile.workspace) = (key, None);
        }
    }
    if profile.url.is_empty() || profile.key.is_empty() {
        return Err(Failure::NotSignedIn(format!("there is no profile `{destination}` in {}", path().display())));
    }
    Ok(profile)
}

pub fn store(name: &str, profile: Profile) -> Result<PathBuf, Failure> {
    if !is_name(name) {
        return Err(Failure::Usage("a profile's name has letters, digits, `-` and `_` only".to_owned()));
    }
    let mut credentials = load()?;
    credentials.profiles.insert(name.to_owned(), profile);
    let text = toml::to_string(&credentials).map_err(|wrong| Failure::Failed(format!("the profile cannot be written: {wrong}")))?;
    places::write(&path(), text.as_bytes()).map_err(|wrong| Failure::file("write", &path(), &wrong))?;
    Ok(path())
}

/// Keys go over HTTPS unless said; only this machine, where a server begins without, is asked over HTTP.
pub fn with_scheme(url: String) -> String {
    if url.contains("://") {
        return url;
    }
    let authority = url.split('/').next().and_then(|authority| authority.parse::<Authority>().ok());
    let here = authority.is_some_and(|authority| {
        let host = authority.host().trim_matches(['[', ']']);
        host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    });
    format!("{}://{url}", if here { "http" } else { "https" })
}

fn load() -> Result<Credentials, Failure> {
    match fs::read_to_string(path()) {
        Ok(text) => toml::from_str(&text).map_err(|wrong| Failure::Failed(format!("{} cannot be read: {wrong}", path().display()))),
        Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => Ok(Credentials::default()),
        Err(wrong) => Err(Failure::file("read", &path(), &wrong)),
    }
}

fn path() -> PathBuf {
    places::config().join("credentials.toml")
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(ENVIRONMENT)
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_asked_over_http_unless_said() {
        for here in ["127.0.0.1:18099", "127.0.0.1", "localhost:8080/", "Localhost", "[::1]:8080"] {
            assert_eq!(with_scheme(here.to_owned()), format!("http://{here}"));
        }
        for away in ["cairn.example.org", "10.0.0.1:8080", "localhost.example.org", "127.0.0.1.example.org", "127.0.0.1@example.org"] {
            assert_eq!(with_scheme(away.to_owned()), format!("https://{away}"));
        }
        for said in ["https://127.0.0.1:8443", "http://cairn.example.org"] {
            assert_eq!(with_scheme(said.to_owned()), said);
        }
    }
}
