//! A caller that is still sending reads no answer: what is refused is heard out first, as far as that is bearable.

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    http::header,
    middleware::Next,
    response::Response,
};
use futures_util::{StreamExt, stream};
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Beyond these the connection is closed in the middle of a sentence.
const BYTES: usize = 64 * 1024 * 1024;
const TIME: Duration = Duration::from_secs(5);

pub(super) async fn heard_out(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    // Whoever asks before sending is told to send by the first who reads.
    let asks_first = request.headers().contains_key(header::EXPECT);
    let (parts, body) = request.into_parts();
    let (sent, begun) = (Arc::new(Mutex::new(body.into_data_stream())), Arc::new(AtomicBool::new(!asks_first)));
    let reader = || {
        let (sent, begun) = (sent.clone(), begun.clone());
        stream::poll_fn(move |context| {
            begun.store(true, Ordering::Relaxed);
            sent.lock().unwrap_or_else(PoisonError::into_inner).poll_next_unpin(context)
        })
    };
    let response = next.run(Request::from_parts(parts, Body::from_stream(reader()))).await;
    if !response.status().is_success() && begun.load(Ordering::Relaxed) {
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
