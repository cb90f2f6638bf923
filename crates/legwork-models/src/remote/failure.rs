//! The error of an attempt, for the caller and for the retry policy.

use std::time::Duration;

use http::StatusCode;
use legwork_port::model::{Error, Kind};

use super::access::Problem;
use super::answered::Answered;
use super::protocol::Protocol;
use crate::answer::{ApiError, Unreadable};
use crate::bounds::Passed;
use crate::credentials;
#[cfg(feature = "embeddings")]
use crate::embeddings;
use crate::http::{Broken, Proxy, proxy};

/// The same error of an attempt that may have cost money.
pub(super) fn charged(error: Error) -> Error {
    Error { charged_attempts: 1, ..error }
}

/// What was tried, for the beginning of each message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tried<'a> {
    pub(super) protocol: Protocol,
    pub(super) model: &'a str,
    pub(super) address: &'a str,
    pub(super) proxy: Option<&'a Proxy>,
}

impl Tried<'_> {
    fn error(&self, kind: Kind, happened: &str, todo: &str) -> Error {
        let Self { model, address, .. } = self;
        Error::new(kind, format!("asking {model} at {address}: {happened}; {todo}"))
    }

    /// What happened, without what was tried and what to do.
    pub(super) fn in_short<'e>(&self, error: &'e Error) -> &'e str {
        let Self { model, address, .. } = self;
        let message = &*error.message;
        let happened = message.strip_prefix(&format!("asking {model} at {address}: "));
        let happened = happened.unwrap_or(message);
        happened.rsplit_once("; ").map_or(happened, |(happened, _)| happened)
    }

    /// No answer came, or it broke off.
    pub(super) fn not_answered(&self, broken: &Broken) -> Error {
        let happened = broken.in_words();
        if let Some(error) = broken.proxy() {
            return self.not_through(broken, error, &happened);
        }
        match broken {
            Broken::NotMade(_) => {
                let happened = format!("the HTTP client could not be made: {happened}");
                self.error(Kind::Untrusted, &happened, "check the system's certificates")
            }
            _ if broken.is_untrusted() => {
                let todo = "check the base URL, or let the system trust the server's certificate \
                            (SSL_CERT_FILE names a file of trusted ones)";
                self.error(Kind::Untrusted, &happened, todo)
            }
            _ if broken.is_connect() => {
                let kind = if broken.is_timeout() { Kind::Timeout } else { Kind::Unreachable };
                let todo = "check the base URL and that the server runs";
                match self.proxy {
                    None => self.error(kind, &happened, todo),
                    Some(proxy) => {
                        let todo = format!("{todo}; it is asked through the proxy {proxy}");
                        self.error(kind, &happened, &todo)
                    }
                }
            }
            _ if broken.is_not_taken() => self.error(Kind::Unreachable, &happened, "try again"),
            _ if broken.is_malformed() => {
                charged(self.error(Kind::Malformed, &happened, "check the base URL"))
            }
            _ => charged(self.error(Kind::Unreachable, &happened, "try again")),
        }
    }

    /// The proxy let nothing through.
    fn not_through(&self, broken: &Broken, error: &proxy::Error, happened: &str) -> Error {
        let kind = match error.status() {
            _ if broken.is_untrusted() => Kind::Untrusted,
            _ if broken.is_timeout() => Kind::Timeout,
            Some(401 | 403 | 407) => Kind::Unauthorized,
            _ if error.is_final() => Kind::BadRequest,
            _ => Kind::Unreachable,
        };
        self.error(kind, happened, &error.todo())
    }

    /// The answer did not begin, or go on, in time.
    pub(super) fn too_slow(&self, waited: Duration) -> Error {
        let happened = format!("nothing came within {waited:?}");
        charged(self.error(Kind::Timeout, &happened, "try again, or allow it more time"))
    }

    /// The answer goes on without content.
    pub(super) fn silent(&self, waited: Duration) -> Error {
        let happened = format!("nothing but comments and white space came within {waited:?}");
        charged(self.error(Kind::Timeout, &happened, "try again, or allow it more silence"))
    }

    /// There is no credential for the request, which was not sent.
    pub(super) fn not_allowed(&self, problem: &Problem) -> Error {
        match problem {
            Problem::Source(credentials::Error::Unavailable(why)) => {
                let happened = format!("the credential could not be had: {why}");
                self.error(Kind::Unreachable, &happened, "try again")
            }
            Problem::Source(credentials::Error::Refused(why)) => {
                let happened = format!("there is no credential: {why}");
                self.error(Kind::Unauthorized, &happened, "check where credentials come from")
            }
            Problem::Unusable(why) => {
                let happened = format!("the credential cannot be used: {why}");
                self.error(Kind::Unauthorized, &happened, "check the credential")
            }
        }
    }

    /// The credential did not come in time.
    pub(super) fn no_credential_in(&self, waited: Duration) -> Error {
        let happened = format!("no credential came within {waited:?}");
        self.error(Kind::Timeout, &happened, "check where credentials come from")
    }

    /// A list of models that exceeds a bound.
    pub(super) fn too_large(&self, passed: Passed) -> Error {
        let happened = format!("the answer exceeds a bound: {passed}");
        charged(self.error(Kind::Malformed, &happened, "check the base URL"))
    }

    /// The server does not have the response that it makes in the background.
    #[cfg(feature = "responses")]
    pub(super) fn not_found(&self, response: &str, error: Error) -> Error {
        let happened = format!("the server does not have the response {response}");
        let Error { status, code, request_id, .. } = error;
        Error { status, code, request_id, ..self.error(Kind::Server, &happened, "try again later") }
    }

    /// The response cannot be asked for by its id.
    #[cfg(feature = "responses")]
    pub(super) fn unusable_id(&self, response: &str) -> Error {
        let happened = format!("no address can name the response {response:?}");
        charged(self.error(Kind::Malformed, &happened, &self.other_server()))
    }

    /// The answer is not a list of models.
    pub(super) fn no_list(&self) -> Error {
        let todo = self.other_server();
        self.error(Kind::Malformed, "the answer is not a list of models", &todo)
    }

    /// The answer has no number of tokens.
    pub(super) fn no_count(&self) -> Error {
        let todo = self.other_server();
        self.error(Kind::Malformed, "the answer has no number of tokens", &todo)
    }

    fn other_server(&self) -> String {
        format!("check that the base URL is that of a {} API", self.protocol.title())
    }

    /// The answer is not a response.
    ///
    /// An error inside the answer has a status of its own.
    pub(super) fn unreadable(&self, why: Unreadable, answered: Answered<'_>) -> Error {
        match why {
            Unreadable::Api(api) => {
                let may_have_cost = may_have_cost(api.status, answered.status);
                let error = self.refused(api, answered);
                if may_have_cost { charged(error) } else { error }
            }
            Unreadable::Nothing => {
                let happened = Unreadable::Nothing.to_string();
                charged(self.error(Kind::Unreachable, &happened, "try again"))
            }
            Unreadable::NoJson { .. } | Unreadable::OtherWire { .. } => {
                let todo = self.other_server();
                charged(self.error(Kind::Malformed, &why.to_string(), &todo))
            }
        }
    }

    /// The answer has no vectors, or not those of the texts.
    #[cfg(feature = "embeddings")]
    pub(super) fn without_vectors(
        &self,
        why: embeddings::Unreadable,
        answered: Answered<'_>,
    ) -> Error {
        match why {
            embeddings::Unreadable::Api(api) => self.unreadable(Unreadable::Api(api), answered),
            embeddings::Unreadable::Cut => self.unreadable(Unreadable::Nothing, answered),
            embeddings::Unreadable::OverBound(_) => {
                let todo = "send fewer texts at once, or raise the bound";
                charged(self.error(Kind::Malformed, &why.to_string(), todo))
            }
            embeddings::Unreadable::Vectors(fault) => self.wrong_vectors(&fault.to_string()),
            why => {
                let todo = self.other_server();
                charged(self.error(Kind::Malformed, &why.to_string(), &todo))
            }
        }
    }

    /// The vectors are not those of the texts.
    #[cfg(feature = "embeddings")]
    pub(super) fn wrong_vectors(&self, happened: &str) -> Error {
        let todo = "check the model's name, and that it is a model for embeddings";
        charged(self.error(Kind::Malformed, happened, todo))
    }

    fn refused(&self, api: ApiError, answered: Answered<'_>) -> Error {
        let (kind, todo) = kind(&api);
        let request = answered.request_id.map(|id| format!(" (request {id})"));
        let mut error = match self.proxy.filter(|_| api.status == 407) {
            None => {
                let happened = format!("refused with {api}{}", request.unwrap_or_default());
                self.error(kind, &happened, todo)
            }
            Some(proxy) => {
                let happened = format!("the proxy {proxy} answered {api}");
                self.error(Kind::Unauthorized, &happened, &proxy.wants_credentials())
            }
        };
        error.status = Some(api.status);
        error.retry_after = answered.retry_after.or(api.retry_after);
        error.request_id = answered.request_id.map(Box::from);
        error.code = api.code.or(api.kind);
        error
    }
}

