//! Streams to a server, and what keeps them alive.

use legwork_port::BoxFuture;
use rmcp::transport::StreamableHttpClientTransport;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::attended::Attended;
use crate::http::Client;

/// Makes connections to one server.
///
/// It is asked again when a connection has ended.
pub trait Connect: Send + Sync {
    /// What it connects to, for messages.
    fn target(&self) -> String;

    /// Connects.
    ///
    /// When it returns, messages can be written and read. Dropping the future must release
    /// everything that it had acquired.
    ///
    /// # Errors
    /// Why there is no connection.
    fn connect(&self) -> BoxFuture<'_, Result<Connected, Error>>;
}

/// A connection to a server.
pub struct Connected {
    pub(crate) wire: Wire,
    pub(crate) peer: Box<dyn Peer>,
}

/// What the messages of a connection travel over.
pub(crate) enum Wire {
    /// Messages are lines of JSON.
    Streams(Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>),
    /// The same, and the server knows the older greeting alone.
    OlderStreams(Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>),
    /// Each message is a request.
    Http(StreamableHttpClientTransport<Client>),
}

impl Connected {
    /// A connection whose messages are lines of JSON: what the server writes, and what it reads.
    pub fn streams(
        from: impl AsyncRead + Send + Unpin + 'static,
        to: impl AsyncWrite + Send + Unpin + 'static,
        peer: impl Peer + 'static,
    ) -> Self {
        Self { wire: Wire::Streams(Box::new(from), Box::new(to)), peer: Box::new(peer) }
    }

    /// The same with a server that knows the older greeting alone.
    pub(crate) fn older_streams(
        from: impl AsyncRead + Send + Unpin + 'static,
        to: impl AsyncWrite + Send + Unpin + 'static,
        peer: impl Peer + 'static,
    ) -> Self {
        Self { wire: Wire::OlderStreams(Box::new(from), Box::new(to)), peer: Box::new(peer) }
    }

    /// The same with a process on this machine, whose standard error is read: its last bytes are
    /// part of the error when the process fails.
    ///
    /// # Panics
    /// Outside of a runtime of tokio.
    pub fn process(
        from: impl AsyncRead + Send + Unpin + 'static,
        to: impl AsyncWrite + Send + Unpin + 'static,
        errors: impl AsyncRead + Send + Unpin + 'static,
        process: impl Process + 'static,
    ) -> Self {
        Self::streams(from, to, Attended::new(errors, process))
    }
}

/// The other side of a connection. Dropping it must end what was started for it.
pub trait Peer: Send + Sync {
    /// Waits until the other side has ended after its streams were closed, and ends it if it
    /// does not; returns what it wrote last for people, such as the end of its standard error.
    ///
    /// When it returns, nothing of the other side is left on this machine.
    fn end(self: Box<Self>) -> BoxFuture<'static, String>;
}

/// A process on the other side. Dropping it must kill it.
pub trait Process: Send + Sync {
    /// Waits until the process has ended after its input was closed, and kills it if it does not;
    /// returns how it ended if that is a reason for what went wrong, such as a limit of memory.
    ///
    /// When it returns, the process is gone with all that came of it.
    fn end(self: Box<Self>) -> BoxFuture<'static, Option<String>>;
}

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server cannot be started or reached.
    #[error("{0}")]
    Unreachable(String),
    /// It has to be set up otherwise first.
    #[error("{0}")]
    Denied(String),
}
