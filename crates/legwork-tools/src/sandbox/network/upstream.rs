//! The network in which the proxy resolves names and makes connections.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;

use tokio::net::{TcpStream, lookup_host};

pub(super) type IoFuture<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// Resolves names and makes connections.
pub(super) trait Upstream: Send + Sync + 'static {
    /// The addresses of a name.
    fn resolve<'a>(&'a self, name: &'a str) -> IoFuture<'a, Vec<IpAddr>>;

    /// Connects to an address.
    fn connect(&self, address: SocketAddr) -> IoFuture<'_, TcpStream>;

    /// Whether the peer of a connection is this machine.
    fn is_own(&self, stream: &TcpStream) -> bool;
}

/// The network of this machine.
#[derive(Debug)]
pub(super) struct HostNetwork;

impl Upstream for HostNetwork {
    fn resolve<'a>(&'a self, name: &'a str) -> IoFuture<'a, Vec<IpAddr>> {
        Box::pin(async move {
            let addresses = lookup_host((name, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }

    fn connect(&self, address: SocketAddr) -> IoFuture<'_, TcpStream> {
        Box::pin(TcpStream::connect(address))
    }

    fn is_own(&self, stream: &TcpStream) -> bool {
        let (own, peer) = (stream.local_addr(), stream.peer_addr());
        own.is_ok_and(|own| peer.is_ok_and(|peer| own.ip() == peer.ip()))
    }
}
