//! A server behind a private authority: refused, unless its certificate was given. And https where none is spoken, or http.

use crate::home::{Home, err, out};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
};

/// Its address, and its authority as PEM.
fn serve() -> (String, String) {
    let authority_key = KeyPair::generate().expect("a key");
    let mut authority = CertificateParams::new(Vec::new()).expect("parameters");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pem = authority.self_signed(&authority_key).expect("an authority").pem();
    let key = KeyPair::generate().expect("a key");
    let leaf = CertificateParams::new(["127.0.0.1".to_owned()]).expect("parameters");
    let certificate = leaf.signed_by(&key, &Issuer::new(authority, authority_key)).expect("a certificate");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())))
        .expect("a configuration");
    let (config, listener) = (Arc::new(config), TcpListener::bind("127.0.0.1:0").expect("a port"));
    let url = format!("https://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = answer(stream, Arc::clone(&config));
        }
    });
    (url, pem)
}

fn answer(stream: TcpStream, config: Arc<ServerConfig>) -> std::io::Result<()> {
    let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut reader = BufReader::new(StreamOwned::new(connection, stream));
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let body = r#"{"actor":{"name":"coder"},"workspaces":[{"slug":"coding"}]}"#;
    let stream = reader.get_mut();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())?;
    stream.conn.send_close_notify();
    stream.flush()
}

#[test]
fn a_private_authority_is_taken_and_remembered() {
    let (url, pem) = serve();
    let home = Home::new();
    let refused = home.run(&["login", "--url", &url, "--key", "k"]);
    assert!(refused.status.code() == Some(3) && err(&refused).contains("--ca FILE"), "{}", err(&refused));
    fs::write(home.path().join("ca.pem"), pem).expect("a file");
    let taken = home.run(&["login", "--url", &url, "--key", "k", "--ca", "ca.pem"]);
    assert!(taken.status.success(), "{}", err(&taken));
    fs::remove_file(home.path().join("ca.pem")).expect("away");
    let report = out(&home.run(&["status", "--json"]));
    assert!(report.contains("\"reachable\":true"), "{report}");
}

#[test]
fn https_to_a_plain_port_and_http_to_one_with_tls_are_told_in_words() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // Read before and after, or the close would swallow the answer.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.read(&mut [0; 4096]);
        }
    });
    let ended = Home::new().run(&["login", "--url", &format!("https://{address}"), "--key", "k"]);
    assert_eq!(ended.status.code(), Some(3));
    assert!(err(&ended).contains("no HTTPS is spoken there") && err(&ended).contains("write http://"), "{}", err(&ended));
    let ended = Home::new().run(&["login", "--url", serve().0.trim_start_matches("https://"), "--key", "k"]);
    assert_eq!(ended.status.code(), Some(3));
    assert!(err(&ended).contains("no plain HTTP is spoken there") && err(&ended).contains("write https://"), "{}", err(&ended));
}
