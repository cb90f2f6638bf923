//! What went wrong with an attempt, for the one who asked and for the retry.

use std::time::Duration;

use legwork_port::model::{Error, Kind};

use super::error::ApiError;
use super::reply::Unreadable;
use crate::http::Broken;
use crate::retry::{Failure, Lasting, Shown};

/// A failed attempt.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) error: Error,
    pub(super) failure: Failure,
    pub(super) shown: Shown,
    pub(super) cost: Cost,
}

/// Whether a failed attempt may have cost money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cost {
    Nothing,
    Perhaps,
}

/// What was tried, for the beginning of each message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tried<'a> {
    pub(super) model: &'a str,
    pub(super) place: &'a str,
}

impl Tried<'_> {
    fn error(&self, kind: Kind, happened: &str, todo: &str) -> Error {
        let Self { model, place } = self;
        Error::new(kind, format!("asking {model} at {place}: {happened}; {todo}"))
    }

    /// What happened, without what was tried and what to do.
    pub(super) fn in_short<'e>(&self, error: &'e Error) -> &'e str {
        let Self { model, place } = self;
        let message = &*error.message;
        let happened = message.strip_prefix(&format!("asking {model} at {place}: "));
        let happened = happened.unwrap_or(message);
        happened.rsplit_once("; ").map_or(happened, |(happened, _)| happened)
    }

    fn failed(&self, error: Error, failure: Failure, cost: Cost) -> Failed {
        Failed { error, failure, shown: Shown::Nothing, cost }
    }

    /// No answer came, or it broke off.
    pub(super) fn not_answered(&self, broken: &Broken) -> Failed {
        let happened = broken.in_words();
        match broken {
            Broken::NotMade(_) => {
                let happened = format!("the HTTP client could not be made: {happened}");
                let todo = "check the system's certificates";
                let error = self.error(Kind::Unreachable, &happened, todo);
                self.failed(error, Failure::Final, Cost::Nothing)
            }
            _ if broken.is_untrusted() => {
                let todo = "check the base URL, or let the system trust the server's certificate \
                            (SSL_CERT_FILE names a file of trusted ones)";
                let error = self.error(Kind::Unreachable, &happened, todo);
                self.failed(error, Failure::Final, Cost::Nothing)
            }
            _ if broken.is_connect() => {
                let kind = if broken.is_timeout() { Kind::Timeout } else { Kind::Unreachable };
                let todo = "check the base URL and that the server runs";
                let error = self.error(kind, &happened, todo);
                self.failed(error, Failure::Network, Cost::Nothing)
            }
            _ => {
                let error = self.error(Kind::Unreachable, &happened, "try again");
                self.failed(error, Failure::Network, Cost::Perhaps)
            }
        }
    }

    /// The answer did not begin, or go on, in time.
    pub(super) fn too_slow(&self, waited: Duration) -> Failed {
        let happened = format!("nothing came within {waited:?}");
        let error = self.error(Kind::Timeout, &happened, "try again, or allow it more time");
        self.failed(error, Failure::Network, Cost::Perhaps)
    }

    /// An answer of a size that no model makes.
    pub(super) fn too_large(&self, most: usize) -> Failed {
        let happened = format!("the answer is larger than {most} bytes");
        let error = self.error(Kind::Malformed, &happened, "check the base URL");
        self.failed(error, Failure::Final, Cost::Perhaps)
    }

    /// There was an answer, and it is no list of models.
    pub(super) fn no_list(&self) -> Failed {
        let todo = "check that the base URL is that of a Chat Completions API";
        let error = self.error(Kind::Malformed, "the answer is no list of models", todo);
        self.failed(error, Failure::Final, Cost::Nothing)
    }

    /// There was an answer, and it is no response.
    pub(super) fn unreadable(&self, why: Unreadable, retry_after: Option<Duration>) -> Failed {
        match why {
            Unreadable::Api(api) => self.refused(api, retry_after),
            Unreadable::Nothing => {
                let happened = Unreadable::Nothing.to_string();
                let error = self.error(Kind::Unreachable, &happened, "try again");
                self.failed(error, Failure::Network, Cost::Perhaps)
            }
            Unreadable::NoJson { .. } | Unreadable::OtherWire { .. } => {
                let todo = "check that the base URL is that of a Chat Completions API";
                let error = self.error(Kind::Malformed, &why.to_string(), todo);
                self.failed(error, Failure::Final, Cost::Perhaps)
            }
        }
    }

    fn refused(&self, api: ApiError, retry_after: Option<Duration>) -> Failed {
        let (kind, todo) = kind(&api);
        let mut error = self.error(kind, &format!("refused with {api}"), todo);
        error.status = Some(api.status);
        let failure = Failure::Answer { status: api.status, retry_after, lasting: api.lasting() };
        // A server that fails may have worked before; one that is full has not.
        let cost = match api.status {
            503 | 529 => Cost::Nothing,
            500.. => Cost::Perhaps,
            _ => Cost::Nothing,
        };
        error.code = api.code.or(api.kind);
        self.failed(error, failure, cost)
    }
}

fn kind(api: &ApiError) -> (Kind, &'static str) {
    match api.status {
        _ if api.is_overflow() => (Kind::ContextOverflow, "send less, or take a larger model"),
        401 | 403 => (Kind::Unauthorized, "check the API key and what it may do"),
        404 => (Kind::UnknownModel, "check the model's name and the base URL"),
        429 if api.lasting() == Lasting::Permanent => {
            (Kind::RateLimited, "the quota is spent: check plan and billing")
        }
        429 => (Kind::RateLimited, "try again later, or ask more slowly"),
        300..=399 => (Kind::BadRequest, "the server moved: set the base URL to its new place"),
        408 | 500.. => (Kind::Server, "try again later"),
        _ => (Kind::BadRequest, "correct the request"),
    }
}
