//! TLS: whose certificate it is.

use std::net::IpAddr;
use std::sync::Arc;

use hyper::StatusCode;
use legwork_port::BoxFuture;
use legwork_port::network::Network;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::{Ask, Client, Error, Resolver};
use crate::address::Address;
use crate::policy::Policy;

/// Says that each name is this machine.
struct Here;

impl Resolver for Here {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::ready(Ok(vec![IpAddr::from([127, 0, 0, 1])])))
    }
}

/// A server of one name that says hello to each request; gives its port, and a client for it.
async fn server(name: &str) -> (u16, Client) {
    let signed = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
    let certificate = signed.cert.der().clone();
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let key = PrivateKeyDer::Pkcs8(signed.signing_key.serialize_der().into());
    let provider = || Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider());
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = config.with_single_cert(vec![certificate], key).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let read = stream.read(&mut [0; 4_096]).await;
            assert!(read.unwrap() > 0);
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
            stream.write_all(answer).await.unwrap();
        }
    });
    let trusting = ClientConfig::builder_with_provider(provider());
    let trusting = trusting.with_safe_default_protocol_versions().unwrap();
    let trusting = trusting.with_root_certificates(roots).with_no_client_auth();
    let policy = Policy::new(Network::All).allowing([address.to_string().parse().unwrap()]);
    let client = Client::new(policy).unwrap().with_resolver(Here).with_tls(trusting);
    (address.port(), client)
}

async fn get(client: &Client, url: &str) -> Result<super::Answer, Error> {
    client.get(Address::parse(url).unwrap(), &Ask::page()).await
}

#[tokio::test]
async fn a_server_is_trusted_by_the_name_that_was_asked_for() {
    let (port, client) = server("here.example.com").await;
    let answer = get(&client, &format!("https://here.example.com:{port}/")).await.unwrap();
    assert_eq!((answer.status, &*answer.body), (StatusCode::OK, &b"hello"[..]));
    let other = get(&client, &format!("https://other.example.com:{port}/")).await;
    assert!(matches!(other, Err(Error::Tls { .. })), "{other:?}");
    let by_address = get(&client, &format!("https://127.0.0.1:{port}/")).await;
    assert!(matches!(by_address, Err(Error::Tls { .. })), "{by_address:?}");
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    let (port, _) = server("here.example.com").await;
    let policy = Policy::new(Network::All).allowing([format!("127.0.0.1:{port}").parse().unwrap()]);
    let client = Client::new(policy).unwrap().with_resolver(Here);
    let told = get(&client, &format!("https://here.example.com:{port}/")).await;
    assert!(matches!(told, Err(Error::Tls { .. })), "{told:?}");
}
