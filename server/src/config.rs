//! Settings: flags, then the environment, then `cairn.toml`. Every mistake is found before the server starts,
//! and named; secrets do not appear in `Debug`.

pub mod oidc;

use clap::{
    Args,
    builder::{OsStringValueParser, TypedValueParser},
};
use serde::{Deserialize, Deserializer};
use std::{
    fmt,
    net::SocketAddr,
    num::NonZeroU32,
    path::{Path, PathBuf},
    time::Duration,
};

/// As given, unchecked: from the command line and the environment, or from the file.
#[derive(Args, Deserialize, Default, Clone)]
#[serde(default, deny_unknown_fields)]
pub struct Given {
    /// Address to listen on [default: 127.0.0.1:8080]
    #[arg(long, env = "CAIRN_LISTEN")]
    pub listen: Option<String>,
    /// Address that others use, for links, cookies and the issuer of tokens [default: from the address]
    #[arg(long, env = "CAIRN_PUBLIC_URL")]
    pub public_url: Option<String>,
    /// Postgres for the server; without it a private one is started
    #[arg(long, env = "CAIRN_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// Postgres as the owner, for migrations only [default: the same]
    #[arg(long, env = "CAIRN_MIGRATION_DATABASE_URL", hide_env_values = true)]
    pub migration_database_url: Option<String>,
    /// Folder of the private Postgres and the master key [default: $XDG_DATA_HOME/cairn]
    #[arg(long, env = "CAIRN_DATA_DIR", value_parser = path())]
    pub data_dir: Option<PathBuf>,
    /// E-mail address of the first admin, used only while there is no user
    #[arg(long, env = "CAIRN_ADMIN_EMAIL")]
    pub admin_email: Option<String>,
    /// Password of the first admin
    #[arg(long, env = "CAIRN_ADMIN_PASSWORD", hide_env_values = true)]
    pub admin_password: Option<String>,
    /// PEM file with the certificate: HTTPS without a proxy
    #[arg(long, env = "CAIRN_TLS_CERT", value_parser = path())]
    pub tls_cert: Option<PathBuf>,
    /// PEM file with the certificate's key
    #[arg(long, env = "CAIRN_TLS_KEY", value_parser = path())]
    pub tls_key: Option<PathBuf>,
    /// File of the master key [default: master.key in the data dir]
    #[arg(long, env = "CAIRN_MASTER_KEY_FILE", value_parser = path())]
    pub master_key_file: Option<PathBuf>,
    /// Requests per key, such as 600/min, or off [default: 600/min]
    #[arg(long, env = "CAIRN_RATE_LIMIT")]
    pub rate_limit: Option<String>,
    /// Most connections to Postgres that writers and readers share [default: 20]
    #[arg(long, env = "CAIRN_DATABASE_CONNECTIONS")]
    #[serde(deserialize_with = "text_or_number")]
    pub database_connections: Option<String>,
    /// How nearness in meaning is found: builtin, off, or the URL of an OpenAI-compatible embeddings endpoint, to which the texts of
    /// memories and questions are then sent; /embeddings is added unless it ends so, /v1/embeddings to a bare host [default: builtin]
    #[arg(long, env = "CAIRN_EMBEDDINGS")]
    pub embeddings: Option<String>,
    /// Name of the model there, such as nomic-embed-text
    #[arg(long, env = "CAIRN_EMBEDDINGS_MODEL")]
    pub embeddings_model: Option<String>,
    /// Key for it, where it asks for one
    #[arg(long, env = "CAIRN_EMBEDDINGS_KEY", hide_env_values = true)]
    pub embeddings_key: Option<String>,
    /// URL of an OpenAI-compatible chat endpoint, to which dreams then send texts of memories that say much the same, for a better
    /// one; /chat/completions is added unless it ends so, /v1/chat/completions to a bare host [default: unset, nothing needs it]
    #[arg(long, env = "CAIRN_LLM_URL")]
    pub llm_url: Option<String>,
    /// Name of the model there, such as qwen3:8b
    #[arg(long, env = "CAIRN_LLM_MODEL")]
    pub llm_model: Option<String>,
    /// Key for it, where it asks for one
    #[arg(long, env = "CAIRN_LLM_KEY", hide_env_values = true)]
    pub llm_key: Option<String>,
    /// Address of an OpenID provider, for people to sign in there [default: unset, by password only]
    #[arg(long, env = "CAIRN_OIDC_ISSUER")]
    pub oidc_issuer: Option<String>,
    /// What this server is called there
    #[arg(long, env = "CAIRN_OIDC_CLIENT_ID")]
    pub oidc_client_id: Option<String>,
    /// Its secret there
    #[arg(long, env = "CAIRN_OIDC_CLIENT_SECRET", hide_env_values = true)]
    pub oidc_client_secret: Option<String>,
    /// Which groups there are what here: group=workspace:role, with commas between
    #[arg(long, env = "CAIRN_OIDC_ROLE_MAP")]
    pub oidc_role_map: Option<String>,
    /// Memory for recall indexes in MiB, least recently used out first [default: 1024]
    #[arg(long, env = "CAIRN_RECALL_CACHE_MB")]
    #[serde(deserialize_with = "text_or_number")]
    pub recall_cache_mb: Option<String>,
    /// What to log, as a tracing filter [default: info]
    #[arg(long, env = "CAIRN_LOG")]
    pub log: Option<String>,
    /// text or json [default: text]
    #[arg(long, env = "CAIRN_LOG_FORMAT")]
    pub log_format: Option<String>,
    /// Leaves the trail unsealed, for measurements and tests: no flag, variable or file can say so.
    #[arg(skip)]
    #[serde(skip)]
    pub unsealed: bool,
}

