//! The one rule for what people are shown (S13.12): text, and nothing that hides in it.
//!
//! What [`is_hidden`] knows is shown as an escape. Of that, what makes signs of writing stays
//! where it does so: a joiner behind a letter of a script that joins its letters, a joiner and
//! the selector of colours between and behind pictures. Combining marks stay behind something
//! to combine with, so many at most.

use std::borrow::Cow;
use std::io;

use legwork::core::hidden::is_hidden;
use unicode_width::UnicodeWidthChar as _;

/// Marks on one letter: those of Hebrew, Tibetan and Vietnamese are fewer.
const MARKS: usize = 8;

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
/// They choose how a picture is shown: as text, or in colour.
const SELECTORS: [char; 2] = ['\u{fe0e}', '\u{fe0f}'];

/// The text without what could command a terminal or is not seen.
///
/// Line breaks and tabs stay, carriage returns go.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    shown(text, Codes::Escaped, |c, out| out.extend(c.escape_unicode()))
}

/// The same of a text that we have painted: codes of colours stay. It is the last thing that
/// is done to a text, for a place where the first was forgotten.
pub(crate) fn guarded(text: &str) -> Cow<'_, str> {
    shown(text, Codes::Kept, |c, out| out.extend(c.escape_unicode()))
}

/// JSON that says the same with escapes of JSON.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    shown(text, Codes::Escaped, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    })
}

/// Standard error, guarded: for questions, and what is shown before them.
pub(crate) fn err() -> Guard {
    Guard(io::stderr())
}

/// A stream to which nothing is written that hides or commands.
pub(crate) struct Guard(io::Stderr);

impl io::Write for Guard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A piece of a text at a time, as `write!` has them: none is cut within a character.
        let text = String::from_utf8_lossy(bytes);
        self.0.write_all(guarded(&text).as_bytes()).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// What becomes of codes of colours.
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

/// Whether a hidden character makes a sign of writing with what stands before and behind it.
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

/// Whether a letter or mark is of a script whose letters join: Arabic, Syriac, those of India
/// and around it, Mongolian.
fn joins(c: char) -> bool {
    let of_script = matches!(c,
        '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{18af}'
        | '\u{1a20}'..='\u{1cff}' | '\u{a840}'..='\u{a9ff}' | '\u{fb50}'..='\u{fefc}'
        | '\u{10a00}'..='\u{10eff}' | '\u{11000}'..='\u{11fff}');
    of_script && !is_hidden(c) && (c.is_alphabetic() || c.width() == Some(0))
}

/// Whether it is a picture that others are made of.
fn is_picture(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// The codes that we paint with: none of them hides what is written.
const OURS: [&str; 12] = ["0", "1", "2", "3", "9", "31", "32", "33", "34", "35", "36", ""];

/// The bytes of a code of colours that the text begins with.
fn code(text: &str) -> usize {
    let Some(codes) = text.strip_prefix("\x1b[") else { return 0 };
    let end = codes.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(codes.len());
    let (codes, behind) = codes.split_at_checked(end).unwrap_or((codes, ""));
    let ours = codes.split(';').all(|code| OURS.contains(&code));
    if ours && behind.starts_with('m') { end + 3 } else { 0 }
}

#[cfg(test)]
mod tests;