/// Whether a request that failed with a status may have been worked on.
///
/// A gateway (502, 504, and 520 to 524 of Cloudflare) may have passed the request
/// on to a server that worked. A server that refuses, is full or fails at once has
/// produced nothing. One that fails inside an answer that it began may have.
fn may_have_cost(status: u16, answered: StatusCode) -> bool {
    match status {
        503 | 529 => false,
        502 | 504 | 520..=524 => true,
        500.. => answered.is_success(),
        _ => false,
    }
}

fn kind(api: &ApiError) -> (Kind, &'static str) {
    match api.status {
        _ if api.is_overflow() => (Kind::ContextOverflow, "send less, or take a larger model"),
        _ if api.is_invalid_key() => (Kind::Unauthorized, "check the API key and what it may do"),
        401 | 403 => (Kind::Unauthorized, "check the API key and what it may do"),
        404 => (Kind::UnknownModel, "check the model's name and the base URL"),
        429 if api.is_quota() => {
            (Kind::QuotaExceeded, "the quota is spent: check plan and billing")
        }
        429 => (Kind::RateLimited, "try again later, or ask more slowly"),
        300..=399 => (Kind::BadRequest, "the server moved: set the base URL to its new place"),
        408 | 424 | 500..=599 => (Kind::Server, "try again later"),
        _ => (Kind::BadRequest, "correct the request"),
    }
}