/// An empty variable is one that is not set.
fn text(value: Option<String>) -> Option<String> {
    value.filter(|value| !value.trim().is_empty())
}

fn file(value: Option<PathBuf>) -> Option<PathBuf> {
    value.filter(|value| !value.as_os_str().is_empty())
}

/// An empty one too, which clap refuses: `NAME=` in a unit or compose file means that it is not set.
pub fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

fn text_or_number<'de, D: Deserializer<'de>>(said: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Said {
        Text(String),
        Number(i64),
    }
    Ok(Some(match Said::deserialize(said)? {
        Said::Text(text) => text,
        Said::Number(number) => number.to_string(),
    }))
}

#[derive(Debug, thiserror::Error)]
#[error("{setting}: {message}")]
pub struct ConfigProblem {
    setting: &'static str,
    message: String,
}

fn wrong<T>(setting: &'static str, message: impl Into<String>) -> Result<T, ConfigProblem> {
    Err(ConfigProblem { setting, message: message.into() })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    Text,
    Json,
}

/// How nearness in meaning is found.
#[derive(Clone, Debug)]
pub enum Embeddings {
    /// By the model that ships with the server.
    Builtin,
    /// Not at all: words only.
    Off,
    /// By a model elsewhere.
    Outside(Outside),
}

/// An OpenAI-compatible endpoint.
#[derive(Clone, Debug)]
pub struct Outside {
    /// Where texts are sent to, in full.
    pub url: reqwest::Url,
    pub model: String,
    pub key: Option<Secret>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateLimit {
    pub requests: NonZeroU32,
    pub per: Duration,
}

/// A password or URL with one in it.
#[derive(Clone)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    public_url: Option<String>,
    pub database_url: Option<Secret>,
    pub migration_database_url: Option<Secret>,
    pub data_dir: PathBuf,
    pub admin: Option<(crate::model::Email, Secret)>,
    pub tls: Option<(PathBuf, PathBuf)>,
    pub master_key_file: PathBuf,
    pub rate_limit: Option<RateLimit>,
    pub database_connections: u32,
    pub embeddings: Embeddings,
    /// Who rewrites what dreams found.
    pub llm: Option<Outside>,
    /// Where people sign in besides here.
    pub oidc: Option<oidc::Oidc>,
    pub recall_cache_mb: u32,
    pub log: String,
    pub log_format: LogFormat,
    pub unsealed: bool,
}

