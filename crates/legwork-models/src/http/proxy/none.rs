//! Without the feature `proxy`, there is none.

use std::convert::Infallible;
use std::fmt;

use http::{HeaderValue, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;

use super::connect::Hop;

/// There is none.
#[derive(Debug, Clone)]
pub(crate) enum Proxy {}

/// There is none.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct Error(Infallible);

impl Error {
    pub(crate) fn todo(&self) -> String {
        match self.0 {}
    }

    pub(crate) fn is_final(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn status(&self) -> Option<u16> {
        match self.0 {}
    }
}

impl Proxy {
    pub(crate) fn secrets(&self) -> &[String] {
        match *self {}
    }

    pub(crate) fn wants_credentials(&self) -> String {
        match *self {}
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        match *self {}
    }

    pub(crate) fn forwards(&self, _: &Uri) -> bool {
        match *self {}
    }

    pub(crate) fn authorization(&self) -> Option<&HeaderValue> {
        match *self {}
    }

    pub(super) async fn connect(
        &self,
        _: HttpConnector,
        _: Option<HttpsConnector<HttpConnector>>,
        _: &Uri,
    ) -> Result<Hop, Error> {
        match *self {}
    }
}

impl fmt::Display for Proxy {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}
