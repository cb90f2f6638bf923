//! What the wires of embeddings have in common: how a request is written.

use http::{HeaderName, HeaderValue};
use legwork_port::embedder::Purpose;
use serde_json::{Map, Value};

use super::Quirks;
use super::draft::Draft;
use crate::answer::json::{Read, Reader};
use crate::wire::field;

/// How an API of embeddings writes requests and answers; it does no IO.
pub(crate) trait Wire: Send + Sync {
    /// Its name in commands.
    fn name(&self) -> &'static str;

    /// Its name in sentences, such as `OpenAI embeddings`.
    fn title(&self) -> &'static str;

    /// The provider that made it, as in `provider:model`.
    fn provider(&self) -> &'static str;

    /// Whether requests go to this path.
    fn is_path(&self, path: &str) -> bool;

    /// The base URL of this API at a server whose base URL for models is known.
    fn base<'u>(&self, url: &'u str) -> &'u str {
        url
    }

    /// Where requests go, behind the base URL.
    fn endpoint(&self, model: &str) -> String;

    /// The header that holds a key.
    ///
    /// # Errors
    /// When the key has characters that HTTP forbids.
    fn key(&self, key: &str) -> Result<(HeaderName, HeaderValue), http::Error> {
        Ok((http::header::AUTHORIZATION, HeaderValue::try_from(format!("Bearer {key}"))?))
    }

    /// Fields of a body that cannot be set from outside.
    fn own_fields(&self) -> &'static [&'static str];

    /// What a server of it takes at once, as its maker says.
    fn quirks(&self) -> Quirks;

    /// The body of a request.
    ///
    /// # Errors
    /// What the request asks for and the API cannot do.
    fn body(&self, asked: &Asked<'_>) -> Result<Vec<u8>, String>;

    /// Reads a whole body.
    ///
    /// # Errors
    /// When it is not JSON.
    fn read(&self, json: &mut Reader<'_>, into: &mut Draft) -> Read;
}

/// What one request asks for.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The model's name at its provider.
    pub(crate) model: &'a str,
    pub(crate) texts: &'a [String],
    pub(crate) purpose: Option<Purpose>,
    pub(crate) dimensions: Option<u32>,
    pub(crate) quirks: &'a Quirks,
    /// Fields that the builder was given.
    pub(crate) extra: &'a Map<String, Value>,
    /// Fields that the request was given; they win over those of the builder.
    pub(crate) inner: &'a Map<String, Value>,
}

impl Asked<'_> {
    /// Appends fields behind others; what is set from outside wins over what is set here.
    pub(super) fn fields<'k>(
        &self,
        own: impl IntoIterator<Item = (&'k str, Value)>,
        out: &mut Vec<u8>,
    ) {
        let is_set = |key: &str| self.extra.contains_key(key) || self.inner.contains_key(key);
        for (key, value) in own.into_iter().filter(|(key, _)| !is_set(key)) {
            field(out, key, &value);
        }
        for (key, value) in self.extra.iter().filter(|(key, _)| !self.inner.contains_key(*key)) {
            field(out, key, value);
        }
        for (key, value) in self.inner {
            field(out, key, value);
        }
    }

    /// The field for the number of dimensions, if it is asked for.
    ///
    /// # Errors
    /// When the server has no such field.
    pub(super) fn dimensions(&self) -> Result<Option<(&'static str, Value)>, String> {
        let Some(asked) = self.dimensions else { return Ok(None) };
        if asked == 0 {
            return Err("a vector has at least one number: leave `dimensions` out".to_owned());
        }
        match self.quirks.dimensions.name() {
            Some(name) => Ok(Some((name, asked.into()))),
            None => Err(format!(
                "the server has no field for the number of dimensions ({asked}): leave \
                 `dimensions` out, or take a provider that can shorten vectors"
            )),
        }
    }

    /// About how long a body becomes.
    pub(super) fn size(&self) -> usize {
        self.texts.iter().map(|text| text.len() + text.len() / 8 + 128).sum::<usize>() + 256
    }
}
