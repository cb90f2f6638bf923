//! The way to a server: resolve, check, connect to what was checked.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use legwork_port::network::{Target, TargetHost};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::{Client, Error, Reach};
use crate::address::Address;
use crate::policy::Refusal;

/// Time limit for connecting to one address if there are more to try.
const ADDRESS_TIME: Duration = Duration::from_secs(5);
/// Addresses of a name that are tried.
const ADDRESSES: usize = 8;

impl Client {
    /// A connection to the server of an address.
    ///
    /// # Errors
    /// When the policy forbids its name or all its addresses, or none of these can be reached.
    pub(super) async fn connect(&self, address: &Address) -> Result<TcpStream, Error> {
        let target = address.target();
        if let Reach::Policy(policy) = &self.reach {
            policy.check(target)?;
        }
        let addresses = self.addresses(target).await?;
        let stream = first(&addresses, target.port).await;
        let stream =
            stream.map_err(|source| Error::Unreachable { host: target.to_string(), source })?;
        self.check_peer(target, &stream)?;
        Ok(stream)
    }

    /// The addresses of a target that may be reached.
    async fn addresses(&self, target: &Target) -> Result<Vec<IpAddr>, Error> {
        let name = match &target.host {
            TargetHost::Address(address) => return Ok(vec![*address]),
            TargetHost::Name(name) => name,
        };
        let unresolved = |source| Error::Unresolved { host: name.clone(), source };
        let all = self.resolver.resolve(name).await.map_err(unresolved)?;
        let Reach::Policy(policy) = &self.reach else { return Ok(all) };
        let (mut usable, mut refused) = (Vec::new(), None);
        for address in all {
            match policy.check_address(target, address) {
                Ok(()) => usable.push(address),
                Err(refusal) => refused = Some(refusal),
            }
        }
        match (usable.is_empty(), refused) {
            (false, _) => Ok(usable),
            (true, Some(refusal)) => Err(refusal.into()),
            (true, None) => Err(unresolved(io::ErrorKind::NotFound.into())),
        }
    }

    /// Refuses a public address that belongs to this machine, unless it is listed.
    fn check_peer(&self, target: &Target, stream: &TcpStream) -> Result<(), Error> {
        let Reach::Policy(policy) = &self.reach else { return Ok(()) };
        let (Ok(own), Ok(peer)) = (stream.local_addr(), stream.peer_addr()) else { return Ok(()) };
        let there =
            Target { host: TargetHost::Address(peer.ip().to_canonical()), port: peer.port() };
        match own.ip() == peer.ip() && !policy.lists(&there) {
            true => Err(Refusal::Private(target.clone()).into()),
            false => Ok(()),
        }
    }

    /// Encrypts a connection to the server of an address.
    pub(super) async fn encrypt(
        &self,
        address: &Address,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, Error> {
        let host = address.host();
        let failed = |source| Error::Tls { host: host.clone(), source };
        let name = ServerName::try_from(host.clone());
        let name = name.map_err(|error| failed(io::Error::other(error)))?;
        let connected = TlsConnector::from(Arc::clone(&self.tls)).connect(name, stream).await;
        connected.map_err(failed)
    }
}

/// The first connection that comes about.
async fn first(addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
    let mut failed = io::ErrorKind::NotFound.into();
    for address in addresses.iter().take(ADDRESSES) {
        match timeout(ADDRESS_TIME, TcpStream::connect(SocketAddr::new(*address, port))).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => failed = error,
            Err(_) => failed = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(failed)
}
