//! What may be reached: by name, and by the address that a name turns out to have.

use std::net::IpAddr;

use legwork_port::network::{Host, Network, Target, TargetHost, is_public};

/// What may be reached.
///
/// A name is checked before it is resolved, and each address that it resolves to before it is
/// connected to. An address that is not public (loopback, private, link-local, of a cloud's
/// metadata, ...) is reached only if the network lists that very address.
///
/// ```
/// use legwork_port::network::Network;
/// use legwork_web::Policy;
///
/// // All of the public Internet but one site, and a server of this machine.
/// let policy = Policy::new(Network::All)
///     .denying(["*.example.com".parse()?])
///     .allowing(["127.0.0.1:8080".parse()?]);
/// # let _ = policy;
/// # Ok::<(), legwork_port::network::InvalidHost>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Policy {
    network: Network,
    /// None if all that the network includes is reached.
    only: Option<Vec<Host>>,
    allowed: Vec<Host>,
    denied: Vec<Host>,
}

/// Why something is not reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no network at all.
    #[error("the network is off: {0} is not reached. A person has to allow it (--network)")]
    NoNetwork(Target),
    /// It is not on the list of hosts.
    #[error("{target} is not reached: only these hosts may be: {listed}")]
    Unlisted {
        /// What was asked for.
        target: Target,
        /// The list.
        listed: String,
    },
    /// It is on the list of hosts that are not reached.
    #[error("{0} is not reached: the settings deny it")]
    Denied(Target),
    /// Its address is not public.
    #[error(
        "{0} is not reached: its address belongs to this machine, a private network or a reserved \
         range"
    )]
    Private(Target),
}

impl Policy {
    /// What a network includes.
    #[must_use]
    pub fn new(network: Network) -> Self {
        Self { network, ..Self::default() }
    }

    /// The same with these hosts, too; a listed address may be private.
    #[must_use]
    pub fn allowing(mut self, hosts: impl IntoIterator<Item = Host>) -> Self {
        self.allowed.extend(hosts);
        self
    }

    /// The same with none but these of the hosts that the network includes; a listed address may be
    /// private.
    #[must_use]
    pub fn only(mut self, hosts: impl IntoIterator<Item = Host>) -> Self {
        self.only = Some(hosts.into_iter().collect());
        self
    }

    /// The same without these hosts, whatever else allows them.
    #[must_use]
    pub fn denying(mut self, hosts: impl IntoIterator<Item = Host>) -> Self {
        self.denied.extend(hosts);
        self
    }

    /// Whether a target may be reached, by its name; an address is checked, too.
    ///
    /// # Errors
    /// Why it may not.
    pub fn check(&self, target: &Target) -> Result<(), Refusal> {
        if self.denied.iter().any(|host| host.denies(target)) {
            return Err(Refusal::Denied(target.clone()));
        }
        let listed = self.allowed.iter().any(|host| host.allows(target));
        match &self.network {
            _ if listed => {}
            Network::Off => return Err(Refusal::NoNetwork(target.clone())),
            network => {
                let of_network = match network {
                    Network::Hosts(hosts) => Some(hosts),
                    Network::Off | Network::All => None,
                };
                self.check_listed(target, of_network)?;
                self.check_listed(target, self.only.as_ref())?;
            }
        }
        match target.host {
            TargetHost::Address(address) => self.check_address(target, address),
            TargetHost::Name(_) => Ok(()),
        }
    }

    /// Refuses a target that is not on a list, if there is one.
    fn check_listed(&self, target: &Target, list: Option<&Vec<Host>>) -> Result<(), Refusal> {
        let Some(list) = list.filter(|list| !list.iter().any(|host| host.allows(target))) else {
            return Ok(());
        };
        let hosts = list.iter().chain(&self.allowed).map(Host::to_string);
        let listed = hosts.collect::<Vec<_>>().join(", ");
        Err(Refusal::Unlisted { target: target.clone(), listed })
    }

    /// Whether a target may be reached at an address that it has.
    ///
    /// # Errors
    /// When the address is not public and not listed, or is denied.
    pub fn check_address(&self, target: &Target, address: IpAddr) -> Result<(), Refusal> {
        let there = Target { host: TargetHost::Address(address.to_canonical()), port: target.port };
        if self.denied.iter().any(|host| host.denies(&there)) {
            return Err(Refusal::Denied(target.clone()));
        }
        match is_public(address) || self.lists(&there) {
            true => Ok(()),
            false => Err(Refusal::Private(target.clone())),
        }
    }

    /// Whether a target is listed by itself.
    pub(crate) fn lists(&self, target: &Target) -> bool {
        let of_network = match &self.network {
            Network::Hosts(hosts) => hosts.as_slice(),
            Network::Off | Network::All => &[],
        };
        let only = self.only.iter().flatten();
        self.allowed.iter().chain(of_network).chain(only).any(|host| host.allows(target))
    }
}
