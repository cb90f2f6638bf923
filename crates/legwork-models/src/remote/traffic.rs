//! What is sent to a server and what comes back, as it is: for debugging.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::{HeaderMap, Request};
use legwork_port::unwind;
use tracing::warn;

use super::secrets;

/// A piece of what is sent to a server, or of what it answers.
///
/// It is for debugging: nothing of it is journaled or logged. Values of headers that hold
/// secrets are replaced; bodies are as they are, with whatever the conversation holds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Traffic<'a> {
    /// The name of the model, as in `provider:model`.
    pub model: &'a str,
    /// The number of the attempt, from 1: each request and its answer have one. A request that is
    /// sent once more with a renewed credential keeps that of the first.
    pub attempt: u64,
    /// What it is.
    pub piece: Piece<'a>,
}

/// A piece of a request or of its answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Piece<'a> {
    /// A request, before it is sent.
    Request {
        /// The method.
        method: &'a str,
        /// The address.
        url: String,
        /// The headers, in the order in which they are sent.
        headers: Vec<(&'a str, String)>,
        /// The body.
        body: &'a [u8],
    },
    /// The beginning of an answer.
    Response {
        /// The status.
        status: u16,
        /// The headers.
        headers: Vec<(&'a str, String)>,
    },
    /// Bytes of the answer's body as they arrive, decompressed.
    Bytes(&'a [u8]),
    /// The end of the attempt, with the reason if there is no answer or it broke off. An attempt
    /// that is dropped because its run was cancelled has none.
    End(Option<&'a str>),
}

/// The observer of the traffic.
pub(super) type Observer = Arc<dyn Fn(&Traffic<'_>) + Send + Sync>;

/// The traffic of a model, observed.
pub(super) struct Tap {
    observer: Observer,
    model: String,
    attempts: AtomicU64,
}

impl Tap {
    pub(super) fn new(observer: Observer, model: String) -> Self {
        Self { observer, model, attempts: AtomicU64::new(0) }
    }

    /// The traffic of another attempt.
    pub(super) fn attempt(&self) -> Tapped<'_> {
        Tapped { tap: self, attempt: self.attempts.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("model", &self.model).finish_non_exhaustive()
    }
}

/// The traffic of one attempt, observed.
#[derive(Clone, Copy)]
pub(super) struct Tapped<'a> {
    tap: &'a Tap,
    attempt: u64,
}

impl Tapped<'_> {
    /// A request to a server; its own address is only a path.
    pub(super) fn request<B>(&self, server: &str, request: &Request<B>, body: &[u8]) {
        self.emit(Piece::Request {
            method: request.method().as_str(),
            url: match request.uri().authority() {
                Some(_) => request.uri().to_string(),
                None => format!("{server}{}", request.uri()),
            },
            headers: shown(request.headers()),
            body,
        });
    }

    pub(super) fn response(&self, status: u16, headers: &HeaderMap) {
        self.emit(Piece::Response { status, headers: shown(headers) });
    }

    pub(super) fn bytes(&self, bytes: &[u8]) {
        self.emit(Piece::Bytes(bytes));
    }

    pub(super) fn end(&self, why: Option<&str>) {
        self.emit(Piece::End(why));
    }

    /// An observer that panics costs the request nothing.
    fn emit(&self, piece: Piece<'_>) {
        let traffic = Traffic { model: &self.tap.model, attempt: self.attempt, piece };
        if let Err(panic) = unwind::call(|| (self.tap.observer)(&traffic)) {
            warn!(panic, "an observer of traffic panicked");
        }
    }
}

/// Headers as they may be shown.
fn shown(headers: &HeaderMap) -> Vec<(&str, String)> {
    let value = |(name, value): (&_, &http::HeaderValue)| match secrets::is_secret(name) {
        true => secrets::MASK.to_owned(),
        false => String::from_utf8_lossy(value.as_bytes()).into_owned(),
    };
    headers.iter().map(|header| (header.0.as_str(), value(header))).collect()
}
