//! The house: one server over one Postgres.
//!
//! Rooms, from the ground up: `model` (nouns) ← `store` (SQL) ← `acts` (verbs) ← the doors `api` and `mcp`
//! (agents) and `pages` (people). `engines` think and touch nothing, `auth` reads credentials, `work` runs in the background.
//! `audit` and `problem` are words that all rooms share.
//!
//! To find anything, pick a noun (memories, deletion, trail, access) and a room.

pub mod acts;
pub mod anthropic;
pub mod api;
pub mod audit;
pub mod auth;
pub mod commands;
pub mod config;
pub mod engines;
pub mod jobs;
pub mod journal;
pub mod keyring;
pub mod mcp;
pub mod model;
pub mod notary;
pub mod pages;
pub mod problem;
pub mod serve;
pub mod signing;
pub mod stack;
pub mod store;
pub mod turnstile;
pub mod work;

use crate::{
    acts::{
        conflicts::Backlog,
        memories::Together,
        recall::{Library, Wanted},
        seal::Checks,
    },
    auth::{caller::KeyLine, lately::Lately, limits::Limits, oidc::Provider, tokens::Tokens},
    config::Config,
    jobs::Jobs,
    journal::Journal,
    keyring::Keyring,
    notary::Notary,
    store::Db,
    turnstile::Turnstile,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// Transactions of one actor that write new memories at once: while Postgres is busy with one, the next is got ready.
const WRITERS: usize = 2;

/// What every act and handler may use. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    config: Config,
    db: Db,
    keyring: Keyring,
    tokens: Tokens,
    notary: Notary,
    journal: Journal,
    limits: Limits,
    key_line: KeyLine,
    lately: Lately,
    together: Together,
    library: Arc<Library>,
    backlog: Backlog,
    stopping: watch::Sender<bool>,
    checks: Checks,
    jobs: Jobs,
    provider: Option<Provider>,
}

impl App {
    pub fn new(config: Config, db: Db, keyring: Keyring, tokens: Tokens, notary: Notary) -> Result<Self, String> {
        let (limits, journal) = (Limits::new(config.rate_limit), Journal::beside(&config.data_dir));
        let (key_line, together) = (Turnstile::new(1, 1024, Duration::ZERO), Turnstile::new(WRITERS, 64, Duration::from_millis(4)));
        let library = Arc::new(Library::new(config.recall_cache_mb, Wanted::of(&config.embeddings)?));
        let (backlog, stopping) = (Backlog::default(), watch::Sender::new(false));
        let lately = Lately::default();
        let (checks, jobs) = (Checks::default(), Jobs::default());
        let provider = config.oidc.clone().map(Provider::new).transpose()?;
        Ok(Self(Arc::new(Parts {
            config,
            db,
            keyring,
            tokens,
            notary,
            journal,
            limits,
            key_line,
            lately,
            together,
            library,
            backlog,
            stopping,
            checks,
            jobs,
            provider,
        })))
    }

    pub fn config(&self) -> &Config {
        &self.0.config
    }

    pub fn db(&self) -> &Db {
        &self.0.db
    }

    pub fn keyring(&self) -> &Keyring {
        &self.0.keyring
    }

    pub fn tokens(&self) -> &Tokens {
        &self.0.tokens
    }

    /// Signs what others can check without us.
    pub fn notary(&self) -> &Notary {
        &self.0.notary
    }

    /// What was erased, beside the database.
    pub fn journal(&self) -> &Journal {
        &self.0.journal
    }

    /// Where people sign in besides here.
    pub fn provider(&self) -> Option<&Provider> {
        self.0.provider.as_ref()
    }

    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    pub(crate) fn key_line(&self) -> &KeyLine {
        &self.0.key_line
    }

    pub(crate) fn lately(&self) -> &Lately {
        &self.0.lately
    }

    pub(crate) fn together(&self) -> &Together {
        &self.0.together
    }

    pub(crate) fn library(&self) -> &Arc<Library> {
        &self.0.library
    }

    /// What goes on by itself, and how it went.
    pub fn jobs(&self) -> &Jobs {
        &self.0.jobs
    }

    /// What came of looking through the trails.
    pub(crate) fn checks(&self) -> &Checks {
        &self.0.checks
    }

    pub(crate) fn backlog(&self) -> &Backlog {
        &self.0.backlog
    }

    /// Turns true when the server takes no new requests: whoever waits for something to happen waits no longer.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.0.stopping.subscribe()
    }

    pub(crate) fn stop(&self) {
        self.0.stopping.send_replace(true);
    }

    /// Cookies are for HTTPS only where people come over HTTPS.
    pub fn is_https(&self) -> bool {
        self.config().public_url().starts_with("https://")
    }
}
