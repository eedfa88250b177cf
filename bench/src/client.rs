//! A client that costs little itself: one kept-alive HTTP/1.1 connection.

use crate::Failure;
use http_body_util::{BodyExt, Full};
use hyper::{
    Method, Request,
    body::Bytes,
    client::conn::http1::{SendRequest, handshake},
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::{
    fs::File,
    io::{BufWriter, Write},
    net::SocketAddr,
    path::Path,
};
use tokio::net::TcpStream;

pub struct Client {
    address: SocketAddr,
    connection: SendRequest<Full<Bytes>>,
    bearer: Option<String>,
}

impl Client {
    pub async fn connect(address: SocketAddr, bearer: Option<String>) -> Result<Self, Failure> {
        Ok(Self { address, connection: connected(address).await?, bearer })
    }

    /// The server closes a connection on which nothing was said for a minute.
    async fn ready(&mut self) -> Result<(), Failure> {
        if self.connection.is_closed() {
            self.connection = connected(self.address).await?;
        }
        Ok(self.connection.ready().await?)
    }

    /// The status, and the body read to its end.
    pub async fn call(&mut self, method: Method, path: &str, body: impl Into<Bytes>) -> Result<(u16, Bytes), Failure> {
        let mut request = Request::builder().method(method).uri(path).header("host", "bench").header("content-type", "application/json");
        if let Some(bearer) = &self.bearer {
            request = request.header("authorization", format!("Bearer {bearer}"));
        }
        self.ready().await?;
        let response = self.connection.send_request(request.body(Full::new(body.into()))?).await?;
        let status = response.status().as_u16();
        Ok((status, response.into_body().collect().await?.to_bytes()))
    }

    /// As a browser asks for a page, with its cookie: the status, and the bytes on the wire.
    pub async fn visit(&mut self, path: &str, cookie: &str) -> Result<(u16, Bytes), Failure> {
        self.open(path, cookie, "gzip").await
    }

    /// The same, to be read.
    pub async fn look(&mut self, path: &str, cookie: &str) -> Result<(u16, Bytes), Failure> {
        self.open(path, cookie, "identity").await
    }

    async fn open(&mut self, path: &str, cookie: &str, encoding: &str) -> Result<(u16, Bytes), Failure> {
        let request = Request::builder().uri(path).header("host", "bench").header("cookie", cookie).header("accept-encoding", encoding);
        self.ready().await?;
        let response = self.connection.send_request(request.body(Full::default())?).await?;
        let status = response.status().as_u16();
        Ok((status, response.into_body().collect().await?.to_bytes()))
    }

    /// Into a file, piece by piece; how many bytes that were.
    pub async fn download(&mut self, path: &str, file: &Path) -> Result<u64, Failure> {
        let mut request = Request::builder().uri(path).header("host", "bench");
        if let Some(bearer) = &self.bearer {
            request = request.header("authorization", format!("Bearer {bearer}"));
        }
        self.ready().await?;
        let mut response = self.connection.send_request(request.body(Full::default())?).await?;
        if response.status() != 200 {
            return Err(format!("{path}: {}", response.status()).into());
        }
        let mut file = BufWriter::new(File::create(file)?);
        let mut size = 0;
        while let Some(frame) = response.frame().await {
            if let Ok(piece) = frame?.into_data() {
                file.write_all(&piece)?;
                size += piece.len() as u64;
            }
        }
        file.flush()?;
        Ok(size)
    }

    pub async fn post(&mut self, path: &str, body: impl Into<Bytes>) -> Result<(u16, Bytes), Failure> {
        self.call(Method::POST, path, body).await
    }

    /// What is not a success is the end.
    pub async fn make(&mut self, path: &str, body: Value) -> Result<Value, Failure> {
        self.need(Method::POST, path, body.to_string()).await
    }

    pub async fn get(&mut self, path: &str) -> Result<Value, Failure> {
        self.need(Method::GET, path, String::new()).await
    }

    pub async fn delete(&mut self, path: &str) -> Result<Value, Failure> {
        self.need(Method::DELETE, path, String::new()).await
    }

    async fn need(&mut self, method: Method, path: &str, body: String) -> Result<Value, Failure> {
        let (status, body) = self.call(method, path, body).await?;
        if !(200..300).contains(&status) {
            return Err(format!("{path}: {status} {}", String::from_utf8_lossy(&body)).into());
        }
        Ok(if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? })
    }
}

async fn connected(address: SocketAddr) -> Result<SendRequest<Full<Bytes>>, Failure> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (connection, driver) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(driver);
    Ok(connection)
}
