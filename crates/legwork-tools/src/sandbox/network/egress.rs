//! Which targets commands are connected to: the list of hosts, applied.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::address::is_public;
use super::host::{Host, Target, TargetHost};
use super::log::ConnectionLog;
use super::upstream::Upstream;

/// How long resolving a name and connecting to one of its addresses may take together.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long one address may take if another follows.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(5);
/// Most connections at once; further ones wait.
const CONNECTIONS_MAX: u64 = 256;
/// Files of the process's limit for each connection: two are used, the rest is left to others.
const FILES_PER_CONNECTION: u64 = 8;

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

/// Connects commands to the hosts on a list, and logs it.
pub(super) struct Egress {
    pub(super) hosts: Vec<Host>,
    pub(super) upstream: Box<dyn Upstream>,
    pub(super) log: ConnectionLog,
    /// One for each connection, of all commands together.
    pub(super) permits: Arc<Semaphore>,
}

impl Egress {
    /// With a number of connections at once that leaves files to the rest of the process.
    pub(super) fn new(hosts: Vec<Host>, upstream: impl Upstream) -> Self {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let most = (files / FILES_PER_CONNECTION).clamp(1, CONNECTIONS_MAX);
        let permits = Arc::new(Semaphore::new(usize::try_from(most).unwrap_or(1)));
        Self { hosts, upstream: Box::new(upstream), log: ConnectionLog::default(), permits }
    }

    /// Connects to a target if it is on the list, and logs the outcome.
    ///
    /// # Errors
    /// Why not.
    pub(super) async fn connect(&self, target: &Target) -> Result<TcpStream, Refusal> {
        if !self.allows(target) {
            self.log.add(target, Err(&Refusal::Unlisted));
            return Err(Refusal::Unlisted);
        }
        // The name is resolved even if the command ends meanwhile.
        let attempt = self.log.attempt(target);
        let outcome = self.reach(target).await;
        attempt.ended(outcome.as_ref().map(drop));
        outcome
    }

    fn allows(&self, target: &Target) -> bool {
        self.hosts.iter().any(|host| host.allows(target))
    }

    fn allows_address(&self, address: IpAddr, port: u16) -> bool {
        self.allows(&Target { host: TargetHost::Address(address.to_canonical()), port })
    }

    async fn reach(&self, target: &Target) -> Result<TcpStream, Refusal> {
        let reached = timeout(CONNECT_TIMEOUT, async {
            let addresses = match &target.host {
                TargetHost::Address(address) => vec![*address],
                TargetHost::Name(name) => self.addresses(name, target.port).await?,
            };
            let stream = self.first(&addresses, target.port).await;
            let stream = stream.map_err(Refusal::Unreachable)?;
            // This machine may have a public address, too.
            let own = self.upstream.is_own(&stream).then(|| stream.peer_addr().ok()).flatten();
            match own.is_some_and(|own| !self.allows_address(own.ip(), target.port)) {
                true => Err(Refusal::Private),
                false => Ok(stream),
            }
        });
        let late = |_| Err(Refusal::Unreachable(io::ErrorKind::TimedOut.into()));
        reached.await.unwrap_or_else(late)
    }

    /// The addresses of a name that are of the public Internet, or on the list themselves.
    /// The connection is made to one of them: the name is not resolved again.
    async fn addresses(&self, name: &str, port: u16) -> Result<Vec<IpAddr>, Refusal> {
        let all = self.upstream.resolve(name).await.map_err(Refusal::Unreachable)?;
        let is_usable =
            |address: &IpAddr| is_public(*address) || self.allows_address(*address, port);
        let usable: Vec<_> = all.iter().copied().filter(is_usable).collect();
        match (usable.is_empty(), all.is_empty()) {
            (false, _) => Ok(usable),
            (true, false) => Err(Refusal::Private),
            (true, true) => Err(Refusal::Unreachable(io::ErrorKind::NotFound.into())),
        }
    }

    /// A connection to the first address that answers.
    async fn first(&self, addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
        let mut failed = io::ErrorKind::NotFound.into();
        for (index, address) in addresses.iter().enumerate() {
            let connected = self.upstream.connect(SocketAddr::new(*address, port));
            let is_last = index.saturating_add(1) == addresses.len();
            let limit = if is_last { CONNECT_TIMEOUT } else { ADDRESS_TIMEOUT };
            match timeout(limit, connected).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => failed = error,
                Err(_) => failed = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(failed)
    }
}
