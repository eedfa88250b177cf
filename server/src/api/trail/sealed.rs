//! Checkpoints and proofs over REST.

use super::super::{
    document::{Access, needs},
    sent::{Params, Query},
};
use crate::{
    App,
    acts::seal::{self, Consistent, Included, Whose},
    auth::InstanceAdmin,
    engines::seal::Hash,
    model::Power,
    problem::Problem,
    store::{Auditing, Scope},
};
use axum::{
    Json,
    extract::State as Of,
    http::header,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(needs(Access::Workspace(Power::Auditing), routes!(get_checkpoint)))
        .routes(needs(Access::Workspace(Power::Auditing), routes!(prove_entry)))
        .routes(needs(Access::Workspace(Power::Auditing), routes!(prove_consistency)))
        .routes(needs(Access::InstanceAdmin, routes!(get_instance_checkpoint)))
        .routes(needs(Access::InstanceAdmin, routes!(prove_instance_entry)))
        .routes(needs(Access::InstanceAdmin, routes!(prove_instance_consistency)))
}

/// The proof that an entry is in the sealed tree, by RFC 6962. `docs/audit.md` says how to check it.
#[derive(Serialize, ToSchema)]
struct InclusionBody {
    /// The entry's place.
    index: u64,
    /// The entry as it was sealed, to the byte.
    leaf: String,
    /// SHA-256 of a zero byte and the leaf, in base64.
    leaf_hash: String,
    /// The audit path, from the leaf upwards, in base64.
    proof: Vec<String>,
    /// How many leaves the tree has that the path leads to.
    size: u64,
    /// The signed checkpoint of that tree.
    checkpoint: String,
}

impl From<Included> for InclusionBody {
    fn from(found: Included) -> Self {
        Self {
            index: found.index,
            leaf: found.leaf,
            leaf_hash: found.hash.to_string(),
            proof: in_base64(&found.proof),
            size: found.size,
            checkpoint: found.checkpoint,
        }
    }
}

/// The proof that a smaller tree is the beginning of a larger one, by RFC 6962.
#[derive(Serialize, ToSchema)]
struct ConsistencyBody {
    /// The size of the smaller tree.
    from: u64,
    /// The size of the larger tree.
    to: u64,
    /// The hashes, in base64.
    proof: Vec<String>,
}

impl From<Consistent> for ConsistencyBody {
    fn from(found: Consistent) -> Self {
        Self { from: found.from, to: found.to, proof: in_base64(&found.proof) }
    }
}

fn in_base64(hashes: &[Hash]) -> Vec<String> {
    hashes.iter().map(ToString::to_string).collect()
}

#[derive(Deserialize)]
struct OfIndex {
    index: u64,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Sizes {
    /// The size of the smaller tree, at least 1.
    from: u64,
    /// The size of the larger tree; that of the newest checkpoint if it is left out.
    to: Option<u64>,
}

fn note(checkpoint: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], checkpoint).into_response()
}

/// Read the newest signed checkpoint of the trail.
///
/// A C2SP signed note. Keep it: with it, nobody can change or cut off what it covers without being found out.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/audit/checkpoint", tag = "Trail", responses((status = 200, description = "The note.", body = String, content_type = "text/plain")))]
async fn get_checkpoint(Of(app): Of<App>, scope: Scope<Auditing>) -> Result<Response, Problem> {
    Ok(note(seal::checkpoint(&app, &Whose::Workspace(scope)).await?.1))
}

/// Prove that an entry is in the sealed trail.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/audit/proof/{index}", tag = "Trail", responses((status = 200, description = "The proof.", body = InclusionBody)))]
async fn prove_entry(Of(app): Of<App>, scope: Scope<Auditing>, Params(of): Params<OfIndex>) -> Result<Json<InclusionBody>, Problem> {
    Ok(Json(seal::inclusion(&app, &Whose::Workspace(scope), of.index).await?.into()))
}

/// Prove that the trail only grew from one size to another.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/audit/consistency", tag = "Trail", params(Sizes), responses((status = 200, description = "The proof.", body = ConsistencyBody)))]
async fn prove_consistency(Of(app): Of<App>, scope: Scope<Auditing>, Query(asked): Query<Sizes>) -> Result<Json<ConsistencyBody>, Problem> {
    Ok(Json(seal::consistency(&app, &Whose::Workspace(scope), asked.from, asked.to).await?.into()))
}

/// Read the newest signed checkpoint of the instance's own trail.
#[utoipa::path(get, path = "/v1/audit/checkpoint", tag = "Trail", responses((status = 200, description = "The note.", body = String, content_type = "text/plain")))]
async fn get_instance_checkpoint(Of(app): Of<App>, admin: InstanceAdmin) -> Result<Response, Problem> {
    Ok(note(seal::checkpoint(&app, &Whose::instance(&admin)).await?.1))
}

/// Prove that an entry is in the instance's sealed trail.
#[utoipa::path(get, path = "/v1/audit/proof/{index}", tag = "Trail", responses((status = 200, description = "The proof.", body = InclusionBody)))]
async fn prove_instance_entry(Of(app): Of<App>, admin: InstanceAdmin, Params(of): Params<OfIndex>) -> Result<Json<InclusionBody>, Problem> {
    Ok(Json(seal::inclusion(&app, &Whose::instance(&admin), of.index).await?.into()))
}

/// Prove that the instance's trail only grew from one size to another.
#[utoipa::path(get, path = "/v1/audit/consistency", tag = "Trail", params(Sizes), responses((status = 200, description = "The proof.", body = ConsistencyBody)))]
async fn prove_instance_consistency(
    Of(app): Of<App>,
    admin: InstanceAdmin,
    Query(asked): Query<Sizes>,
) -> Result<Json<ConsistencyBody>, Problem> {
    Ok(Json(seal::consistency(&app, &Whose::instance(&admin), asked.from, asked.to).await?.into()))
}
