//! Connections through a SOCKS5 proxy.

use std::future::{Ready, ready};
use std::io;
use std::task::{Context, Poll};

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::SocksV5;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpStream, lookup_host};
use tower_service::Service;

use super::super::connect::call;
use super::{Error, Kind, Proxy, host_and_port};

/// A connection to a server through a proxy.
pub(super) async fn open(
    proxy: &Proxy,
    tcp: HttpConnector,
    server: &Uri,
) -> Result<TokioIo<TcpStream>, Error> {
    let server = target(proxy.kind, server).await;
    let server = server.map_err(|source| proxy.no_tunnel(source))?;
    let stream = call(tcp, &proxy.address).await;
    let stream = stream.map_err(|source| proxy.unreachable(source.into()))?;
    let mut socks = SocksV5::new(proxy.address.clone(), Connected(Some(stream)));
    if let Some((name, password)) = proxy.credentials.clone() {
        socks = socks.with_auth(name, password);
    }
    call(socks, &server).await.map_err(|source| proxy.no_tunnel(source))
}

/// The server's address as it is sent to the proxy: with its port, and without its name if
/// that is resolved here.
async fn target(kind: Kind, server: &Uri) -> io::Result<Uri> {
    let (host, port) = host_and_port(server);
    let authority = match kind {
        Kind::Socks5 => {
            let found = lookup_host((host, port)).await?.next();
            found.ok_or(io::ErrorKind::NotFound)?.to_string()
        }
        _ if host.contains(':') => format!("[{host}]:{port}"),
        _ => format!("{host}:{port}"),
    };
    let uri = Uri::builder().scheme("https").authority(authority).path_and_query("/");
    uri.build().map_err(io::Error::other)
}

/// A connection that is there already, as what SOCKS is spoken over.
struct Connected(Option<TokioIo<TcpStream>>);

impl Service<Uri> for Connected {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Ready<io::Result<TokioIo<TcpStream>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        ready(self.0.take().ok_or_else(|| io::ErrorKind::NotConnected.into()))
    }
}
