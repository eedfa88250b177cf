//! Acts that take longer than a caller may wait.

use crate::{problem::Problem, store::Scope};
use tokio::sync::oneshot;

/// Does an act to its end, though whoever asked for it goes away meanwhile: a request may take half a minute, a large erasure more.
pub(super) async fn to_the_end<P, T: Send + 'static>(
    scope: &Scope<P>,
    act: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> Result<T, Problem> {
    let once = scope.request().once.clone();
    let (done, heard) = oneshot::channel();
    tokio::spawn(async move {
        let unheard = done.send(act.await).is_err();
        if let Some(once) = once.filter(|_| unheard)
            && let Err(problem) = once.settle_unheard().await
        {
            tracing::warn!(?problem, "an act that nobody waited for could not be committed");
        }
    });
    heard.await.map_err(Problem::internal)?
}
