//! What a server is asked over: an API of models, or one of embeddings.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::Api;
#[cfg(feature = "embeddings")]
use crate::embeddings;

/// An API of models, or one of embeddings.
#[derive(Debug, Clone, Copy)]
pub(super) enum Protocol {
    Inference(Api),
    #[cfg(feature = "embeddings")]
    Embeddings(embeddings::Api),
}

impl Protocol {
    /// Its name in sentences.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Inference(api) => api.title(),
            #[cfg(feature = "embeddings")]
            Self::Embeddings(api) => api.title(),
        }
    }

    /// The header that holds a key.
    pub(super) fn key(self, key: &str) -> Result<(HeaderName, HeaderValue), http::Error> {
        match self {
            Self::Inference(api) => api.wire().key(key),
            #[cfg(feature = "embeddings")]
            Self::Embeddings(api) => api.wire().key(key),
        }
    }

    /// Headers that each request has, apart from the key.
    pub(super) fn headers(self, headers: &mut HeaderMap) {
        match self {
            Self::Inference(api) => api.wire().headers(headers),
            #[cfg(feature = "embeddings")]
            Self::Embeddings(_) => {}
        }
    }

    /// Fields of a body that cannot be set from outside.
    pub(super) fn own_fields(self) -> &'static [&'static str] {
        match self {
            Self::Inference(api) => api.wire().own_fields(),
            #[cfg(feature = "embeddings")]
            Self::Embeddings(api) => api.wire().own_fields(),
        }
    }
}
