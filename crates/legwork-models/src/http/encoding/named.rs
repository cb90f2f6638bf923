//! The content coding that an answer names.

use http::header::{CONTENT_ENCODING, HeaderMap};

/// Characters of it that are kept.
const LONGEST: usize = 64;

/// The content codings of an answer, in lower case; none if there are none.
pub(super) fn coding(headers: &HeaderMap) -> Option<String> {
    if !headers.contains_key(CONTENT_ENCODING) {
        return None;
    }
    let named = headers.get_all(CONTENT_ENCODING).into_iter();
    let named = named.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let all = named.collect::<Vec<_>>().join(",");
    let codings = all.split(',').map(|coding| coding.trim().to_ascii_lowercase());
    let codings: Vec<_> =
        codings.filter(|coding| !coding.is_empty() && coding != "identity").collect();
    match codings.is_empty() {
        true => None,
        false => Some(codings.join(", ").chars().take(LONGEST).collect()),
    }
}
