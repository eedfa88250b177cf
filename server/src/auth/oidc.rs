//! The provider of single sign-on. It is looked up when somebody first wants to sign in there, so that the server starts while
//! it is away, and again when it has changed its keys.

use crate::{
    config::oidc::Oidc,
    model::{Email, text},
};
use openidconnect::{
    AccessToken, AdditionalClaims, AuthenticationFlow, AuthorizationCode, Client, ClientId, ClientSecret, CsrfToken, EmptyExtraTokenFields,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IdTokenFields, IssuerUrl, Nonce, OAuth2TokenResponse,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope, StandardErrorResponse, StandardTokenResponse, SubjectIdentifier,
    TokenResponse, UserInfoClaims,
    core::{
        CoreAuthDisplay, CoreAuthPrompt, CoreErrorResponseType, CoreGenderClaim, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm,
        CoreJwsSigningAlgorithm, CoreProviderMetadata, CoreResponseType, CoreRevocableToken, CoreRevocationErrorResponse,
        CoreTokenIntrospectionResponse, CoreTokenType,
    },
};
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};
use tokio::sync::RwLock;

/// What a provider may say at most; its keys and a token are a few kilobytes.
const LONGEST: usize = 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);

/// Why somebody was not let in.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the provider cannot be reached or does not answer as one: {0}")]
    Away(String),
    #[error("the provider did not take the code: {0}")]
    Code(String),
    #[error("the token does not hold: {0}")]
    Token(String),
}

/// What the settings call a group; some providers send one as a word and not as a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Claims {
    #[serde(default)]
    groups: Option<Groups>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Groups {
    Many(Vec<String>),
    One(String),
}

impl AdditionalClaims for Claims {}

impl Claims {
    fn groups(&self) -> Option<Vec<String>> {
        match self.groups.clone()? {
            Groups::Many(groups) => Some(groups),
            Groups::One(group) => Some(vec![group]),
        }
    }
}

type Fields = IdTokenFields<Claims, EmptyExtraTokenFields, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;
type Answer = StandardTokenResponse<Fields, CoreTokenType>;
type OurClient = Client<
    Claims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    Answer,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// The way there, and what whoever comes back has to know.
pub struct Departure {
    pub url: String,
    pub state: String,
    pub nonce: String,
    pub verifier: String,
}

/// Who came back, as the provider says.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub subject: String,
    /// Only where the provider says that it is theirs.
    pub verified_email: Option<Email>,
    pub name: Option<String>,
    pub groups: Vec<String>,
}

pub struct Provider {
    settings: Oidc,
    http: reqwest::Client,
    found: RwLock<Option<Arc<CoreProviderMetadata>>>,
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Provider({})", self.settings.issuer())
    }
}

impl Provider {
    pub fn new(settings: Oidc) -> Result<Self, String> {
        // The provider is the process's; another part of it may have chosen already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut http = reqwest::Client::builder()
            // An answer that leads elsewhere is none.
            .redirect(reqwest::redirect::Policy::none())
            .timeout(PATIENCE)
            .connect_timeout(Duration::from_secs(5));
        if settings.url().scheme() == "http" {
            http = http.tls_certs_only([]).no_proxy();
        }
        let http = http.build().map_err(|error| format!("CAIRN_OIDC_ISSUER: {error}: are the certificates of authorities installed?"))?;
        Ok(Self { settings, http, found: RwLock::default() })
    }

    pub fn settings(&self) -> &Oidc {
        &self.settings
    }

    /// Where to send somebody who wants to sign in.
    pub async fn depart(&self, redirect: &str) -> Result<Departure, Refusal> {
        let about = self.about().await?;
        let client = self.client(&about, redirect)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let mut request = client
            .authorize_url(AuthenticationFlow::<CoreResponseType>::AuthorizationCode, CsrfToken::new_random, Nonce::new_random)
            .add_scope(Scope::new("email".to_owned()))
            .add_scope(Scope::new("profile".to_owned()))
            .set_pkce_challenge(challenge);
        // Asking for what a provider does not know is an error to some.
        if about.scopes_supported().is_some_and(|scopes| scopes.iter().any(|scope| scope.as_str() == "groups")) {
            request = request.add_scope(Scope::new("groups".to_owned()));
        }
        let (url, state, nonce) = request.url();
        Ok(Departure {
            url: url.to_string(),
            state: state.secret().clone(),
            nonce: nonce.secret().clone(),
            verifier: verifier.secret().clone(),
        })
    }

