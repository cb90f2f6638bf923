//! Addresses of Redis servers, such as `redis://:password@host:6379/0?prefix=clerk`.

use std::path::Path;
use std::time::Duration;

use legwork_port::store::Error;
use redis::io::tcp::TcpSettings;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _};

use crate::name::Name;

/// What the keys of a store begin with if its address does not say it.
const PREFIX: &str = "legwork";

/// How long a connection may be silent before its server is asked whether it is there.
const KEEPALIVE: Duration = Duration::from_secs(15);

/// The longest prefix, in bytes.
const LONGEST_PREFIX: usize = 64;

/// An address as it was read.
pub(super) struct Address {
    pub(super) server: ConnectionInfo,
    pub(super) prefix: String,
    /// Whether a server that may lose an acknowledged append is refused.
    pub(super) require_durable: bool,
    /// What errors and events call the store; it has no password.
    pub(super) name: Name,
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// [`Error::Unusable`], without the address: it may have a password.
    pub(super) fn read(text: &str) -> Result<Self, Error> {
        let unnamed = Name::of(Path::new("redis"));
        let (server, query) = text.split_once('?').unwrap_or((text, ""));
        let mut address = Self {
            server: ConnectionAddr::Tcp(String::new(), 0).into_connection_info().map_err(
                |error| unnamed.unusable(format!("its address cannot be read: {error}")),
            )?,
            prefix: PREFIX.to_owned(),
            require_durable: false,
            name: unnamed,
        };
        let mut of_server = Vec::new();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            if !address.take(part)? {
                of_server.push(part);
            }
        }
        let server = match of_server.is_empty() {
            true => server.to_owned(),
            false => format!("{server}?{}", of_server.join("&")),
        };
        address.server = server.as_str().into_connection_info().map_err(|error| {
            address.name.unusable(format!(
                "its address cannot be read ({error}); write it as \
                 redis://:PASSWORD@HOST:6379/0, with rediss for TLS"
            ))
        })?;
        let tcp = TcpSettings::default().set_nodelay(true);
        // So that a server whose machine is gone is noticed by those that only listen, too.
        let tcp = tcp.set_keepalive(TcpKeepalive::new().with_time(KEEPALIVE));
        address.server = address.server.set_tcp_settings(tcp);
        address.name = Name::of(Path::new(&address.shown()));
        Ok(address)
    }

    /// Takes a parameter that is the store's own; false if it is the server's.
    fn take(&mut self, part: &str) -> Result<bool, Error> {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match key {
            "prefix" => self.prefix = checked(&self.name, value)?,
            "durable" if value == "require" => self.require_durable = true,
            "durable" => {
                return Err(self.name.unusable("durable in its address is not `require`"));
            }
            // Those that the client reads: the latter three in addresses of Unix sockets.
            "protocol" | "db" | "user" | "pass" => return Ok(false),
            _ => {
                let reason = format!(
                    "its address has the unknown parameter {key:?}; there are prefix and durable"
                );
                return Err(self.name.unusable(reason));
            }
        }
        Ok(true)
    }

    /// The address without user and password.
    fn shown(&self) -> String {
        let (server, db) = (self.server.addr(), self.server.redis_settings().db());
        let address = match server {
            ConnectionAddr::TcpTls { .. } => format!("rediss://{server}/{db}"),
            ConnectionAddr::Unix(_) => format!("redis+unix://{server}?db={db}"),
            _ => format!("redis://{server}/{db}"),
        };
        match self.prefix.as_str() {
            PREFIX => address,
            prefix if address.contains('?') => format!("{address}&prefix={prefix}"),
            prefix => format!("{address}?prefix={prefix}"),
        }
    }
}

/// A prefix of keys that can be told from what follows it in every key.
fn checked(name: &Name, prefix: &str) -> Result<String, Error> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    match !prefix.is_empty() && prefix.len() <= LONGEST_PREFIX && prefix.bytes().all(is_plain) {
        true => Ok(prefix.to_owned()),
        false => Err(name.unusable(format!(
            "the prefix {prefix:?} in its address is not 1 to {LONGEST_PREFIX} letters, digits, \
             `-`, `_`, `.` or `:`"
        ))),
    }
}

#[cfg(test)]
mod tests;
