//! One line of a recording.

use std::time::Duration;

use legwork_core::Response;
use legwork_core::digest::Digest;
use legwork_port::model::{Error, Kind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of a recording: a request, and what came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::layers) struct Row {
    /// The model that was asked, as `provider:model`.
    pub(in crate::layers) name: String,
    /// The number of the line; the first is 0.
    pub(in crate::layers) index: u64,
    /// The digest of the request before it was masked.
    pub(in crate::layers) digest: Digest,
    pub(in crate::layers) request: Value,
    pub(in crate::layers) streaming: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response: Option<Response>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

/// An error as data.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Failure {
    kind: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request_id: Option<Box<str>>,
    #[serde(default)]
    charged_attempts: u32,
}

/// The names of the kinds; one that is added later is recorded as `server`.
const KINDS: [(Kind, &str); 11] = [
    (Kind::Unreachable, "unreachable"),
    (Kind::Untrusted, "untrusted"),
    (Kind::Timeout, "timeout"),
    (Kind::Unauthorized, "unauthorized"),
    (Kind::UnknownModel, "unknown_model"),
    (Kind::BadRequest, "bad_request"),
    (Kind::ContextOverflow, "context_overflow"),
    (Kind::RateLimited, "rate_limited"),
    (Kind::QuotaExceeded, "quota_exceeded"),
    (Kind::Server, "server"),
    (Kind::Malformed, "malformed"),
];

impl Row {
    pub(super) fn of(
        name: &str,
        request: Value,
        streaming: bool,
        outcome: &Result<Response, Error>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            index: 0,
            digest: Digest::of(&request),
            request,
            streaming,
            response: outcome.as_ref().ok().cloned(),
            error: outcome.as_ref().err().map(Failure::of),
        }
    }

    /// What came of the request; none if the line does not say.
    pub(in crate::layers) fn outcome(&self) -> Option<Result<Response, Error>> {
        match (&self.response, &self.error) {
            (Some(response), _) => Some(Ok(response.clone())),
            (None, Some(failure)) => Some(Err(failure.to_error())),
            (None, None) => None,
        }
    }
}

impl Failure {
    fn of(error: &Error) -> Self {
        let name = KINDS.iter().find(|(kind, _)| *kind == error.kind);
        Self {
            kind: name.map_or("server", |(_, name)| name).to_owned(),
            message: error.message.clone(),
            status: error.status,
            code: error.code.clone(),
            retry_after_ms: error.retry_after.map(|wait| wait.as_millis() as u64),
            request_id: error.request_id.clone(),
            charged_attempts: error.charged_attempts,
        }
    }

    fn to_error(&self) -> Error {
        let kind = KINDS.iter().find(|(_, name)| *name == self.kind);
        Error {
            status: self.status,
            code: self.code.clone(),
            retry_after: self.retry_after_ms.map(Duration::from_millis),
            request_id: self.request_id.clone(),
            charged_attempts: self.charged_attempts,
            ..Error::new(kind.map_or(Kind::Server, |(kind, _)| *kind), self.message.clone())
        }
    }
}
