//! Keys by which a server tells a repeated request from a new one.

use std::sync::Arc;

use http::{HeaderName, HeaderValue};

use super::builder::Error;

/// Where keys come from.
pub(super) type Keys = Arc<dyn Fn() -> String + Send + Sync>;

/// How requests are given keys: one for each, which all its attempts carry.
pub(super) struct Idempotency {
    header: HeaderName,
    keys: Keys,
}

/// The key of one request, as its header.
pub(super) type Key = (HeaderName, HeaderValue);

impl Idempotency {
    pub(super) fn new(header: &str, keys: Option<&Keys>) -> Result<Self, Error> {
        let name = HeaderName::try_from(header);
        let header = name.map_err(|_| Error::Header { name: header.to_owned() })?;
        Ok(Self { header, keys: keys.map_or_else(|| Arc::new(random) as Keys, Arc::clone) })
    }

    /// The key of a new request; none if the source gives one that HTTP forbids.
    pub(super) fn key(&self) -> Option<Key> {
        let value = HeaderValue::try_from((self.keys)()).ok()?;
        Some((self.header.clone(), value))
    }
}

/// 128 random bits.
fn random() -> String {
    format!("legwork-{:032x}", fastrand::u128(..))
}