    /// Who came back with this code. The token has to be signed by the provider, for us, for this very departure, and not old.
    pub async fn arrive(&self, redirect: &str, code: String, nonce: String, verifier: String) -> Result<Arrival, Refusal> {
        let about = self.about().await?;
        let client = self.client(&about, redirect)?;
        let asked = client.exchange_code(AuthorizationCode::new(code)).map_err(|error| Refusal::Away(error.to_string()))?;
        let send = |request| send(self.http.clone(), request);
        let answer = asked.set_pkce_verifier(PkceCodeVerifier::new(verifier)).request_async(&send).await.map_err(|error| match error {
            openidconnect::RequestTokenError::ServerResponse(said) => Refusal::Code(said.error().to_string()),
            openidconnect::RequestTokenError::Request(away) => Refusal::Away(away.to_string()),
            other => Refusal::Code(other.to_string()),
        })?;
        let token = answer.id_token().ok_or_else(|| Refusal::Token("there is none".to_owned()))?;
        let nonce = Nonce::new(nonce);
        let claims = match token.claims(&client.id_token_verifier(), &nonce) {
            Ok(claims) => claims.clone(),
            // It may have changed its keys since we looked.
            Err(openidconnect::ClaimsVerificationError::SignatureVerification(_)) => {
                let about = self.look_again().await?;
                let client = self.client(&about, redirect)?;
                token.claims(&client.id_token_verifier(), &nonce).map_err(|error| Refusal::Token(error.to_string()))?.clone()
            }
            Err(error) => return Err(Refusal::Token(error.to_string())),
        };
        let mut arrival = Arrival {
            subject: claims.subject().to_string(),
            verified_email: claims.email().filter(|_| claims.email_verified() == Some(true)).and_then(|email| Email::parse(email).ok()),
            name: claims.name().and_then(|name| name.get(None)).and_then(|name| text::line("name", name, 200).ok()),
            groups: claims.additional_claims().groups().unwrap_or_default(),
        };
        let told_all = arrival.verified_email.is_some() && arrival.name.is_some() && claims.additional_claims().groups.is_some();
        if !told_all && client.user_info_url().is_some() {
            let more = self.more(&client, answer.access_token().clone(), claims.subject().clone()).await?;
            if claims.additional_claims().groups.is_none() {
                arrival.groups = more.additional_claims().groups().unwrap_or_default();
            }
            arrival.verified_email = arrival
                .verified_email
                .or_else(|| more.email().filter(|_| more.email_verified() == Some(true)).and_then(|email| Email::parse(email).ok()));
            arrival.name =
                arrival.name.or_else(|| more.name().and_then(|name| name.get(None)).and_then(|name| text::line("name", name, 200).ok()));
        }
        Ok(arrival)
    }

    /// What the provider says besides the token; it has to be about the same person.
    async fn more(
        &self,
        client: &OurClient,
        token: AccessToken,
        subject: SubjectIdentifier,
    ) -> Result<UserInfoClaims<Claims, CoreGenderClaim>, Refusal> {
        let send = |request| send(self.http.clone(), request);
        let asked = client.user_info(token, Some(subject)).map_err(|error| Refusal::Away(error.to_string()))?;
        asked.request_async(&send).await.map_err(|error| Refusal::Away(error.to_string()))
    }

    fn client(&self, about: &CoreProviderMetadata, redirect: &str) -> Result<OurClient, Refusal> {
        let redirect = RedirectUrl::new(redirect.to_owned()).map_err(|error| Refusal::Away(error.to_string()))?;
        let (id, secret) = (ClientId::new(self.settings.client_id.clone()), ClientSecret::new(self.settings.client_secret.0.clone()));
        Ok(Client::from_provider_metadata(about.clone(), id, Some(secret)).set_redirect_uri(redirect))
    }

    async fn about(&self) -> Result<Arc<CoreProviderMetadata>, Refusal> {
        if let Some(found) = self.found.read().await.clone() {
            return Ok(found);
        }
        self.look_again().await
    }

    async fn look_again(&self) -> Result<Arc<CoreProviderMetadata>, Refusal> {
        let issuer = IssuerUrl::new(self.settings.issuer().to_owned()).map_err(|error| Refusal::Away(error.to_string()))?;
        let send = |request| send(self.http.clone(), request);
        let found = CoreProviderMetadata::discover_async(issuer, &send).await.map_err(|error| Refusal::Away(why(&error)))?;
        let found = Arc::new(found);
        *self.found.write().await = Some(found.clone());
        Ok(found)
    }
}

/// Errors of this library say little themselves, and more in what caused them.
fn why(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        said = format!("{said}: {error}");
        cause = error.source();
    }
    said
}

#[derive(Debug, thiserror::Error)]
enum Unsent {
    #[error("{0}")]
    Off(String),
    #[error("its answer is longer than 1 MiB")]
    TooLong,
}

async fn send(http: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, Unsent> {
    let off = |error: reqwest::Error| Unsent::Off(why(&error.without_url()));
    let (parts, body) = request.into_parts();
    let asked = http.request(parts.method, parts.uri.to_string()).headers(parts.headers).body(body);
    let mut answer = asked.send().await.map_err(off)?;
    let (status, headers) = (answer.status(), answer.headers().clone());
    let mut body = Vec::new();
    while let Some(part) = answer.chunk().await.map_err(off)? {
        if body.len() + part.len() > LONGEST {
            return Err(Unsent::TooLong);
        }
        body.extend_from_slice(&part);
    }
    let mut response = HttpResponse::new(body);
    (*response.status_mut(), *response.headers_mut()) = (status, headers);
    Ok(response)
}
