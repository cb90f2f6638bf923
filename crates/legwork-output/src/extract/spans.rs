//! Pairs of matching brackets in a text.

use std::ops::Range;

/// The spans of a text from a bracket to the one that closes it; outer ones first, then in
/// order. Brackets in quotes do not count inside of brackets.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    let (mut open, mut spans) = (Vec::new(), Vec::new());
    let (mut in_text, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' if in_text => in_text = false,
            b'"' => in_text = !open.is_empty(),
            _ if in_text => {}
            b'{' | b'[' => open.push((at, byte)),
            b'}' | b']' => {
                let opener = if byte == b'}' { b'{' } else { b'[' };
                // An opener that does not match is prose.
                while let Some((from, found)) = open.pop() {
                    if found == opener {
                        spans.push((open.len(), from..at + 1));
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    spans.sort_by_key(|(depth, span)| (*depth, span.start));
    spans.into_iter().map(|(_, span)| span).collect()
}
