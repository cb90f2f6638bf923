//! The one rule for output to people (S13.12): visible text, with all else escaped.
//!
//! Characters of which [`is_hidden`] is true are shown as escapes. Some stay where they have
//! a visible effect: joiners after a letter of a script that joins its letters, joiners and
//! variation selectors in emoji. Combining marks stay after a base character, up to a limit.

use std::borrow::Cow;
use std::io;

use legwork::core::hidden::is_hidden;
use unicode_width::UnicodeWidthChar as _;

/// Most marks on one letter; Hebrew, Tibetan and Vietnamese have fewer.
const MARKS: usize = 8;

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
/// They select how an emoji is shown: as text, or in colour.
const SELECTORS: [char; 2] = ['\u{fe0e}', '\u{fe0f}'];

/// The text with control and invisible characters escaped.
///
/// Line breaks and tabs stay, carriage returns are removed.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    shown(text, Codes::Escaped, |c, out| out.extend(c.escape_unicode()))
}

/// The same for text with our own colour codes, which stay. It is applied last, in case a
/// caller forgot to escape a part.
pub(crate) fn guarded(text: &str) -> Cow<'_, str> {
    shown(text, Codes::Kept, |c, out| out.extend(c.escape_unicode()))
}

/// Equivalent JSON with these characters as escapes of JSON.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    shown(text, Codes::Escaped, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    })
}

/// Standard error, guarded: for questions, and the text before them.
pub(crate) fn err() -> Guard {
    Guard(io::stderr())
}

/// A stream that escapes control and invisible characters.
pub(crate) struct Guard(io::Stderr);

impl io::Write for Guard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // `write!` passes whole pieces of text: no character is cut.
        let text = String::from_utf8_lossy(bytes);
        self.0.write_all(guarded(&text).as_bytes()).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// What happens to colour codes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Codes {
    Escaped,
    Kept,
}

fn shown(text: &str, codes: Codes, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let (mut before, mut marks) = (None, 0);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let code = if codes == Codes::Kept { code(rest) } else { 0 };
        if code > 0 {
            let (painted, behind) = rest.split_at_checked(code).unwrap_or((rest, ""));
            out.push_str(painted);
            rest = behind;
            continue;
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        let is_mark = !is_hidden(c) && !c.is_ascii() && c.width() == Some(0);
        let stays = match c {
            '\r' => continue,
            '\n' | '\t' => true,
            c if is_hidden(c) => makes_a_sign(before, c, rest),
            _ if is_mark => marks < MARKS && before.is_some_and(|base| !char::is_whitespace(base)),
            _ => true,
        };
        if !stays {
            escape(c, &mut out);
            (before, marks) = (None, 0);
            continue;
        }
        out.push(c);
        marks = if is_mark { marks + 1 } else { 0 };
        before = Some(c);
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Whether a hidden character has a visible effect between its neighbours.
fn makes_a_sign(before: Option<char>, c: char, rest: &str) -> bool {
    let Some(before) = before else { return false };
    match c {
        JOINER if is_picture(before) || SELECTORS.contains(&before) => {
            rest.chars().next().is_some_and(is_picture)
        }
        JOINER | NON_JOINER => joins(before),
        c if SELECTORS.contains(&c) => {
            is_picture(before) || matches!(before, '0'..='9' | '#' | '*')
        }
        _ => false,
    }
}

/// Whether a letter or mark belongs to a script whose letters join: Arabic, Syriac, the Indic
/// scripts, Mongolian.
fn joins(c: char) -> bool {
    let of_script = matches!(c,
        '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{18af}'
        | '\u{1a20}'..='\u{1cff}' | '\u{a840}'..='\u{a9ff}' | '\u{fb50}'..='\u{fefc}'
        | '\u{10a00}'..='\u{10eff}' | '\u{11000}'..='\u{11fff}');
    of_script && !is_hidden(c) && (c.is_alphabetic() || c.width() == Some(0))
}

/// Whether it is a pictograph that others are composed of.
fn is_picture(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// The colour codes that we write; none of them hides text.
const OURS: [&str; 12] = ["0", "1", "2", "3", "9", "31", "32", "33", "34", "35", "36", ""];

/// The length in bytes of the colour code that the text begins with; 0 if there is none.
fn code(text: &str) -> usize {
    let Some(codes) = text.strip_prefix("\x1b[") else { return 0 };
    let end = codes.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(codes.len());
    let (codes, behind) = codes.split_at_checked(end).unwrap_or((codes, ""));
    let ours = codes.split(';').all(|code| OURS.contains(&code));
    if ours && behind.starts_with('m') { end + 3 } else { 0 }
}

#[cfg(test)]
mod tests;
