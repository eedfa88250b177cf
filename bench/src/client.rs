//! A client that costs little itself: one kept-alive HTTP/1.1 connection.

use crate::Failure;
use http_body_util::{BodyExt, Full};
use hyper::{
    Request,
    body::Bytes,
    client::conn::http1::{SendRequest, handshake},
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::net::SocketAddr;
use tokio::net::TcpStream;

pub struct Client {
    connection: SendRequest<Full<Bytes>>,
    bearer: Option<String>,
}

impl Client {
    pub async fn connect(address: SocketAddr, bearer: Option<String>) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (connection, driver) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(driver);
        Ok(Self { connection, bearer })
    }

    /// The status, and the body read to its end.
    pub async fn post(&mut self, path: &str, body: impl Into<Bytes>) -> Result<(u16, Bytes), Failure> {
        let mut request = Request::post(path).header("host", "bench").header("content-type", "application/json");
        if let Some(bearer) = &self.bearer {
            request = request.header("authorization", format!("Bearer {bearer}"));
        }
        self.connection.ready().await?;
        let response = self.connection.send_request(request.body(Full::new(body.into()))?).await?;
        let status = response.status().as_u16();
        Ok((status, response.into_body().collect().await?.to_bytes()))
    }

    /// For setting up: what is not a success is the end.
    pub async fn make(&mut self, path: &str, body: Value) -> Result<Value, Failure> {
        let (status, body) = self.post(path, body.to_string()).await?;
        let body: Value = serde_json::from_slice(&body)?;
        if (200..300).contains(&status) { Ok(body) } else { Err(format!("{path}: {status} {body}").into()) }
    }
}
