//! One HTTP answer with vectors, read as its bytes come in; no IO of its own.
//!
//! Live traffic and recordings take the same way through here.

use std::time::Duration;

use legwork_port::embedder::Embeddings;

use super::draft::Draft;
use super::{Api, Fault};
use crate::answer::error::{self, excerpt};
use crate::answer::json::{Reader, problem};
use crate::answer::{ApiError, Ended, decode};
use crate::bounds::{Bounds, Passed};

/// Why an answer gives no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// The provider answered with an error.
    #[error("the provider refused: {0}")]
    Api(ApiError),
    /// The answer ended before it was whole.
    #[error("the answer broke off")]
    Cut,
    /// The body is not JSON.
    #[error("the answer is not JSON ({problem}): {excerpt}")]
    NoJson {
        /// What the JSON parser says.
        problem: String,
        /// The beginning of what came.
        excerpt: String,
    },
    /// It is JSON, but no answer of this API.
    #[error("not an answer of {}: {excerpt}", api.title())]
    OtherApi {
        /// The API whose answer was expected.
        api: Api,
        /// The beginning of what came.
        excerpt: String,
    },
    /// It exceeds one of the [bounds](Bounds).
    #[error("the answer exceeds a bound: {0}")]
    OverBound(String),
    /// Its vectors are not those of the texts.
    #[error("{0}")]
    Vectors(#[from] Fault),
}

/// An answer with vectors that is being read.
#[derive(Debug)]
pub struct Reply {
    api: Api,
    status: u16,
    bounds: Bounds,
    bytes: Vec<u8>,
    received: usize,
    passed: Option<Passed>,
    texts: Option<usize>,
    dimensions: Option<u32>,
    moved: bool,
}

impl Reply {
    /// Begins to read an answer by its status.
    pub fn new(api: Api, status: u16) -> Self {
        Self::within(BOUNDS, api, status)
    }

    /// A reply of which no more is read than these bounds allow.
    pub fn within(bounds: Bounds, api: Api, status: u16) -> Self {
        Self {
            api,
            status,
            bounds,
            bytes: Vec::new(),
            received: 0,
            passed: None,
            texts: None,
            dimensions: None,
            moved: false,
        }
    }

    /// The same, which must have a vector for each of so many texts.
    #[must_use]
    pub fn for_texts(self, texts: usize) -> Self {
        Self { texts: Some(texts), ..self }
    }

    /// The same, whose vectors must have as many numbers as were asked for.
    #[must_use]
    pub fn with_dimensions(self, dimensions: Option<u32>) -> Self {
        Self { dimensions, ..self }
    }

    /// Reads more bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.is_over() {
            return;
        }
        self.received = self.received.saturating_add(bytes.len());
        if self.received > self.bounds.received_bytes {
            return self.pass(Passed::ReceivedBytes(self.bounds.received_bytes));
        }
        // Some servers send white space as a keep-alive.
        let new = if self.bytes.is_empty() { bytes.trim_ascii_start() } else { bytes };
        let room = self.most().saturating_sub(self.bytes.len());
        if new.len() > room && self.is_success() {
            return self.pass(Passed::AnswerBytes(self.most()));
        }
        self.moved |= !new.is_empty();
        self.bytes.extend_from_slice(new.get(..room).unwrap_or(new));
    }

    /// Whether what follows is of no use, so that the connection may be dropped.
    pub fn is_over(&self) -> bool {
        self.passed.is_some() || (!self.is_success() && self.bytes.len() >= self.most())
    }

    /// Whether content arrived since the last call; white space before it is not content.
    pub(crate) fn take_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// Ends it because it took too long.
    pub(crate) fn took_too_long(&mut self, most: Duration) {
        self.pass(Passed::Time(most));
    }

    /// The vectors, once the bytes have ended.
    ///
    /// # Errors
    /// When the provider answered with an error, or with something that is not a vector for each
    /// text.
    pub fn finish(self, ended: Ended) -> Result<Embeddings, Unreadable> {
        if let Some(passed) = self.passed {
            return Err(Unreadable::OverBound(passed.to_string()));
        }
        if !self.is_success() {
            return Err(Unreadable::Api(ApiError::from_body(self.status, &self.bytes)));
        }
        if ended == Ended::Cut || self.bytes.is_empty() {
            return Err(Unreadable::Cut);
        }
        let draft = self.read()?;
        if !draft.recognised {
            return Err(self.without_vectors());
        }
        let answer = draft.finish(self.texts, self.dimensions)?;
        match answer.usage {
            Some(usage) if usage.total() > self.bounds.tokens => {
                Err(Unreadable::OverBound(Passed::Tokens(self.bounds.tokens).to_string()))
            }
            _ => Ok(answer),
        }
    }

    fn read(&self) -> Result<Draft, Unreadable> {
        let no_json = || Unreadable::NoJson {
            problem: problem(&self.bytes).to_string(),
            excerpt: excerpt(&self.bytes),
        };
        let text = std::str::from_utf8(&self.bytes).map_err(|_| no_json())?;
        let (mut reader, mut draft) = (Reader::new(text, &self.bounds), Draft::default());
        let whole = self.api.wire().read(&mut reader, &mut draft).and_then(|()| reader.end());
        match (reader.passed(), whole) {
            (Some(passed), _) => Err(Unreadable::OverBound(passed.to_string())),
            (None, Ok(())) => Ok(draft),
            (None, Err(_)) => Err(no_json()),
        }
    }

    /// What an answer is that holds no vectors: an error with the status of a success, or
    /// something else.
    fn without_vectors(&self) -> Unreadable {
        let body = decode::value(&self.bytes, &self.bounds).unwrap_or_default();
        let inner = body.get("error").filter(|error| error.is_object()).unwrap_or(&body);
        let is_error = body.get("error").is_some_and(|error| !error.is_null())
            || body.get("message").is_some_and(|message| message.is_string());
        match is_error {
            true => Unreadable::Api(ApiError::from_event(inner)),
            false => Unreadable::OtherApi { api: self.api, excerpt: excerpt(&self.bytes) },
        }
    }

    fn is_success(&self) -> bool {
        (200..=299).contains(&self.status)
    }

    /// Bytes that are kept.
    fn most(&self) -> usize {
        if self.is_success() { self.bounds.answer_bytes } else { error::BODY }
    }

    fn pass(&mut self, passed: Passed) {
        self.passed.get_or_insert(passed);
        self.bytes = Vec::new();
    }
}

/// The bounds of an answer with vectors, which are long: 64 MiB are kept.
pub(crate) const BOUNDS: Bounds = Bounds { answer_bytes: 64 << 20, ..Bounds::USUAL };