impl Given {
    /// What the command line leaves open, the file may say.
    fn or(self, said: Self) -> Self {
        Self {
            listen: text(self.listen).or(said.listen),
            public_url: text(self.public_url).or(said.public_url),
            database_url: text(self.database_url).or(said.database_url),
            migration_database_url: text(self.migration_database_url).or(said.migration_database_url),
            data_dir: file(self.data_dir).or(said.data_dir),
            admin_email: text(self.admin_email).or(said.admin_email),
            admin_password: text(self.admin_password).or(said.admin_password),
            tls_cert: file(self.tls_cert).or(said.tls_cert),
            tls_key: file(self.tls_key).or(said.tls_key),
            master_key_file: file(self.master_key_file).or(said.master_key_file),
            rate_limit: text(self.rate_limit).or(said.rate_limit),
            database_connections: text(self.database_connections).or(said.database_connections),
            embeddings: text(self.embeddings).or(said.embeddings),
            embeddings_model: text(self.embeddings_model).or(said.embeddings_model),
            embeddings_key: text(self.embeddings_key).or(said.embeddings_key),
            llm_url: text(self.llm_url).or(said.llm_url),
            llm_model: text(self.llm_model).or(said.llm_model),
            llm_key: text(self.llm_key).or(said.llm_key),
            oidc_issuer: text(self.oidc_issuer).or(said.oidc_issuer),
            oidc_client_id: text(self.oidc_client_id).or(said.oidc_client_id),
            oidc_client_secret: text(self.oidc_client_secret).or(said.oidc_client_secret),
            oidc_role_map: text(self.oidc_role_map).or(said.oidc_role_map),
            recall_cache_mb: text(self.recall_cache_mb).or(said.recall_cache_mb),
            log: text(self.log).or(said.log),
            log_format: text(self.log_format).or(said.log_format),
            unsealed: self.unsealed,
        }
    }

