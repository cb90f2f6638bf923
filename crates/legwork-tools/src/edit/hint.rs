//! Why a text was not found: what is there that is nearly the same.

use memchr::memmem;

use super::apply::{Replacement, line_of};
use crate::diff::{lines, shortened};

/// Most lines of a file that are compared.
const COMPARED_MAX: usize = 50_000;
/// Most bytes of a line that are compared.
const LINE_MAX: usize = 400;
/// Most lines that are quoted.
const QUOTED_MAX: usize = 20;
/// A line is near when this share of it is the same, in percent.
const NEAR: usize = 50;

/// A hint for a model that looked for a text that is not there.
pub(super) fn of(text: &[u8], original: &[u8], asked: &Replacement) -> String {
    let old = asked.old.as_bytes();
    if memmem::find(original, old).is_some() {
        return "an edit before it in this call changed that text; write `old` as it is then"
            .to_owned();
    }
    if let Some(bare) = without_numbers(&asked.old)
        && memmem::find(text, bare.as_bytes()).is_some()
    {
        return "`read` shows a line number and a tab that are not in the file; leave them out"
            .to_owned();
    }
    let blank = asked.new.trim().is_empty();
    if let Some(at) = memmem::find(text, asked.new.as_bytes()).filter(|_| !blank) {
        let line = line_of(text, at);
        return format!("`new` is there already, in line {line}: it may have been made before");
    }
    let lines: Vec<&[u8]> = lines(text).take(COMPARED_MAX).collect();
    if let Some(hint) = spaced(&lines, &asked.old) {
        return hint;
    }
    let first = asked.old.lines().find(|line| !line.trim().is_empty());
    first
        .and_then(|first| nearest(&lines, first))
        .unwrap_or_else(|| "nothing there is like it; read the file again".to_owned())
}

/// The text without what `read` puts before each line; none if it is not there.
fn without_numbers(old: &str) -> Option<String> {
    let bare = |line: &str| {
        let (number, rest) = line.split_once('\t')?;
        let number = number.trim_start();
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| rest.to_owned())
    };
    let ended = if old.ends_with('\n') { "\n" } else { "" };
    let lines: Option<Vec<String>> = old.lines().map(bare).collect();
    lines.filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n") + ended)
}

/// Where the lines are the same but for their white space.
fn spaced(lines: &[&[u8]], old: &str) -> Option<String> {
    let wanted: Vec<Vec<u8>> = old.trim().lines().map(|line| squeezed(line.as_bytes())).collect();
    let there: Vec<Vec<u8>> = lines.iter().map(|line| squeezed(line)).collect();
    let count = wanted.len();
    let start = match wanted.as_slice() {
        [] => return None,
        [one] if one.is_empty() => return None,
        [one] => there.iter().position(|line| memmem::find(line, one).is_some())?,
        many => there.windows(count).position(|window| window == many)?,
    };
    let end = start.saturating_add(count);
    let quoted = lines.get(start..end)?.iter().take(QUOTED_MAX);
    let quoted: String = quoted.map(|line| format!("{}\n", shortened(ended(line)))).collect();
    let (first, last) = (start.saturating_add(1), end);
    Some(format!(
        "only white space differs from lines {first} to {last}, which are exactly:\n{quoted}"
    ))
}

/// Without any white space.
fn squeezed(line: &[u8]) -> Vec<u8> {
    let start = line.get(..LINE_MAX).unwrap_or(line);
    start.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
}

/// The line that has most in common with the first one that was asked for.
fn nearest(lines: &[&[u8]], first: &str) -> Option<String> {
    let first = first.trim().as_bytes();
    let scored = lines.iter().enumerate().map(|(at, line)| (likeness(line, first), at, line));
    // Of equals the first.
    let best = scored.max_by_key(|(score, at, _)| (*score, std::cmp::Reverse(*at)));
    let (score, at, line) = best.filter(|(score, ..)| *score >= NEAR)?;
    let number = at.saturating_add(1);
    let line = shortened(ended(line));
    if score == 100 {
        return Some(format!(
            "its first line is line {number}, but what follows differs; read the file again from there"
        ));
    }
    Some(format!("the nearest is line {number}, which is exactly:\n{line}"))
}

/// How much of both lines is the same at their start and end, in percent.
fn likeness(line: &[u8], other: &[u8]) -> usize {
    let line = line.trim_ascii();
    let line = line.get(..LINE_MAX).unwrap_or(line);
    let other = other.get(..LINE_MAX).unwrap_or(other);
    let start = line.iter().zip(other).take_while(|(a, b)| a == b).count();
    let rest = line.iter().skip(start).rev().zip(other.iter().skip(start).rev());
    let end = rest.take_while(|(a, b)| a == b).count();
    let both = line.len().saturating_add(other.len());
    start.saturating_add(end).saturating_mul(200).checked_div(both).unwrap_or(0)
}

fn ended(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
