//! What the addresses of a name are.

use std::io;
use std::net::IpAddr;

use legwork_port::BoxFuture;
use tokio::net::lookup_host;

/// Resolves names.
pub trait Resolver: Send + Sync {
    /// The addresses of a name, in the order in which they are to be tried.
    ///
    /// # Errors
    /// When the name is not known, or nobody can be asked.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let addresses = lookup_host((name, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }
}
