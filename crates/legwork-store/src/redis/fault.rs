//! Redis's errors as errors of the port.

use legwork_core::SessionId;
use legwork_port::store::{Error, Holder};
use redis::{ErrorKind, RedisError, ServerErrorKind};

use crate::name::Name;

impl Name {
    /// The answer of a server that is not what a script or command gives.
    pub(super) fn odd(&self, tried: &str) -> Error {
        self.failed(format!(
            "{tried}: its answer is not one of Redis; see what runs at this address"
        ))
    }

    /// The error of something that the server refused; nothing was written.
    pub(super) fn redis(&self, tried: &str, error: &RedisError) -> Error {
        match code(error) {
            "OOM" => self.failed(format!(
                "{tried}: it has no memory left (`maxmemory`), so nothing was written; remove \
                 sessions or raise the limit and go on"
            )),
            "MISCONF" => self.failed(format!(
                "{tried}: it cannot save to its disk, so nothing was written; see its log and \
                 make room ({error})"
            )),
            "NOREPLICAS" => self.failed(format!(
                "{tried}: it has fewer replicas than it requires for writing, so nothing was \
                 written; start them and go on"
            )),
            "LOADING" => self
                .failed(format!("{tried}: it still loads its data after a start; try again later")),
            "BUSY" => self.failed(format!(
                "{tried}: a script of another program keeps it busy; end that by `SCRIPT KILL` \
                 or try again later"
            )),
            "READONLY" => self.unusable(format!(
                "{tried}: it is a replica, which can only be read; give the address of its \
                 primary"
            )),
            "NOAUTH" => self.unusable(format!(
                "{tried}: it wants a password; give it in the address, as \
                 redis://:PASSWORD@HOST:PORT"
            )),
            "WRONGPASS" => self.unusable(format!(
                "{tried}: it refused the user name or the password of the address"
            )),
            "NOPERM" => self.unusable(format!(
                "{tried}: its user is not allowed to do that ({error}); `ACL SETUSER` allows it"
            )),
            "MOVED" | "ASK" | "CROSSSLOT" | "CLUSTERDOWN" => self.unusable(format!(
                "{tried}: it is a node of a Redis Cluster, which cannot be a store; give the \
                 address of a single server"
            )),
            "WRONGTYPE" => self.unusable(format!(
                "{tried}: a key of the store holds something else; choose another prefix by \
                 `?prefix=NAME`"
            )),
            _ => self.failed(format!("{tried}: {error}")),
        }
    }

    /// The error of a server that could not be reached.
    pub(super) fn unreachable(&self, tried: &str, error: &RedisError) -> Error {
        // The client does not hand on which error of TLS it is.
        if error.to_string().contains("certificate") {
            return self.failed(format!(
                "{tried}: its certificate is not trusted ({error}); if a private authority \
                 signed it, name the file of that by the variable SSL_CERT_FILE"
            ));
        }
        self.failed(format!(
            "{tried}: it cannot be reached ({error}); see whether it runs at this address and try \
             again"
        ))
    }

    /// The error of a write whose answer was lost with the connection, and that could not be
    /// repeated since.
    pub(super) fn in_doubt(&self, tried: &str, since: Error) -> Error {
        let since = match since {
            Error::Failed { reason, .. } | Error::Unusable { reason, .. } => reason,
            other => other.to_string(),
        };
        self.failed(format!(
            "{tried}: the connection broke before it answered, so whether anything was written is \
             not known; load the session again when it is back (trying again: {since})"
        ))
    }
}

/// The code of a server's error; empty if it is another one.
fn code(error: &RedisError) -> &str {
    match error.kind() {
        ErrorKind::AuthenticationFailed => "WRONGPASS",
        _ => error.code().unwrap_or_default(),
    }
}

/// Whether the connection is of no use any more.
pub(super) fn is_broken(error: &RedisError) -> bool {
    match error.kind() {
        ErrorKind::Io | ErrorKind::Parse => true,
        _ => error.is_connection_dropped() || error.is_timeout(),
    }
}

/// Whether the server will be able to answer in a moment.
pub(super) fn is_passing(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Server(ServerErrorKind::BusyLoading | ServerErrorKind::TryAgain)
    )
}

pub(super) fn held(session: &SessionId, by: Holder) -> Error {
    Error::Held { session: session.clone(), by }
}

#[cfg(test)]
mod tests;
