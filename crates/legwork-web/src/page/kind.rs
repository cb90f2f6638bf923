//! What kind of content an answer has.

use hyper::header::{CONTENT_TYPE, HeaderMap};

/// Bytes that are looked at where a server does not say what it sends.
const LOOKED_AT: usize = 1_024;

/// The kind of content that an answer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// The media type, in lower case, without parameters.
    pub media_type: String,
    /// The character set that the server names; empty if it names none.
    pub charset: String,
}

/// Why content cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// It is neither text nor a picture.
    #[error("it is {media_type} ({bytes} bytes), which is neither text nor a picture")]
    MediaType {
        /// Its media type.
        media_type: String,
        /// How many bytes there are.
        bytes: usize,
    },
}

impl Kind {
    /// The kind that headers name; what is named nowhere is told by the first bytes.
    #[must_use]
    pub(crate) fn of(headers: &HeaderMap, body: &[u8]) -> Self {
        let named =
            headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
        let named = named.as_deref().unwrap_or_default();
        let mut parts = named.split(';');
        let media_type = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
            name.trim().eq_ignore_ascii_case("charset").then_some(value)
        });
        let media_type = match media_type.contains('/') {
            true => media_type,
            false => told(body).to_owned(),
        };
        Self { media_type, charset: charset.unwrap_or_default() }
    }

    /// Whether it is HTML.
    #[must_use]
    pub fn is_html(&self) -> bool {
        matches!(&*self.media_type, "text/html" | "application/xhtml+xml")
    }

    /// Whether it is a picture that models are shown.
    #[must_use]
    pub fn is_picture(&self) -> bool {
        matches!(&*self.media_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp")
    }

    /// Whether it is text.
    #[must_use]
    pub fn is_text(&self) -> bool {
        const TEXTS: [&str; 14] = [
            "application/json",
            "application/xml",
            "application/javascript",
            "application/ecmascript",
            "application/x-javascript",
            "application/x-ndjson",
            "application/jsonl",
            "application/yaml",
            "application/x-yaml",
            "application/toml",
            "application/x-sh",
            "application/sql",
            "application/graphql",
            "application/xhtml+xml",
        ];
        let kind = &*self.media_type;
        let is_written = || kind.ends_with("+json") || kind.ends_with("+xml");
        kind.starts_with("text/") || TEXTS.contains(&kind) || is_written()
    }
}

/// What bytes seem to be.
fn told(body: &[u8]) -> &'static str {
    let first = body.get(..LOOKED_AT).unwrap_or(body);
    let start = String::from_utf8_lossy(first).trim_start().to_ascii_lowercase();
    match () {
        () if first.contains(&0) => "application/octet-stream",
        () if start.starts_with("<!doctype html") || start.starts_with("<html") => "text/html",
        () => "text/plain",
    }
}
