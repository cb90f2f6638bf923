//! Text as people are shown it: escaped, clipped, in short.

use std::borrow::Cow;
use std::time::Duration;

use legwork::core::Timestamp;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub(crate) use super::seen::visible;

/// Columns that a tab is counted as, where it is kept.
const TAB: usize = 4;

/// The text in one line: runs of white space are one space.
///
/// Only as much is looked at as could be shown.
pub(crate) fn one_line(text: &str) -> String {
    const LOOKED_AT: usize = 2_000;
    let end = text.char_indices().nth(LOOKED_AT).map_or(text.len(), |(at, _)| at);
    let words: Vec<_> = text.get(..end).unwrap_or_default().split_whitespace().collect();
    visible(&words.join(" ")).into_owned()
}

/// The columns that a line takes.
pub(crate) fn columns(line: &str) -> usize {
    line.width() + line.matches('\t').count() * TAB
}

/// The line cut to so many columns, with an ellipsis where it was cut.
pub(crate) fn clip(line: &str, most: usize) -> Cow<'_, str> {
    clip_with(line, most, "…")
}

/// The same with another sign where it was cut.
pub(crate) fn clip_with<'l>(line: &'l str, most: usize, sign: &str) -> Cow<'l, str> {
    if columns(line) <= most {
        return Cow::Borrowed(line);
    }
    let mut used = columns(sign);
    let mut clipped = String::new();
    for c in line.chars() {
        used += if c == '\t' { TAB } else { c.width().unwrap_or(0) };
        if used > most {
            break;
        }
        clipped.push(c);
    }
    clipped.push_str(sign);
    Cow::Owned(clipped)
}

/// A number with a word that agrees with it.
pub(crate) fn count(number: u64, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{} {one}s", grouped(number)),
    }
}

/// A number with its thousands set apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A length of time as people say it.
pub(crate) fn time(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        1..60 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Money as people say it: fine enough to be more than nothing.
pub(crate) fn money(usd: f64) -> String {
    match usd {
        usd if usd >= 1.0 => format!("${usd:.2}"),
        usd if usd >= 0.0001 => format!("${usd:.4}"),
        _ => "less than $0.0001".to_owned(),
    }
}

/// The text in lines of at most so many columns, broken at spaces; the lines that follow
/// the first of a paragraph are indented.
///
/// A longer word stays whole, so that flags, paths and addresses can be copied.
pub(crate) fn wrapped(text: &str, most: usize, indent: usize) -> String {
    let indent = " ".repeat(indent);
    let options = at_spaces(most).subsequent_indent(&indent);
    // `textwrap` counts no columns for a tab.
    let text = text.replace('\t', &" ".repeat(TAB));
    let paragraphs = text.split('\n').map(|line| textwrap::fill(line, &options));
    paragraphs.collect::<Vec<_>>().join("\n")
}

/// Lines of at most so many columns, broken at spaces only.
pub(crate) fn at_spaces<'a>(most: usize) -> textwrap::Options<'a> {
    textwrap::Options::new(most)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
}

/// How long ago something was.
pub(crate) fn age(then: Timestamp, now: Timestamp) -> String {
    match now.0.saturating_sub(then.0) / 1000 {
        0..10 => "just now".to_owned(),
        seconds @ 10..60 => format!("{seconds} s ago"),
        seconds @ 60..3600 => format!("{} min ago", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} d ago", seconds / 86_400),
    }
}

/// The wall time now.
pub(crate) fn now() -> Timestamp {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
