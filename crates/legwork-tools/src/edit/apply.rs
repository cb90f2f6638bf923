//! Replacing text in memory, byte for byte outside of what is replaced.

use memchr::memmem;
use serde::Deserialize;

use super::SIZE_MAX;
use crate::diff::is_crlf;

/// One replacement, as the model asked for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Replacement {
    pub(super) old: String,
    pub(super) new: String,
    #[serde(default)]
    pub(super) replace_all: Option<bool>,
}

/// Why a replacement does not fit a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// `old` is empty.
    Empty,
    /// `old` and `new` are the same.
    Same,
    /// `old` is nowhere.
    Absent,
    /// `old` is in several places: how many, at least, and the first lines
    /// they begin in, from 1.
    Ambiguous { count: usize, lines: Vec<usize> },
    /// `old` is in more places than are replaced at once.
    TooMany,
    /// The text would get longer than a file that can be edited.
    TooBig,
}

/// How many line numbers are given for a text that is found several times.
const LINES_TOLD: usize = 10;
/// How many places are counted where only one may be.
pub(super) const COUNTED_MAX: usize = 100;
/// Most places that are replaced at once.
pub(super) const PLACES_MAX: usize = 100_000;

/// One place where `old` is.
#[derive(Clone, Copy, Debug)]
struct Match {
    start: usize,
    end: usize,
    /// It was found with the line endings of the file, not with those of `old`.
    crlf: bool,
}

/// The text after one replacement, and how many places were replaced.
///
/// Where `old` has plain LF and the file has CRLF they match, and what is
/// written gets CRLF too.
pub(super) fn apply(text: &[u8], asked: &Replacement) -> Result<(Vec<u8>, usize), Misfit> {
    if asked.old.is_empty() {
        return Err(Misfit::Empty);
    }
    if asked.old == asked.new {
        return Err(Misfit::Same);
    }
    let all = asked.replace_all.unwrap_or(false);
    let found = matches(text, asked.old.as_bytes(), all);
    if found.is_empty() {
        return Err(Misfit::Absent);
    }
    if found.len() > 1 && !all {
        let lines = found.iter().take(LINES_TOLD).map(|found| line_of(text, found.start)).collect();
        return Err(Misfit::Ambiguous { count: found.len(), lines });
    }
    if found.len() > PLACES_MAX {
        return Err(Misfit::TooMany);
    }
    // Line endings may add as much again.
    let grown = asked.new.len().saturating_sub(asked.old.len()).saturating_mul(found.len());
    if text.len().saturating_add(grown) > SIZE_MAX {
        return Err(Misfit::TooBig);
    }
    Ok((replaced(text, asked, &found), found.len()))
}

/// The line that a byte is in, from 1.
pub(super) fn line_of(text: &[u8], at: usize) -> usize {
    let before = text.get(..at).unwrap_or(text);
    memchr::memchr_iter(b'\n', before).count().saturating_add(1)
}

/// Every place, in order. Those that are all to be replaced do not overlap;
/// for one that must be alone, overlapping ones count too.
fn matches(text: &[u8], old: &[u8], all: bool) -> Vec<Match> {
    let mut found = Vec::new();
    let plain = memchr::memchr(b'\n', old).is_some() && memchr::memchr(b'\r', old).is_none();
    if plain && memmem::find(text, b"\r\n").is_some() {
        found = occurrences(text, &with_crlf(old), all, true);
    }
    let ends: Vec<_> = found.iter().map(|found| (found.start, found.end)).collect();
    // An `old` that begins with LF is also found behind the CR of a CRLF.
    let apart = |one: &Match| {
        let next = ends.partition_point(|(_, end)| *end <= one.start);
        ends.get(next).is_none_or(|(start, _)| one.end <= *start)
    };
    found.extend(occurrences(text, old, all, false).into_iter().filter(apart));
    found.sort_unstable_by_key(|found| found.start);
    found
}

fn occurrences(text: &[u8], needle: &[u8], all: bool, crlf: bool) -> Vec<Match> {
    let finder = memmem::Finder::new(needle);
    let most = if all { PLACES_MAX } else { COUNTED_MAX };
    let (mut found, mut from) = (Vec::new(), 0_usize);
    while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
        let start = from.saturating_add(at);
        let end = start.saturating_add(needle.len());
        found.push(Match { start, end, crlf });
        from = if all { end } else { start.saturating_add(1) };
        if found.len() > most {
            break;
        }
    }
    found
}

fn replaced(text: &[u8], asked: &Replacement, found: &[Match]) -> Vec<u8> {
    let new = asked.new.as_bytes();
    let plain = memchr::memchr(b'\n', new).is_some() && memchr::memchr(b'\r', new).is_none();
    let converted = if plain { with_crlf(new) } else { new.to_vec() };
    // An `old` within a line says nothing of line endings: the file does.
    let within = plain && memchr::memchr(b'\n', asked.old.as_bytes()).is_none();
    let uniform = within && is_crlf(text);
    let mut endings = Endings::new(text);
    let (mut after, mut from) = (Vec::with_capacity(text.len()), 0);
    for found in found {
        after.extend_from_slice(text.get(from..found.start).unwrap_or_default());
        let crlf = found.crlf || within && (uniform || endings.is_crlf(found.end));
        after.extend_from_slice(if crlf { &converted } else { new });
        from = found.end;
    }
    after.extend_from_slice(text.get(from..).unwrap_or_default());
    after
}

/// Tells of places in order how the line that goes on there ends.
struct Endings<'a> {
    text: &'a [u8],
    /// Where the line ends, so that a long line is gone through once only.
    end: usize,
    crlf: bool,
}

impl<'a> Endings<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, end: 0, crlf: false }
    }

    fn is_crlf(&mut self, at: usize) -> bool {
        if at >= self.end {
            let rest = self.text.get(at..).unwrap_or_default();
            let found = memchr::memchr(b'\n', rest);
            self.crlf = found.and_then(|end| end.checked_sub(1)).and_then(|last| rest.get(last))
                == Some(&b'\r');
            self.end = at.saturating_add(found.unwrap_or(rest.len())).saturating_add(1);
        }
        self.crlf
    }
}

/// Plain LF as CRLF.
fn with_crlf(text: &[u8]) -> Vec<u8> {
    let mut converted = Vec::with_capacity(text.len());
    for line in crate::diff::lines(text) {
        match line.strip_suffix(b"\n") {
            Some(line) => converted.extend([line, b"\r\n"].concat()),
            None => converted.extend_from_slice(line),
        }
    }
    converted
}
