//! The house: one server over one Postgres.
//!
//! Rooms, from the ground up: `model` (nouns) ← `store` (SQL) ← `acts` (verbs) ← the doors `api` and `mcp`
//! (agents) and `pages` (people). `engines` think and touch nothing, `auth` reads credentials, `work` runs in the background.
//! `audit` and `problem` are words that all rooms share.
//!
//! To find anything, pick a noun (memories, deletion, trail, access) and a room.

pub mod acts;
pub mod api;
pub mod audit;
pub mod auth;
pub mod commands;
pub mod config;
pub mod engines;
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
    },
    auth::{caller::KeyLine, lately::Lately, limits::Limits, tokens::Tokens},
    config::Config,
    journal::Journal,
    keyring::Keyring,
    notary::Notary,
    store::Db,
    turnstile::Turnstile,
};
use std::{sync::Arc, time::Duration};

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
}

impl App {
    pub fn new(config: Config, db: Db, keyring: Keyring, tokens: Tokens, notary: Notary) -> Result<Self, String> {
        let (limits, journal) = (Limits::new(config.rate_limit), Journal::beside(&config.data_dir));
        let (key_line, together) = (Turnstile::new(1, 1024, Duration::ZERO), Turnstile::new(WRITERS, 64, Duration::from_millis(4)));
        let library = Arc::new(Library::new(config.recall_cache_mb, Wanted::of(&config.embeddings)?));
        let (backlog, lately) = (Backlog::default(), Lately::default());
        Ok(Self(Arc::new(Parts { config, db, keyring, tokens, notary, journal, limits, key_line, lately, together, library, backlog })))
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

    pub(crate) fn backlog(&self) -> &Backlog {
        &self.0.backlog
    }

    /// Cookies are for HTTPS only where people come over HTTPS.
    pub fn is_https(&self) -> bool {
        self.config().public_url().starts_with("https://")
    }
}
