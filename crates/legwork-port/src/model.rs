//! Models, which answer requests.

use std::future::ready;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::{Mask, ModelRequest, Response};

use crate::BoxFuture;

mod ability;
mod count;
mod profile;

pub use ability::{Abilities, Ability, Support, UnknownAbility};
pub use count::Count;
pub use profile::Profile;

/// A language model.
pub trait Model: Send + Sync {
    /// The model as `provider:name`.
    fn name(&self) -> &str;

    /// Its capabilities and price.
    fn profile(&self) -> &Profile;

    /// The profile of the model of this name: its own, or that of a model that it asks.
    ///
    /// A model that passes requests to others names the one that answered as the
    /// [author](legwork_core::message::Author::Model) of the message, and the response is charged
    /// at the price of that profile. Its own profile then has the highest price of them, which is
    /// reserved. None if it knows no model of this name.
    fn profile_of(&self, name: &str) -> Option<&Profile> {
        (name == self.name()).then(|| self.profile())
    }

    /// The mask of its keys, which the runtime applies to everything written or displayed.
    fn mask(&self) -> Mask {
        Mask::default()
    }

    /// How many input tokens a request has, by the provider's own count where there is one.
    ///
    /// By default, and where the provider counts nothing, it is an
    /// [estimate](Count::Estimated), and nothing is sent. It costs nothing, is asked once, and is
    /// neither an inference nor journaled. Dropping the future closes the connection.
    ///
    /// # Errors
    /// If the provider counts but does not answer, or refuses the request.
    fn count_tokens<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<Count, Error>> {
        Box::pin(ready(Ok(Count::estimate(request))))
    }

    /// Sends a request and returns the complete response.
    ///
    /// With `deltas` that [want pieces](Deltas::streams) the answer is streamed to them;
    /// otherwise it is requested as a whole. If a delta is answered with `Break`, the stream is
    /// closed and the response marked incomplete.
    ///
    /// It may retry failed attempts, also after a stream broke off: [`Deltas::retrying`] is
    /// called before each wait, and can forbid it. If no further attempt is made after a stream
    /// broke off, it returns what arrived, marked incomplete. So there is at most one response
    /// per inference.
    ///
    /// Dropping the future closes the connection and ends a wait.
    ///
    /// # Errors
    /// If there is no response at all.
    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>>;
}

impl<M: Model + ?Sized> Model for Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn profile(&self) -> &Profile {
        (**self).profile()
    }

    fn profile_of(&self, name: &str) -> Option<&Profile> {
        (**self).profile_of(name)
    }

    fn mask(&self) -> Mask {
        (**self).mask()
    }

    fn count_tokens<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<Count, Error>> {
        (**self).count_tokens(request)
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        (**self).infer(request, deltas)
    }
}

/// Receives the pieces of an answer as they arrive.
pub trait Deltas: Send {
    /// Whether it wants pieces; otherwise the model is asked for the whole answer.
    fn streams(&self) -> bool {
        true
    }

    /// Receives a piece; `Break` closes the stream.
    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()>;

    /// Called after a failed attempt, before the wait for the next one; `Break` forbids it.
    ///
    /// Then the inference ends with the result of the failed attempt. Otherwise all pieces of
    /// the failed attempt are void: the next one begins the answer again.
    fn retrying(&mut self, _retry: Retry<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called before the model is sent a further request for the same answer, which costs as much
    /// again as the first one may: a paused answer goes on, or one that was cut is continued.
    /// `Break` forbids it.
    ///
    /// Then the inference ends with what came. Otherwise further pieces follow those that came.
    fn continuing(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(Delta<'_>) -> ControlFlow<()> + Send> Deltas for F {
    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        self(delta)
    }
}

/// A failed attempt that is about to be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry<'a> {
    /// Which attempt failed; the first is 1.
    pub attempt: u32,
    /// The wait before the next attempt.
    pub wait: Duration,
    /// The time for which failed attempts are still retried, this wait included.
    pub left: Duration,
    /// The error, in short.
    pub error: &'a str,
    /// Whether the failed attempt had delivered pieces, which are void now.
    pub discarded: bool,
    /// The number of attempts so far that may have cost money: those that failed, and those of
    /// earlier parts of the answer ([`Deltas::continuing`]).
    pub charged_attempts: u32,
}

/// A piece of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// More of the text.
    Text(&'a str),
    /// More of the model's thinking.
    Thinking(&'a str),
    /// A tool call began.
    ToolCall {
        /// The index of the call in the answer, from 0.
        index: usize,
        /// The name of the tool.
        name: &'a str,
    },
    /// More of a tool call's arguments.
    Arguments {
        /// The index of the call in the answer, from 0.
        index: usize,
        /// The piece: a part of a JSON text.
        json: &'a str,
    },
}

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What kind of error it is.
    pub kind: Kind,
    /// What was tried, what happened and what to do.
    pub message: String,
    /// The HTTP status, if there is one.
    pub status: Option<u16>,
    /// The provider's error code, if there is one.
    pub code: Option<String>,
    /// The wait before the next attempt that the provider asks for, if it does.
    pub retry_after: Option<Duration>,
    /// The id under which the provider finds the request, if it sent one.
    pub request_id: Option<Box<str>>,
    /// The number of failed attempts that may have cost money.
    pub charged_attempts: u32,
}

/// The kind of a model's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The server could not be reached, or the connection was lost.
    Unreachable,
    /// The server's certificate cannot be verified.
    Untrusted,
    /// A time limit was exceeded.
    Timeout,
    /// The key is missing, wrong or not allowed.
    Unauthorized,
    /// The server has no model of this name.
    UnknownModel,
    /// The server refused the request.
    BadRequest,
    /// The request exceeds the model's context window.
    ContextOverflow,
    /// A rate limit was exceeded.
    RateLimited,
    /// The quota is used up; waiting does not help.
    QuotaExceeded,
    /// The provider failed.
    Server,
    /// The answer does not follow the provider's protocol.
    Malformed,
}

impl Kind {
    /// Whether a retry may succeed: after errors of the network or the server, and a rate limit.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Unreachable | Self::Timeout | Self::RateLimited | Self::Server)
    }
}

impl Error {
    /// An error with a kind and a message.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            status: None,
            code: None,
            retry_after: None,
            request_id: None,
            charged_attempts: 0,
        }
    }

    /// Whether a retry of the same request may succeed.
    pub fn is_retryable(&self) -> bool {
        self.kind.is_retryable()
    }

    /// The error as it is journaled.
    pub fn to_record(&self) -> ErrorRecord {
        let kind = match self.kind {
            Kind::RateLimited | Kind::QuotaExceeded => ErrorKind::RateLimit,
            Kind::Timeout => ErrorKind::Timeout,
            Kind::ContextOverflow => ErrorKind::ContextOverflow,
            _ => ErrorKind::Model,
        };
        ErrorRecord {
            status: self.status,
            code: self.code.clone(),
            retryable: self.is_retryable(),
            ..ErrorRecord::new(ErrorSource::Model, kind, self.message.clone())
        }
    }
}
