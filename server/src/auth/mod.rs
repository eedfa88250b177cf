//! The only reader of credentials: a bearer token, an agent's key or a cookie becomes somebody who was found.

pub mod caller;
pub mod cookies;
pub mod keys;
pub mod lately;
pub mod limits;
pub mod links;
pub mod oidc;
pub mod passwords;
pub mod refresh;
pub mod scopes;
pub mod tokens;
pub mod visitor;

pub use caller::{AgentCaller, Caller, InstanceAdmin, KeyCaller, PersonCaller};
pub use visitor::Visitor;
