//! What must not come back in an error: some servers echo what they were sent.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderName;
use legwork_core::Mask;
use legwork_port::model::Error;

/// The shortest piece of a secret that is masked wherever it occurs.
///
/// Shorter pieces say little of a key, and are found in words that have nothing to do
/// with it.
const PIECE: usize = 8;
/// The replacement of a secret.
pub(super) const MASK: &str = "[redacted]";
/// Headers with one of these in their name carry a secret.
const SECRET_NAMES: [&str; 5] = ["key", "token", "auth", "secret", "cookie"];

/// Names of ways to authenticate, which are no part of a secret.
const SCHEMES: [&str; 5] = ["basic", "bearer", "digest", "key", "token"];

/// What was sent and must not be shown.
#[derive(Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn push(&mut self, secret: &str) {
        if !secret.is_empty() {
            self.0.push(secret.to_owned());
        }
    }

    /// The secrets in the value of a header: all of it, what follows the name of a scheme
    /// (`Bearer KEY`, `Token KEY`), the values of parameters and cookies (`name=KEY; ..`), and of
    /// Basic authentication the password (the user, if there is none).
    ///
    /// A server may repeat any of them without the rest.
    pub(super) fn push_all_of(&mut self, value: &str) {
        let value = value.trim();
        let parts = value.split_once(' ').unwrap_or(("", value));
        let is_scheme = SCHEMES.iter().any(|scheme| parts.0.eq_ignore_ascii_case(scheme));
        let (scheme, rest) = if is_scheme { parts } else { ("", value) };
        self.push(rest.trim());
        rest.split(' ').filter(|word| word.len() >= PIECE).for_each(|word| self.push(word));
        let values = rest.split([';', ',', ' ']).filter_map(|part| part.split_once('='));
        let values = values.map(|(_, value)| value.trim().trim_matches('"'));
        values.filter(|value| value.len() >= PIECE).for_each(|value| self.push(value));
        if scheme.eq_ignore_ascii_case("basic")
            && let Ok(decoded) = STANDARD.decode(rest.trim())
            && let Some((user, password)) = String::from_utf8_lossy(&decoded).split_once(':')
        {
            // Some take a key as the name of the user.
            self.push(if password.is_empty() { user } else { password });
        }
    }

    /// These and others.
    pub(super) fn and(mut self, others: &[String]) -> Self {
        others.iter().for_each(|secret| self.push(secret));
        self
    }

    /// These and those.
    pub(super) fn with(mut self, mut others: Self) -> Self {
        self.0.append(&mut others.0);
        self
    }

    /// Errors are journaled and shown: a secret that the server echoes must not be in them.
    pub(super) fn of_error(&self, error: Error) -> Error {
        let message = self.masked(error.message);
        let code = error.code.map(|code| self.masked(code));
        let request_id = error.request_id.map(|id| self.masked(id.into()).into());
        Error { message, code, request_id, ..error }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same secrets, to be masked in all that is written or shown.
    pub(super) fn mask(&self) -> Mask {
        Mask::of(&self.0)
    }

    /// The text with a mask over each secret, and over each longer piece of one: messages
    /// are cut short, and a cut may go through a key.
    pub(super) fn masked(&self, text: String) -> String {
        let mut found: Vec<_> = self.0.iter().flat_map(|secret| pieces(&text, secret)).collect();
        if found.is_empty() {
            return text;
        }
        found.sort_unstable_by_key(|piece| piece.start);
        let (mut masked, mut end) = (String::with_capacity(text.len()), 0);
        for piece in found {
            if piece.start > end || (piece.start == 0 && end == 0) {
                masked.push_str(text.get(end..piece.start).unwrap_or_default());
                masked.push_str(MASK);
            }
            end = end.max(piece.end);
        }
        masked.push_str(text.get(end..).unwrap_or_default());
        masked
    }
}

/// Whether a header of this name carries a secret.
pub(super) fn is_secret(name: &HeaderName) -> bool {
    SECRET_NAMES.iter().any(|part| name.as_str().contains(part))
}

/// Where pieces of a secret occur in a text.
fn pieces<'a>(text: &'a str, secret: &'a str) -> Box<dyn Iterator<Item = Range<usize>> + 'a> {
    if secret.len() < PIECE {
        return Box::new(occurrences(text, secret).filter(|range| is_a_word(text, range)));
    }
    let starts = 0..=secret.len() - PIECE;
    let windows = starts.filter_map(|start| secret.get(start..start + PIECE));
    Box::new(windows.flat_map(|window| occurrences(text, window)))
}

fn occurrences<'a>(text: &'a str, part: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    text.match_indices(part).map(|(at, part)| at..at + part.len())
}

/// Whether the text in a range is not part of a longer word.
fn is_a_word(text: &str, range: &Range<usize>) -> bool {
    let before = text.get(..range.start).and_then(|text| text.chars().next_back());
    let after = text.get(range.end..).and_then(|text| text.chars().next());
    ![before, after].into_iter().flatten().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests;
