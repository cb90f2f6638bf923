//! Error bodies of many servers, read into one shape.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

mod details;
mod exception;

/// Characters of a body that is not JSON which are kept for the message.
const EXCERPT: usize = 400;

/// Bytes of the body of an error that are read.
pub(crate) const BODY: usize = 64 << 10;

/// Characters of an error's message that are kept.
const MESSAGE: usize = 2_000;

/// Characters of an error's code, type and field that are kept.
const WORD: usize = 200;

/// An error that the provider answered with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ApiError {
    /// The HTTP status; for an error inside a stream, the one it corresponds to.
    pub status: u16,
    /// The provider's code, such as `context_length_exceeded`.
    pub code: Option<String>,
    /// The provider's type of error, such as `invalid_request_error`.
    pub kind: Option<String>,
    /// The request's field that is wrong.
    pub param: Option<String>,
    /// The provider's message, 2,000 characters at most.
    pub message: String,
    /// How long to wait before the next attempt, if the body says so.
    pub retry_after: Option<Duration>,
}

impl ApiError {
    /// Reads the body of an answer whose status says that it failed.
    pub fn from_body(status: u16, body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => Self { status, ..Self::from_value(&value) },
            Err(_) => Self { status, message: excerpt(body), ..Self::default() },
        }
    }

    /// Reads an error that came inside an answer of status 200.
    pub(crate) fn from_event(error: &Value) -> Self {
        let read = Self::from_value(error);
        let status = ["status_code", "status", "code"]
            .iter()
            .filter_map(|key| number(error.get(key)?))
            .find(|status| (400..600).contains(status));
        Self { status: status.unwrap_or_else(|| read.status_of_kind()), ..read }
    }

    /// An exception of AWS inside an answer, by its name.
    #[cfg(feature = "bedrock")]
    pub(crate) fn of_exception(name: &str, value: &Value) -> Self {
        let read = Self::from_value(value).with_exception(Some(name));
        Self { status: exception::status(exception::name(name)), ..read }
    }

    /// The same with the name of an exception of AWS as its code, if it has none.
    pub(crate) fn with_exception(self, name: Option<&str>) -> Self {
        let named = || name.map(exception::name).filter(|name| !name.is_empty());
        let code = self.code.or_else(|| named().map(|name| clipped(name, WORD)));
        Self { code, ..self }
    }

    fn from_value(value: &Value) -> Self {
        let value = unwrapped(value);
        let text = |keys: &[&str]| keys.iter().find_map(|key| scalar(value.get(key)?));
        let word = |key: &str| text(&[key]).map(|text| clipped(&text, WORD));
        let message =
            text(&["message", "detail", "msg", "error", "Message"]).or_else(|| scalar(value));
        Self {
            status: 0,
            code: details::status(value).or_else(|| word("code")),
            kind: word("type").or_else(|| details::reason(value)).map(|text| clipped(&text, WORD)),
            param: word("param"),
            message: clipped(&message.unwrap_or_else(|| value.to_string()), MESSAGE),
            retry_after: details::retry_after(value),
        }
    }

    /// The status that an error without one corresponds to.
    fn status_of_kind(&self) -> u16 {
        let names = [self.code.as_deref(), self.kind.as_deref()];
        let is = |name: &str| names.iter().flatten().any(|n| n.contains(name));
        match () {
            () if is("rate_limit") || is("insufficient_quota") => 429,
            () if is("overloaded") => 529,
            () if is("authentication") || is("invalid_api_key") => 401,
            () if is("not_found") => 404,
            () if is("invalid_") || is("policy_violation") => 400,
            () => 500,
        }
    }

    /// Whether the key is not one, which some servers call a bad request.
    pub(crate) fn is_invalid_key(&self) -> bool {
        self.kind.as_deref() == Some("API_KEY_INVALID")
    }

    /// Whether the quota is spent: it comes as 429 too, and waiting does not help.
    pub(crate) fn is_quota(&self) -> bool {
        let spent = ["insufficient_quota", "billing_hard_limit_reached"];
        let said = [&self.code, &self.kind];
        said.iter().any(|said| said.as_deref().is_some_and(|said| spent.contains(&said)))
            || self.kind.as_deref().is_some_and(details::is_daily)
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        let is_temporary = matches!(self.status, 408 | 424 | 429 | 500..=599);
        is_temporary && !self.is_quota() && !self.is_overflow()
    }

    /// Whether the request was larger than the model's window.
    pub fn is_overflow(&self) -> bool {
        let message = self.message.to_ascii_lowercase();
        let phrases = [
            "maximum context length",
            "context window",
            "exceed_context_size",
            "prompt is too long",
            "exceeds the maximum number of tokens",
            "input is too long for requested model",
            "input tokens exceeded",
        ];
        self.code.as_deref() == Some("context_length_exceeded")
            || self.kind.as_deref() == Some("exceed_context_size_error")
            || phrases.iter().any(|phrase| message.contains(phrase))
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: \"{}\"", self.status, self.message)?;
        if let Some(code) = self.code.as_ref().or(self.kind.as_ref()) {
            write!(f, " ({code})")?;
        }
        match &self.param {
            Some(param) => write!(f, ", at {param}"),
            None => Ok(()),
        }
    }
}

/// The object that holds the fields: often inside `error`, sometimes in a list.
fn unwrapped(value: &Value) -> &Value {
    match value {
        Value::Array(items) => items.first().map_or(value, unwrapped),
        Value::Object(map) => match map.get("error") {
            Some(inner @ Value::Object(_)) => inner,
            _ => value,
        },
        _ => value,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(_) | Value::Object(_) => Some(value.to_string()),
        Value::Null | Value::Bool(_) => None,
    }
}

fn number(value: &Value) -> Option<u16> {
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    u16::try_from(number).ok()
}

/// The beginning of a text; of an HTML page its title.
pub(crate) fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = title(&text).unwrap_or_else(|| text.trim());
    match text.is_empty() {
        true => "(an empty body)".to_owned(),
        false => clipped(text, EXCERPT),
    }
}

/// The beginning of a text, with an ellipsis if it is cut.
fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn title(html: &str) -> Option<&str> {
    let (_, rest) = html.split_once("<title>")?;
    let (title, _) = rest.split_once("</title>")?;
    Some(title.trim())
}
