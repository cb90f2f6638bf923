//! The connections that commands ask for: checked against the list, made and logged.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use legwork_port::network::{Host, Target, TargetHost, is_public};
use rustix::process::{Resource, getrlimit};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::log::ConnectionLog;
use super::upstream::Upstream;

/// Time limit for resolving a name and connecting to one of its addresses.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit for connecting to one address if there are more to try.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of simultaneous connections; further ones wait.
const CONNECTIONS_MAX: u64 = 256;
/// The maximum is `RLIMIT_NOFILE` divided by this, if that is less. A connection uses two
/// files; the others are left to the rest of the process.
const FILES_PER_CONNECTION: u64 = 8;

/// Why a connection was not made.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("it is not on the list of hosts")]
    Unlisted,
    #[error("it resolves to a private address that is not on the list of hosts")]
    Private,
    #[error("it cannot be reached ({0})")]
    Unreachable(io::Error),
}

/// Connects commands to the hosts on a list, and logs each attempt.
pub(super) struct Egress {
    pub(super) hosts: Vec<Host>,
    pub(super) upstream: Box<dyn Upstream>,
    pub(super) log: ConnectionLog,
    /// One per connection, shared by all commands.
    pub(super) permits: Arc<Semaphore>,
}

impl Egress {
    /// Limits the number of connections, so that files are left to the rest of the process.
    pub(super) fn new(hosts: Vec<Host>, upstream: impl Upstream) -> Self {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let most = (files / FILES_PER_CONNECTION).clamp(1, CONNECTIONS_MAX);
        let permits = Arc::new(Semaphore::new(usize::try_from(most).unwrap_or(1)));
        Self { hosts, upstream: Box::new(upstream), log: ConnectionLog::default(), permits }
    }

    /// Connects to a target if it is on the list, and logs the outcome.
    ///
    /// If the future is dropped, the attempt is logged as unfinished.
    ///
    /// # Errors
    /// When the target is not on the list, has only private addresses, or cannot be reached.
    pub(super) async fn connect(&self, target: &Target) -> Result<TcpStream, Refusal> {
        if !self.allows(target) {
            self.log.add(target, Err(&Refusal::Unlisted));
            return Err(Refusal::Unlisted);
        }
        // From here on a DNS query may be sent: even an unfinished attempt is logged.
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
            // A public address may belong to this machine.
            let own = self.upstream.is_own(&stream).then(|| stream.peer_addr().ok()).flatten();
            match own.is_some_and(|own| !self.allows_address(own.ip(), target.port)) {
                true => Err(Refusal::Private),
                false => Ok(stream),
            }
        });
        let timed_out = |_| Err(Refusal::Unreachable(io::ErrorKind::TimedOut.into()));
        reached.await.unwrap_or_else(timed_out)
    }

    /// The addresses of a name that are public or on the list.
    ///
    /// The connection is made to one of them, so that the name is resolved only once.
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

    /// Tries the addresses in order, and returns the first connection that succeeds.
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
