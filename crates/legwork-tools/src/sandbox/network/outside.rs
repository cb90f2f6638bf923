//! What lies outside: names are resolved and connections are made there.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::address::is_public;
use super::host::{At, Host, Target};
use super::seen::Seen;

/// How long a name may take to be resolved, and all its addresses to answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long one address may take where there are more.
const ADDRESS_PATIENCE: Duration = Duration::from_secs(5);
/// Most connections at once; more wait.
const AT_ONCE: u64 = 256;
/// One connection has two files; so many times as many are left to the rest of the process.
const FILES: u64 = 8;

pub(super) type Soon<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// Resolves names and makes connections.
pub(super) trait Outside: Send + Sync + 'static {
    /// The addresses of a name.
    fn resolve<'a>(&'a self, name: &'a str) -> Soon<'a, Vec<IpAddr>>;

    /// A connection with an address.
    fn connect(&self, address: SocketAddr) -> Soon<'_, TcpStream>;

    /// Whether the other end of a connection is on this machine, too.
    fn is_own(&self, stream: &TcpStream) -> bool;
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

    fn is_own(&self, stream: &TcpStream) -> bool {
        let (own, other) = (stream.local_addr(), stream.peer_addr());
        own.is_ok_and(|own| other.is_ok_and(|other| own.ip() == other.ip()))
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
    /// One for each connection, of all commands together.
    pub(super) permits: Arc<Semaphore>,
}

impl Border {
    /// With as many connections at once as leave the process enough files.
    pub(super) fn new(hosts: Vec<Host>, outside: impl Outside) -> Self {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let most = usize::try_from((files / FILES).clamp(1, AT_ONCE)).unwrap_or(1);
        let (outside, permits) = (Box::new(outside), Arc::new(Semaphore::new(most)));
        Self { hosts, outside, seen: Seen::default(), permits }
    }

    /// Connects a command with what it asks for, if that is on the list, and remembers both.
    ///
    /// # Errors
    /// Why not.
    pub(super) async fn connect(&self, target: &Target) -> Result<TcpStream, Refusal> {
        if !self.allows(target) {
            self.seen.note(target, Err(&Refusal::Unlisted));
            return Err(Refusal::Unlisted);
        }
        // A command that ends meanwhile has asked for the name all the same.
        let asked = self.seen.asked(target);
        let outcome = self.reach(target).await;
        asked.ended(outcome.as_ref().map(drop));
        outcome
    }

    fn allows(&self, target: &Target) -> bool {
        self.hosts.iter().any(|host| host.allows(target))
    }

    fn allows_address(&self, address: IpAddr, port: u16) -> bool {
        self.allows(&Target { at: At::Address(address.to_canonical()), port })
    }

    async fn reach(&self, target: &Target) -> Result<TcpStream, Refusal> {
        let reached = timeout(PATIENCE, async {
            let addresses = match &target.at {
                At::Address(address) => vec![*address],
                At::Name(name) => self.addresses(name, target.port).await?,
            };
            let stream = self.first(&addresses, target.port).await;
            let stream = stream.map_err(Refusal::Unreachable)?;
            // This machine may have a public address, too.
            let own = self.outside.is_own(&stream).then(|| stream.peer_addr().ok()).flatten();
            match own.is_some_and(|own| !self.allows_address(own.ip(), target.port)) {
                true => Err(Refusal::Private),
                false => Ok(stream),
            }
        });
        let late = |_| Err(Refusal::Unreachable(io::ErrorKind::TimedOut.into()));
        reached.await.unwrap_or_else(late)
    }

    /// The addresses of a name that are of the public Internet, or on the list themselves. It
    /// is these that a connection is made with: the name is not resolved again.
    async fn addresses(&self, name: &str, port: u16) -> Result<Vec<IpAddr>, Refusal> {
        let all = self.outside.resolve(name).await.map_err(Refusal::Unreachable)?;
        let is_usable =
            |address: &IpAddr| is_public(*address) || self.allows_address(*address, port);
        let usable: Vec<_> = all.iter().copied().filter(is_usable).collect();
        match (usable.is_empty(), all.is_empty()) {
            (false, _) => Ok(usable),
            (true, false) => Err(Refusal::Private),
            (true, true) => Err(Refusal::Unreachable(io::ErrorKind::NotFound.into())),
        }
    }

    async fn first(&self, addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
        let mut failed = io::ErrorKind::NotFound.into();
        for (at, address) in addresses.iter().enumerate() {
            let connected = self.outside.connect(SocketAddr::new(*address, port));
            let is_last = at.saturating_add(1) == addresses.len();
            let patience = if is_last { PATIENCE } else { ADDRESS_PATIENCE };
            match timeout(patience, connected).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => failed = error,
                Err(_) => failed = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(failed)
    }
}