    /// A file that was named must be there; `cairn.toml` in the current folder may be.
    pub fn with_file(self, named: Option<&Path>) -> Result<Self, ConfigProblem> {
        let named = named.filter(|name| !name.as_os_str().is_empty());
        let name = named.unwrap_or(Path::new("cairn.toml"));
        let read = match std::fs::read_to_string(name) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => return Ok(self),
            Err(error) => return wrong("CAIRN_CONFIG", format!("{} cannot be read: {error}", name.display())),
        };
        match toml::from_str(&read) {
            Ok(said) => Ok(self.or(said)),
            // Not the line itself: it may hold a password.
            Err(error) => {
                let before = error.span().and_then(|span| read.get(..span.start)).unwrap_or_default();
                wrong("CAIRN_CONFIG", format!("{}, line {}: {}", name.display(), before.matches('\n').count() + 1, error.message()))
            }
        }
    }

    pub fn check(self) -> Result<Config, ConfigProblem> {
        let listen = text(self.listen).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
        let Ok(listen) = listen.parse() else {
            return wrong("CAIRN_LISTEN", format!("`{listen}` is not an address with a port, such as 127.0.0.1:8080"));
        };
        let public_url = text(self.public_url).map(|url| url.trim_end_matches('/').to_owned());
        if let Some(url) = public_url.as_deref().filter(|url| !url.starts_with("http://") && !url.starts_with("https://")) {
            return wrong("CAIRN_PUBLIC_URL", format!("`{url}` does not start with http:// or https://"));
        }
        let data_dir = match file(self.data_dir) {
            Some(dir) => std::path::absolute(&dir).or_else(|error| wrong("CAIRN_DATA_DIR", error.to_string()))?,
            None => default_data_dir()?,
        };
        let admin = match (text(self.admin_email), text(self.admin_password)) {
            (None, None) => None,
            (Some(email), Some(password)) => {
                let Ok(email) = crate::model::Email::parse(&email) else {
                    return wrong("CAIRN_ADMIN_EMAIL", "is not an e-mail address");
                };
                if crate::model::access::Password::parse(&password).is_err() {
                    return wrong("CAIRN_ADMIN_PASSWORD", "must be 12 to 256 characters");
                }
                Some((email, Secret(password)))
            }
            (Some(_), None) => return wrong("CAIRN_ADMIN_PASSWORD", "is missing beside CAIRN_ADMIN_EMAIL"),
            (None, Some(_)) => return wrong("CAIRN_ADMIN_EMAIL", "is missing beside CAIRN_ADMIN_PASSWORD"),
        };
        let tls = match (file(self.tls_cert), file(self.tls_key)) {
            (None, None) => None,
            (Some(cert), Some(key)) => Some((cert, key)),
            (Some(_), None) => return wrong("CAIRN_TLS_KEY", "is missing beside CAIRN_TLS_CERT"),
            (None, Some(_)) => return wrong("CAIRN_TLS_CERT", "is missing beside CAIRN_TLS_KEY"),
        };
        let log_format = match text(self.log_format).as_deref() {
            None | Some("text") => LogFormat::Text,
            Some("json") => LogFormat::Json,
            Some(other) => return wrong("CAIRN_LOG_FORMAT", format!("`{other}` is neither text nor json")),
        };
        // The database driver tells of every notice; its warnings are enough.
        let log = text(self.log).unwrap_or_else(|| "info,sqlx=warn".to_owned());
        if let Err(error) = tracing_subscriber::EnvFilter::try_new(&log) {
            return wrong("CAIRN_LOG", error.to_string());
        }
        let connections = text(self.database_connections);
        let Some(database_connections) = connections.map_or(Some(20), |said| said.parse().ok()).filter(|most| (2..=1000).contains(most))
        else {
            return wrong("CAIRN_DATABASE_CONNECTIONS", "must be a number between 2 and 1000");
        };
        let (database_url, migration_database_url) = (text(self.database_url), text(self.migration_database_url));
        for (name, url) in [("CAIRN_DATABASE_URL", &database_url), ("CAIRN_MIGRATION_DATABASE_URL", &migration_database_url)] {
            let ours = |url: &str| url.starts_with("postgres://") || url.starts_with("postgresql://");
            if url.as_deref().is_some_and(|url| !ours(url) || url.parse::<sqlx::postgres::PgConnectOptions>().is_err()) {
                return wrong(name, "is not a Postgres URL such as postgres://user:password@host/database");
            }
        }
        if migration_database_url.is_some() && database_url.is_none() {
            return wrong("CAIRN_DATABASE_URL", "is missing beside CAIRN_MIGRATION_DATABASE_URL");
        }
        Ok(Config {
            listen,
            public_url,
            database_url: database_url.map(Secret),
            migration_database_url: migration_database_url.map(Secret),
            master_key_file: file(self.master_key_file).unwrap_or_else(|| data_dir.join("master.key")),
            data_dir,
            admin,
            tls,
            rate_limit: rate_limit(text(self.rate_limit).as_deref())?,
            database_connections,
            embeddings: embeddings(text(self.embeddings), text(self.embeddings_model), text(self.embeddings_key))?,
            llm: llm(text(self.llm_url), text(self.llm_model), text(self.llm_key))?,
            oidc: oidc::oidc(
                text(self.oidc_issuer),
                text(self.oidc_client_id),
                text(self.oidc_client_secret),
                text(self.oidc_role_map).as_deref(),
            )?,
            recall_cache_mb: recall_cache(text(self.recall_cache_mb).as_deref())?,
            log,
            log_format,
            unsealed: self.unsealed,
        })
    }
}

impl Config {
    /// The address that others use.
    pub fn public_url(&self) -> String {
        self.public_url.clone().unwrap_or_else(|| {
            let scheme = if self.tls.is_some() { "https" } else { "http" };
            let host = if self.listen.ip().is_unspecified() { "localhost".to_owned() } else { self.listen.ip().to_string() };
            let host = if host.contains(':') { format!("[{host}]") } else { host };
            format!("{scheme}://{host}:{}", self.listen.port())
        })
    }

    /// The port is known only after binding when it was given as 0.
    #[must_use]
    pub fn bound_to(mut self, listen: SocketAddr) -> Self {
        self.listen = listen;
        self
    }
}

fn default_data_dir() -> Result<PathBuf, ConfigProblem> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(data) = set("XDG_DATA_HOME").filter(|dir| dir.is_absolute()) {
        return Ok(data.join("cairn"));
    }
    match set("HOME") {
        Some(home) => Ok(home.join(".local/share/cairn")),
        None => wrong("CAIRN_DATA_DIR", "is not set, and neither is XDG_DATA_HOME or HOME to choose one from"),
    }
}

