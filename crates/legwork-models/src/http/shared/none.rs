//! Without the feature `http2`, no connection is shared.

use std::convert::Infallible;

use http::{Response, Uri};

use super::Lost;
use super::body::Body;
use super::connect::Stream;
use super::connection::Outgoing;

/// What is offered to a server; some front ends choose by it, or want one.
pub(super) const OFFERED: &[&[u8]] = &[b"http/1.1"];

/// Whether connections may be shared.
pub(super) const IS_POSSIBLE: bool = false;

/// There is none.
#[derive(Debug, Clone)]
pub(super) struct Shared(Infallible);

/// There is none.
#[derive(Debug)]
pub(super) enum User {}

impl Shared {
    pub(super) fn is_wanted(_: &Stream) -> bool {
        false
    }

    pub(super) async fn over(stream: Stream) -> hyper::Result<Self> {
        // Never called: `is_wanted` is false.
        drop(stream);
        std::future::pending().await
    }

    pub(super) fn is_open(&self) -> bool {
        match self.0 {}
    }

    pub(super) fn is_used(&self) -> bool {
        match self.0 {}
    }

    pub(super) async fn send(self, _: &Uri, _: Box<Outgoing>) -> Result<Response<Body>, Lost> {
        match self.0 {}
    }
}
