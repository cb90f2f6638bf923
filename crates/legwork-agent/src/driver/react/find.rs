//! JSON objects in a text that may hold anything else.

use serde_json::value::RawValue;

/// Braces that open no object and are never closed, such as in prose, before the search
/// is given up: each costs a look at all of the rest.
const STRAYS: usize = 16;

/// The outermost JSON objects of a text, and what was wrong with the first that is none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found<'a> {
    pub(super) objects: Vec<&'a str>,
    pub(super) broken: Option<String>,
}

/// Finds the outermost JSON objects, whatever stands around them.
///
/// Nothing is taken from inside an object that is broken or cut: half of what was meant
/// is something else.
pub(super) fn objects(text: &str) -> Found<'_> {
    let mut found = Found::default();
    let (mut at, mut strays) = (0, 0);
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('{')).map(|i| at + i) {
        let rest = text.get(start..).unwrap_or_default();
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let error = match stream.next() {
            Some(Ok(object)) => {
                found.objects.push(object.get());
                at = start + stream.byte_offset();
                continue;
            }
            Some(Err(error)) => error,
            None => break,
        };
        found.broken.get_or_insert_with(|| error.to_string());
        at = match closed(rest) {
            Some(len) => start + len,
            None if is_meant(rest) || strays >= STRAYS => break,
            None => start + 1,
        };
        strays += usize::from(at == start + 1);
    }
    found
}

/// Whether a brace looks like the beginning of a JSON object.
fn is_meant(rest: &str) -> bool {
    rest.trim_start_matches('{').trim_start().starts_with('"')
}

/// How long a text that begins with a brace is up to the one that closes it; strings may
/// hold braces.
fn closed(rest: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (len, byte) in (1..).zip(rest.bytes()) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return Some(len);
        }
    }
    None
}

/// The text without blanks and a code fence around it.
pub(super) fn bare(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.map_or(text, |inside| inside.strip_prefix("json").unwrap_or(inside).trim())
}
