//! What lies outside: names are resolved and connections are made there.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::time::Duration;

use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

use super::address::is_public;
use super::host::{At, Host, Target};
use super::seen::Seen;

/// How long a name may take to be resolved and an address to answer.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) type Soon<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// Resolves names and makes connections.
pub(super) trait Outside: Send + Sync + 'static {
    /// The addresses of a name.
    fn resolve<'a>(&'a self, name: &'a str) -> Soon<'a, Vec<IpAddr>>;

    /// A connection with an address.
    fn connect(&self, address: SocketAddr) -> Soon<'_, TcpStream>;
}

/// The network of this machine.
#[derive(Debug)]
pub(super) struct Machine;

impl Outside for Machine {
    fn resolve<'a>(&'a self, name: &'a str) -> Soon<'a, Vec<IpAddr>> {
        Box::pin(async move { Ok(lookup_host((name, 0)).await?.map(|at| at.ip()).collect()) })
    }

    fn connect(&self, address: SocketAddr) -> Soon<'_, TcpStream> {
        Box::pin(TcpStream::connect(address))
    }
}

/// Why a command is not connected.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("it is not on the list of hosts")]
    Unlisted,
    #[error("its address is of a private network, and not on the list of hosts itself")]
    Private,
    #[error("it cannot be reached ({0})")]
    Unreachable(io::Error),
}

/// The list of hosts, what lies outside, and what was seen of it.
pub(super) struct Border {
    pub(super) hosts: Vec<Host>,
    pub(super) outside: Box<dyn Outside>,
    pub(super) seen: Seen,
}

impl Border {
    /// Connects a command with what it asks for, if that is on the list, and remembers both.
    ///
    /// # Errors
    /// Why not.
    pub(super) async fn connect(&self, target: &Target) -> Result<TcpStream, Refusal> {
        let outcome = match self.allows(target) {
            true => self.reach(target).await,
            false => Err(Refusal::Unlisted),
        };
        self.seen.note(target, outcome.as_ref().map(drop));
        outcome
    }

    fn allows(&self, target: &Target) -> bool {
        self.hosts.iter().any(|host| host.allows(target))
    }

    async fn reach(&self, target: &Target) -> Result<TcpStream, Refusal> {
        let reached = timeout(PATIENCE, async {
            let addresses = match &target.at {
                At::Address(address) => vec![*address],
                At::Name(name) => self.addresses(name, target.port).await?,
            };
            self.first(&addresses, target.port).await.map_err(Refusal::Unreachable)
        });
        let late = |_| Err(Refusal::Unreachable(io::ErrorKind::TimedOut.into()));
        reached.await.unwrap_or_else(late)
    }

    /// The addresses of a name that are of the public Internet, or on the list themselves. It
    /// is these that a connection is made with: the name is not resolved again.
    async fn addresses(&self, name: &str, port: u16) -> Result<Vec<IpAddr>, Refusal> {
        let all = self.outside.resolve(name).await.map_err(Refusal::Unreachable)?;
        let is_usable = |address: &IpAddr| {
            let at = At::Address(address.to_canonical());
            is_public(*address) || self.allows(&Target { at, port })
        };
        let usable: Vec<_> = all.iter().copied().filter(is_usable).collect();
        match (usable.is_empty(), all.is_empty()) {
            (false, _) => Ok(usable),
            (true, false) => Err(Refusal::Private),
            (true, true) => Err(Refusal::Unreachable(io::ErrorKind::NotFound.into())),
        }
    }

    async fn first(&self, addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
        let mut failed = io::ErrorKind::NotFound.into();
        for address in addresses {
            match self.outside.connect(SocketAddr::new(*address, port)).await {
                Ok(stream) => return Ok(stream),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }
}