/// The settings of an endpoint, and what is asked of it.
struct Door {
    url: &'static str,
    model: &'static str,
    key: &'static str,
    path: &'static str,
    /// What the first setting may be.
    either: &'static str,
    example: &'static str,
}

const EMBEDDINGS: Door = Door {
    url: "CAIRN_EMBEDDINGS",
    model: "CAIRN_EMBEDDINGS_MODEL",
    key: "CAIRN_EMBEDDINGS_KEY",
    path: "/embeddings",
    either: "is neither builtin, off nor a URL such as http://localhost:11434/v1",
    example: "nomic-embed-text",
};
const LLM: Door = Door {
    url: "CAIRN_LLM_URL",
    model: "CAIRN_LLM_MODEL",
    key: "CAIRN_LLM_KEY",
    path: "/chat/completions",
    either: "is not a URL such as http://localhost:11434/v1",
    example: "qwen3:8b",
};

fn embeddings(said: Option<String>, model: Option<String>, key: Option<String>) -> Result<Embeddings, ConfigProblem> {
    let inside = match said.as_deref() {
        None | Some("builtin") => Embeddings::Builtin,
        Some("off") => Embeddings::Off,
        Some(url) => return Ok(Embeddings::Outside(outside(&EMBEDDINGS, url, model, key)?)),
    };
    alone(&EMBEDDINGS, model.is_some(), key.is_some())?;
    Ok(inside)
}

fn llm(url: Option<String>, model: Option<String>, key: Option<String>) -> Result<Option<Outside>, ConfigProblem> {
    match url {
        Some(url) => outside(&LLM, &url, model, key).map(Some),
        None => alone(&LLM, model.is_some(), key.is_some()).map(|()| None),
    }
}

/// What is for an endpoint is no use without one.
fn alone(door: &Door, model: bool, key: bool) -> Result<(), ConfigProblem> {
    let why = format!("is for an endpoint, and {} names none", door.url);
    match (model, key) {
        (false, false) => Ok(()),
        (true, _) => wrong(door.model, why),
        (false, true) => wrong(door.key, why),
    }
}

