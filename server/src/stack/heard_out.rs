//! A caller that is still sending reads no answer: what is refused is heard out first, as far as that is bearable.

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    middleware::Next,
    response::Response,
};
use futures_util::{StreamExt, stream};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Beyond these the connection is closed in the middle of a sentence.
const BYTES: usize = 64 * 1024 * 1024;
const TIME: Duration = Duration::from_secs(5);

pub(super) async fn heard_out(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let sent = Arc::new(Mutex::new(body.into_data_stream()));
    let reader = || {
        let sent = sent.clone();
        stream::poll_fn(move |context| sent.lock().unwrap_or_else(PoisonError::into_inner).poll_next_unpin(context))
    };
    let response = next.run(Request::from_parts(parts, Body::from_stream(reader()))).await;
    if !response.status().is_success() {
        let mut rest = reader();
        let all = async {
            let mut heard = 0;
            while let Some(Ok(part)) = rest.next().await
                && heard <= BYTES
            {
                heard += part.len();
            }
        };
        // Whoever takes longer than this has had the chance.
        let _ = tokio::time::timeout(TIME, all).await;
    }
    response
}
