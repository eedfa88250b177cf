//! Short-lived tokens: EdDSA JWTs, signed with keys that replicas share through the database, wrapped by the
//! master key. The newest key signs; the ones before it verify until their last token has run out.

use crate::{
    keyring::Keyring,
    model::{AgentId, KeyId, LoginId, PersonId, Role, clock},
    problem::Problem,
    signing,
    store::{Db, signing_keys::Purpose},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::RwLock,
    time::{Duration, Instant},
};
use uuid::Uuid;

pub const PERSON_SECONDS: i64 = 15 * 60;
pub const AGENT_MOST_SECONDS: i64 = 60 * 60;
const ROTATE_AFTER_DAYS: f64 = 30.0;
/// An unknown key id may be a replica's new one; looking it up is bounded, so that forged ids cost nothing.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(2);

#[derive(Serialize, Deserialize, Debug, Clone)]
pub struct Claims {
    pub iss: String,
    pub sub: Uuid,
    pub iat: i64,
    pub exp: i64,
    #[serde(flatten)]
    pub who: Who,
}

#[derive(Serialize, Deserialize, Debug, Clone)]
#[serde(tag = "typ", rename_all = "snake_case")]
pub enum Who {
    Person { login: LoginId },
    Agent { key: KeyId, role: Role, project: Option<String> },
}

pub struct Tokens {
    issuer: String,
    keyring: Keyring,
    loaded: RwLock<Loaded>,
}

struct Loaded {
    signing: Option<(Uuid, EncodingKey)>,
    verifying: HashMap<String, (DecodingKey, String)>,
    looked_at: Instant,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tokens({})", self.issuer)
    }
}

impl Tokens {
    /// Loads the keys, and makes the first or the next one when it is time.
    pub async fn load(db: &Db, keyring: Keyring, issuer: String) -> Result<Self, Problem> {
        signing::make_when_due(db, &keyring, Purpose::Tokens, None, ROTATE_AFTER_DAYS).await?;
        let loaded = RwLock::new(read(db, &keyring).await?);
        Ok(Self { issuer, keyring, loaded })
    }

    /// Rotates when the signing key is old; `days` 0 rotates now.
    pub async fn rotate(&self, db: &Db, days: f64) -> Result<(), Problem> {
        signing::make_when_due(db, &self.keyring, Purpose::Tokens, None, days).await?;
        self.reload(db).await
    }

    pub async fn rotate_when_old(&self, db: &Db) -> Result<(), Problem> {
        self.rotate(db, ROTATE_AFTER_DAYS).await
    }

    async fn reload(&self, db: &Db) -> Result<(), Problem> {
        let fresh = read(db, &self.keyring).await?;
        *self.loaded.write().map_err(Problem::internal)? = fresh;
        Ok(())
    }

    pub fn for_person(&self, person: PersonId, login: LoginId) -> Result<String, Problem> {
        self.sign(person.0, PERSON_SECONDS, Who::Person { login })
    }

    pub fn for_agent(&self, agent: AgentId, seconds: i64, key: KeyId, role: Role, project: Option<String>) -> Result<String, Problem> {
        self.sign(agent.0, seconds, Who::Agent { key, role, project })
    }

    fn sign(&self, sub: Uuid, seconds: i64, who: Who) -> Result<String, Problem> {
        let now = clock::now().unix_timestamp();
        let claims = Claims { iss: self.issuer.clone(), sub, iat: now, exp: now + seconds, who };
        let loaded = self.loaded.read().map_err(Problem::internal)?;
        let (id, key) = loaded.signing.as_ref().ok_or_else(|| Problem::internal("there is no signing key"))?;
        let header = Header { kid: Some(id.to_string()), ..Header::new(Algorithm::EdDSA) };
        jsonwebtoken::encode(&header, &claims, key).map_err(Problem::internal)
    }

    /// Whether we signed it, for ourselves, and it has not run out. Whether its holder still may enter is another question.
    pub async fn verify(&self, db: &Db, token: &str) -> Result<Claims, Problem> {
        let bad = || {
            Problem::Unauthenticated(
                "This token does not hold: it is not ours, was changed, or has run out. Sign in again, or ask for a new one.".into(),
            )
        };
        let kid = jsonwebtoken::decode_header(token).ok().and_then(|header| header.kid).ok_or_else(bad)?;
        let known =
            |kid: &str| self.loaded.read().ok().map(|loaded| (loaded.verifying.get(kid).map(|(key, _)| key.clone()), loaded.looked_at));
        let (mut key, looked_at) = known(&kid).ok_or_else(bad)?;
        if key.is_none() && looked_at.elapsed() > LOOK_AGAIN_AFTER {
            self.reload(db).await?;
            key = known(&kid).and_then(|(key, _)| key);
        }
        let mut rules = Validation::new(Algorithm::EdDSA);
        rules.set_issuer(&[&self.issuer]);
        rules.set_required_spec_claims(&["exp", "iss", "sub"]);
        rules.validate_aud = false;
        rules.leeway = 0;
        jsonwebtoken::decode(token, &key.ok_or_else(bad)?, &rules).map(|data| data.claims).map_err(|_| bad())
    }

    /// RFC 7517, for others who want to check our tokens.
    pub fn jwks(&self) -> Value {
        let keys: Vec<Value> = self.loaded.read().map_or_else(
            |_| Vec::new(),
            |loaded| {
                let mut keys: Vec<_> = loaded.verifying.iter().collect();
                keys.sort_by_key(|(kid, _)| std::cmp::Reverse((*kid).clone()));
                keys.into_iter()
                    .map(|(kid, (_, x))| json!({"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": kid, "x": x}))
                    .collect()
            },
        );
        json!({ "keys": keys })
    }
}

async fn read(db: &Db, keyring: &Keyring) -> Result<Loaded, Problem> {
    let mut loaded = Loaded { signing: None, verifying: HashMap::new(), looked_at: Instant::now() };
    for row in db.signing_keys(Purpose::Tokens).await? {
        let x = BASE64_URL_SAFE_NO_PAD.encode(&row.public_key);
        let key = DecodingKey::from_ed_components(&x).map_err(Problem::internal)?;
        loaded.verifying.insert(row.id.to_string(), (key, x));
        if loaded.signing.is_none() && row.retired_at.is_none() {
            loaded.signing = Some((row.id, EncodingKey::from_ed_der(&signing::open(keyring, &row)?)));
        }
    }
    Ok(loaded)
}
