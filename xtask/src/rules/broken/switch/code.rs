//! Where the bodies of functions are in the text of a Rust file.

use std::ops::Range;

#[cfg(test)]
mod tests;

/// The bodies of the outermost functions, braces included, in the order of the text.
///
/// Functions whose body cannot be put into a branch are left out: those that are `const`,
/// and those that return an `impl` type, which would be another type in each branch.
pub(super) fn bodies(text: &str) -> Vec<Range<usize>> {
    let code = without_texts(text);
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(from) = next_fn(&code, at) {
        let Some((open, end)) = body(&code, from) else {
            // No body: a method that a trait only declares.
            at = from + 2;
            continue;
        };
        let (before, signature) = (code.get(..from), code.get(from..open));
        if !before.is_some_and(is_const) && !signature.is_some_and(|it| it.contains("-> impl ")) {
            found.push(open..end);
        }
        at = end;
    }
    found
}

/// The next `fn` that names a function, from a place on.
fn next_fn(code: &str, at: usize) -> Option<usize> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = code.as_bytes();
    code.get(at..)?.match_indices("fn ").map(|(found, _)| at + found).find(|found| {
        let before = found.checked_sub(1).and_then(|before| bytes.get(before));
        let name = bytes.get(found + 3);
        !before.is_some_and(|byte| word(*byte)) && name.is_some_and(|byte| word(*byte))
    })
}

/// Whether what comes before a `fn` makes it one that may run while compiling.
fn is_const(before: &str) -> bool {
    let start = before.rfind(['{', '}', ';', ']']).map_or(0, |last| last + 1);
    before.get(start..).is_some_and(|it| it.split_whitespace().any(|word| word == "const"))
}

/// The braces of the body of the function that begins here, if it has one.
fn body(code: &str, from: usize) -> Option<(usize, usize)> {
    let (mut open, mut braces, mut brackets) = (None, 0_usize, 0_usize);
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' if open.is_none() => brackets += 1,
            b')' | b']' if open.is_none() => brackets = brackets.saturating_sub(1),
            b';' if open.is_none() && brackets == 0 => return None,
            b'{' => {
                open.get_or_insert(at);
                braces += 1;
            }
            b'}' => {
                braces = braces.checked_sub(1)?;
                if braces == 0 {
                    return Some((open?, at + 1));
                }
            }
            _ => {}
        }
    }
    None
}

/// The text with blanks for comments, strings and characters: each byte keeps its place.
fn without_texts(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut code, mut at) = (bytes.to_vec(), 0);
    while at < bytes.len() {
        let end = match rest(bytes, at) {
            [b'/', b'/', ..] => until(bytes, at, b"\n"),
            [b'/', b'*', ..] => until(bytes, at + 2, b"*/"),
            [b'"', ..] => string(bytes, at),
            [b'r', ..] if is_raw(bytes, at) => raw(bytes, at),
            [b'\'', ..] => character(bytes, at),
            _ => {
                at += 1;
                continue;
            }
        };
        let blank = code.get_mut(at..end).unwrap_or_default();
        blank.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end.max(at + 1);
    }
    // A character of several bytes is blank as a whole, or stands outside of all texts.
    String::from_utf8(code).unwrap_or_default()
}

fn rest(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

/// The place behind the next `end`, or the end of the text.
fn until(bytes: &[u8], from: usize, end: &[u8]) -> usize {
    let found = rest(bytes, from).windows(end.len()).position(|window| window == end);
    found.map_or(bytes.len(), |found| from + found + end.len())
}

/// The place behind the string that begins here.
fn string(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Whether an `r` begins a raw string: `r"` or `r#"`, not the end of a name.
fn is_raw(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let in_name = before.is_some_and(|byte| byte.is_ascii_alphanumeric() && *byte != b'b');
    let hashes = rest(bytes, at + 1).iter().take_while(|byte| **byte == b'#').count();
    !in_name && bytes.get(at + 1 + hashes) == Some(&b'"')
}

/// The place behind the raw string that begins here.
fn raw(bytes: &[u8], from: usize) -> usize {
    let hashes = rest(bytes, from + 1).iter().take_while(|byte| **byte == b'#').count();
    let end = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    until(bytes, from + hashes + 2, &end)
}

/// The place behind the character that begins here; a lifetime is one byte, its mark.
fn character(bytes: &[u8], from: usize) -> usize {
    if bytes.get(from + 1) == Some(&b'\\') {
        return until(bytes, from + 3, b"'");
    }
    let length = rest(bytes, from + 2).iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
    let end = from + 2 + length;
    if bytes.get(end) == Some(&b'\'') { end + 1 } else { from + 1 }
}