/// The values are not repeated: either may have a secret in it.
fn outside(door: &Door, url: &str, model: Option<String>, key: Option<String>) -> Result<Outside, ConfigProblem> {
    let Some(mut url) = reqwest::Url::parse(url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
    else {
        return wrong(door.url, door.either);
    };
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        let why = format!("must be a plain URL, without a user, a password or anything after ?; a key goes into {}", door.key);
        return wrong(door.url, why);
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if path.is_empty() {
        url.set_path(&format!("/v1{}", door.path));
    } else if path.ends_with(door.path) {
        url.set_path(&path);
    } else {
        url.set_path(&format!("{path}{}", door.path));
    }
    let Some(model) = model.map(|model| model.trim().to_owned()) else {
        return wrong(door.model, format!("is missing beside the URL in {}: name the model, such as {}", door.url, door.example));
    };
    if model.len() > 200 || model.chars().any(char::is_control) {
        return wrong(door.model, "must be a name of at most 200 bytes on one line");
    }
    let key = key.map(|key| key.trim().to_owned());
    if key.as_ref().is_some_and(|key| !key.bytes().all(|byte| byte.is_ascii_graphic())) {
        return wrong(door.key, "must be of printable ASCII characters without spaces");
    }
    Ok(Outside { url, model, key: key.map(Secret) })
}

fn recall_cache(said: Option<&str>) -> Result<u32, ConfigProblem> {
    let mb = said.map_or(Some(1024), |said| said.parse().ok()).filter(|mb| (1..=1_048_576).contains(mb));
    mb.map_or_else(|| wrong("CAIRN_RECALL_CACHE_MB", "must be a number of MiB, such as 1024"), Ok)
}

fn rate_limit(said: Option<&str>) -> Result<Option<RateLimit>, ConfigProblem> {
    let said = said.unwrap_or("600/min").trim();
    if said == "off" {
        return Ok(None);
    }
    let parsed = said.split_once('/').and_then(|(requests, per)| {
        let per = match per.trim() {
            "s" | "sec" | "second" => 1,
            "min" | "minute" => 60,
            "h" | "hour" => 3600,
            _ => return None,
        };
        Some(RateLimit { requests: requests.trim().parse().ok()?, per: Duration::from_secs(per) })
    });
    if parsed.as_ref().is_some_and(|RateLimit { requests, per }| (*per / requests.get()).is_zero()) {
        return wrong("CAIRN_RATE_LIMIT", format!("`{said}` is more than one request per nanosecond; say off for no limit at all"));
    }
    parsed.map(Some).map_or_else(
        || wrong("CAIRN_RATE_LIMIT", format!("`{said}` is not a number of requests per time, such as 600/min, 20/s or off")),
        Ok,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked_at(url: &str) -> String {
        outside(&EMBEDDINGS, url, Some("m".to_owned()), None).unwrap().url.to_string()
    }

    #[test]
    fn an_endpoint_is_named_in_any_of_the_usual_ways() {
        for url in ["http://host:1", "http://host:1/", "http://host:1/v1", "http://host:1/v1/", "http://host:1/v1/embeddings"] {
            assert_eq!(asked_at(url), "http://host:1/v1/embeddings", "{url}");
        }
        assert_eq!(asked_at("https://host/embeddings/"), "https://host/embeddings");
        assert_eq!(asked_at("https://host/openai/v1"), "https://host/openai/v1/embeddings");
    }

    #[test]
    fn what_is_wrong_with_an_endpoint_is_named_and_not_repeated() {
        let some = |text: &str| Some(text.to_owned());
        for (said, model, key, named) in [
            (some("ftp://hidden"), some("m"), None, "CAIRN_EMBEDDINGS: "),
            (some("hidden"), some("m"), None, "CAIRN_EMBEDDINGS: "),
            (some("http://user:hidden@host/v1"), some("m"), None, "CAIRN_EMBEDDINGS: "),
            (some("http://host/v1?key=hidden"), some("m"), None, "CAIRN_EMBEDDINGS: "),
            (some("http://host/v1"), None, some("hidden"), "CAIRN_EMBEDDINGS_MODEL: "),
            (some("http://host/v1"), some("two\nlines"), None, "CAIRN_EMBEDDINGS_MODEL: "),
            (some("http://host/v1"), some("m"), some("hidden in two"), "CAIRN_EMBEDDINGS_KEY: "),
            (None, some("m"), None, "CAIRN_EMBEDDINGS_MODEL: "),
            (some("off"), None, some("hidden"), "CAIRN_EMBEDDINGS_KEY: "),
            (some("builtin"), some("m"), some("hidden"), "CAIRN_EMBEDDINGS_MODEL: "),
        ] {
            let told = embeddings(said.clone(), model, key).unwrap_err().to_string();
            assert!(told.starts_with(named) && !told.contains("hidden"), "{said:?}: {told}");
        }
    }

    #[test]
    fn a_chat_endpoint_is_named_as_carefully() {
        let some = |text: &str| Some(text.to_owned());
        let made = llm(some("http://host:1"), some("m"), None).unwrap().unwrap();
        assert_eq!(made.url.as_str(), "http://host:1/v1/chat/completions");
        assert!(llm(None, None, None).unwrap().is_none());
        for (url, model, key, named) in [
            (some("hidden"), some("m"), None, "CAIRN_LLM_URL: "),
            (some("http://host"), None, None, "CAIRN_LLM_MODEL: "),
            (None, some("m"), None, "CAIRN_LLM_MODEL: "),
            (None, None, some("hidden"), "CAIRN_LLM_KEY: "),
        ] {
            let told = llm(url, model, key).unwrap_err().to_string();
            assert!(told.starts_with(named) && !told.contains("hidden"), "{told}");
        }
    }

    #[test]
    fn the_key_of_an_endpoint_is_not_shown() {
        let made = outside(&LLM, "http://host", Some("m".to_owned()), Some("sk-hidden".to_owned())).unwrap();
        assert!(!format!("{made:?}").contains("hidden"));
    }
}
