//! How the answer to a request comes.

use serde_json::Value;

use crate::named;

/// How the answer to a request comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// As what the server answers the request with.
    Direct,
    /// Perhaps in parts: the provider may pause it, and goes on when what came is sent back.
    #[allow(dead_code, reason = "of one wire alone")]
    InParts,
    /// As a response that the server keeps.
    #[cfg(feature = "responses")]
    Stored(Stored),
}

/// What a response that the server keeps is used for.
#[cfg(feature = "responses")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stored {
    /// It is made whether or not a connection waits for it.
    pub(crate) background: bool,
    /// It goes on from the response before, and the one after it from this one.
    pub(crate) continues: bool,
}

/// A response that the server keeps, and the messages that it covers.
#[cfg(feature = "responses")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Previous<'a> {
    pub(crate) id: &'a str,
    /// The index of the first message that the response does not cover.
    pub(crate) next: usize,
}

/// Whether an extra field says what is so without it, for servers that do not know the field.
pub(crate) fn is_usual(key: &str, value: &Value) -> bool {
    key == named::BACKGROUND && *value == false
}

/// What an API other than Responses lacks for an extra field of the settings, if it lacks it.
///
/// Another value of the field is the server's own affair.
pub(crate) fn lacking(key: &str, value: &Value) -> Option<&'static str> {
    match key {
        named::BACKGROUND if *value == true => Some("answers that are made in the background"),
        named::PREVIOUS if value == named::AUTO => Some("responses that others go on from"),
        _ => None,
    }
}
