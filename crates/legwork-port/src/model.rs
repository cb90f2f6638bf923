//! Models: what answers a request.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::budget::Price;
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::{Mask, ModelRequest, Response};

use crate::BoxFuture;

/// A model of a provider.
pub trait Model: Send + Sync {
    /// The model as `provider:name`.
    fn name(&self) -> &str;

    /// What it can do and costs.
    fn profile(&self) -> &Profile;

    /// Its keys, which the runtime masks in all that is written or shown.
    fn mask(&self) -> Mask {
        Mask::default()
    }

    /// Asks the model and returns its assembled response.
    ///
    /// With `deltas` that [stream](Deltas::streams) the answer is streamed to them as it
    /// comes; otherwise it is asked for in one piece. When a delta is answered with `Break`,
    /// the stream is cut there and the response marked so.
    ///
    /// Failed attempts may be repeated inside, a stream that broke off in the middle of the
    /// answer too: [`Deltas::retrying`] is called before each wait, and may forbid it. A
    /// response whose stream broke off is `Ok` and marked incomplete, but only when no
    /// further attempt is made, so there is at most one response an inference.
    ///
    /// Dropping the future drops the connection, and ends a wait.
    ///
    /// # Errors
    /// When there is no response at all.
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

    fn mask(&self) -> Mask {
        (**self).mask()
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        (**self).infer(request, deltas)
    }
}

/// What takes the pieces of an answer as they come.
pub trait Deltas: Send {
    /// Whether pieces are wanted; without, a model is asked for its answer in one piece.
    fn streams(&self) -> bool {
        true
    }

    /// Takes a piece; `Break` cuts the stream.
    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()>;

    /// Called when an attempt failed, before the wait for the next one; `Break` ends the
    /// inference with what the failed attempt came to.
    ///
    /// All pieces of the failed attempt are void: the next one begins the answer anew.
    fn retrying(&mut self, _retry: Retry<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(Delta<'_>) -> ControlFlow<()> + Send> Deltas for F {
    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        self(delta)
    }
}

/// An attempt that failed and is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry<'a> {
    /// Which attempt failed; the first is 1.
    pub attempt: u32,
    /// How long the wait before the next attempt is.
    pub wait: Duration,
    /// How much longer failed attempts are repeated, this wait included.
    pub left: Duration,
    /// What happened, in short.
    pub error: &'a str,
    /// Whether pieces of the failed attempt were shown; they are void.
    pub discarded: bool,
    /// Attempts so far that may have cost money although nothing came of them.
    pub charged_attempts: u32,
}

/// A piece of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// More of the text.
    Text(&'a str),
    /// More of the thinking.
    Thinking(&'a str),
    /// A tool call began.
    ToolCall {
        /// Its index among the calls.
        index: usize,
        /// The tool.
        name: &'a str,
    },
    /// More of a tool call's arguments.
    Arguments {
        /// Its index among the calls.
        index: usize,
        /// The piece.
        json: &'a str,
    },
}

/// What a model can do and costs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Profile {
    /// Tokens that input and output may have together; none = unknown.
    pub context_window: Option<u64>,
    /// Tokens that an answer may have; none = unknown.
    pub max_output: Option<u64>,
    /// What its tokens cost; none = unknown, so money cannot be limited.
    pub price: Option<Price>,
    /// Whether it calls tools.
    pub tools: bool,
    /// Whether it sees images.
    pub images: bool,
}

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What kind of thing went wrong.
    pub kind: Kind,
    /// What was tried, what happened, what to do.
    pub message: String,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// The provider's error code, where there was one.
    pub code: Option<String>,
    /// How long the provider asks to wait before the next attempt, where it does.
    pub retry_after: Option<Duration>,
    /// Attempts that may have cost money although nothing came of them.
    pub charged_attempts: u32,
}

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The server could not be reached, or the connection was lost.
    Unreachable,
    /// The server's certificate cannot be verified.
    Untrusted,
    /// It took too long.
    Timeout,
    /// The key is missing, wrong or not allowed.
    Unauthorized,
    /// The model does not exist there.
    UnknownModel,
    /// The request was refused.
    BadRequest,
    /// The request is larger than the model's window.
    ContextOverflow,
    /// Too many requests, for now.
    RateLimited,
    /// The quota is spent: only a person can change that.
    QuotaExceeded,
    /// The provider failed.
    Server,
    /// The answer was not what the wire says.
    Malformed,
}

impl Kind {
    /// Whether what went wrong may pass by itself: the network, a limit on the rate, a
    /// server that fails.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Unreachable | Self::Timeout | Self::RateLimited | Self::Server)
    }
}

impl Error {
    /// An error of a kind, in words.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            status: None,
            code: None,
            retry_after: None,
            charged_attempts: 0,
        }
    }

    /// Whether the same request may succeed later, without anybody doing anything.
    pub fn is_retryable(&self) -> bool {
        self.kind.is_retryable()
    }

    /// The error as it is journaled.
    pub fn to_record(&self) -> ErrorRecord {
        let kind = match self.kind {
            Kind::RateLimited | Kind::QuotaExceeded => ErrorKind::RateLimit,
            Kind::Timeout => ErrorKind::Timeout,
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
