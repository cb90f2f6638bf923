//! The way to a provider is encrypted: who answers must be whom the system trusts.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use legwork_testkit::{Server, Turn};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio_rustls::TlsAcceptor;

use crate::home::{Home, Ran, ran};

/// A front with TLS before a plain server: its base URL and its certificate's file.
fn front(server: &Server, folder: &Path) -> (String, PathBuf) {
    let names = vec!["localhost".to_owned()];
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let file = folder.join("trusted.pem");
    fs::write(&file, cert.pem()).unwrap();

    let plain: SocketAddr =
        server.base_url().trim_start_matches("http://").trim_end_matches("/v1").parse().unwrap();
    let runtime = runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        runtime.block_on(forward(listener, TlsAcceptor::from(Arc::new(config)), plain))
    });
    (format!("https://localhost:{port}/v1"), file)
}

/// Takes connections as long as the test lives.
async fn forward(listener: TcpListener, acceptor: TlsAcceptor, plain: SocketAddr) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            // Who does not trust the certificate goes away here.
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            // Strict, as some are: whoever does not say what it speaks is left alone.
            if stream.get_ref().1.alpn_protocol() != Some(b"http/1.1") {
                return;
            }
            let mut server = TcpStream::connect(plain).await.unwrap();
            let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
        });
    }
}

fn asked(url: &str, trusted: Option<&Path>) -> Ran {
    let home = Home::new();
    let mut command = home.legwork(&["run", "--model", "my:m", "--base-url", url, "Work"]);
    if let Some(file) = trusted {
        command.env("SSL_CERT_FILE", file);
    }
    ran(command)
}

#[test]
fn a_server_that_the_system_trusts_is_asked() {
    let server = Server::start([Turn::text("Over TLS.")]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (url, trusted) = front(&server, folder.path());
    let ran = asked(&url, Some(&trusted)).ends(0);
    assert!(ran.out.contains("Over TLS."), "{}", ran.out);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_server_that_nobody_vouches_for_is_told_nothing() {
    let server = Server::start([Turn::text("Who knows?")]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (url, _) = front(&server, folder.path());
    let ran = asked(&url, None).ends(1);
    let ran = ran.says("could not connect").says("certificate").says("SSL_CERT_FILE");
    assert!(server.requests().is_empty(), "{}", ran.err);
}

#[test]
fn a_server_that_speaks_no_tls_is_told_nothing() {
    let server = Server::start([Turn::text("Who knows?")]).unwrap();
    let url = server.base_url().replace("http://", "https://");
    asked(&url, None).ends(1).says("could not connect");
    assert!(server.requests().is_empty());
}
