//! Without the feature `compression`, no compressed body is read.

use bytes::Bytes;
use http::HeaderValue;
use http::header::HeaderMap;

use super::broken::Broken;

#[path = "named.rs"]
mod named;

/// The content codings that are read.
pub(super) const NAMES: &[&str] = &[];

/// What is sent as `Accept-Encoding`.
pub(crate) fn accepted() -> Option<HeaderValue> {
    None
}

/// A body that cannot be decoded.
#[derive(Debug)]
pub(super) struct Decoder(String);

impl Decoder {
    /// None if the body is not compressed.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        named::coding(headers).map(Self)
    }

    pub(super) fn push(&mut self, _: Bytes) {}

    pub(super) fn next(&mut self) -> Result<Option<Bytes>, Broken> {
        Err(Broken::Encoding(self.0.clone()))
    }

    pub(super) fn finish(&mut self) -> Result<(), Broken> {
        Ok(())
    }
}
