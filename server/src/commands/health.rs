//! A question to the server from beside it, for container health checks: no other program is needed.

use super::Failure;
use crate::config::Config;
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use std::{
    io::{Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(8);

/// Fails unless the server on this machine says that it is ready.
pub async fn health(config: &Config) -> Result<(), Failure> {
    let (address, tls) = (reachable(config.listen), config.tls.is_some());
    let said = tokio::task::spawn_blocking(move || ask(address, tls)).await??;
    let status = said.split_whitespace().nth(1).unwrap_or("nothing");
    if status == "200" { Ok(()) } else { Err(format!("{address} answers {status} to /readyz").into()) }
}

/// A server that listens everywhere also listens here.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let here = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(here, listen.port())
}

fn ask(address: SocketAddr, tls: bool) -> Result<String, Failure> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    if !tls {
        return exchange(stream);
    }
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Itself(provider)))
        .with_no_client_auth();
    let name = ServerName::IpAddress(address.ip().into());
    exchange(StreamOwned::new(ClientConnection::new(Arc::new(config), name)?, stream))
}

fn exchange(mut stream: impl Read + Write) -> Result<String, Failure> {
    stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut first = [0; 64];
    let size = stream.read(&mut first)?;
    Ok(String::from_utf8_lossy(&first[..size]).into_owned())
}

/// The certificate is for the name that others use; here nothing secret is sent, and the address is our own.
#[derive(Debug)]
struct Itself(Arc<CryptoProvider>);

impl ServerCertVerifier for Itself {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
