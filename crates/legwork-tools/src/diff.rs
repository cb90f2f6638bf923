//! What a change did, as a unified diff of bounded size.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};

/// Most lines of a diff that are shown, and most bytes of each.
const LINES_MAX: usize = 200;
const LINE_MAX: usize = 400;
/// Lines shown around a change.
const CONTEXT: usize = 3;
/// Most lines that are compared.
const COMPARED_MAX: usize = 200_000;
/// After so long the rest is shown as replaced.
const PATIENCE: Duration = Duration::from_millis(300);

/// The unified diff of two texts; what is not UTF-8 is shown as U+FFFD.
///
/// Bounded in lines, in bytes and in time; a note at its end says what is left out.
pub fn unified(path: &str, old: &[u8], new: &[u8]) -> String {
    let (start, end) = around(old, new);
    let before = lines(old.get(..start).unwrap_or_default()).count();
    let within = |text: &[u8]| text.len().saturating_sub(end);
    let old_middle = old.get(start..within(old)).unwrap_or_default();
    let new_middle = new.get(start..within(new)).unwrap_or_default();
    let (old_lines, new_lines): (Vec<_>, Vec<_>) = match counted(old_middle, new_middle) {
        Some(lines) => lines,
        None => return "[the change spans too many lines to be shown]\n".to_owned(),
    };
    let deadline = Instant::now().checked_add(PATIENCE);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old_lines, &new_lines, deadline);
    let mut shown = Rendering { crlf: is_crlf(old) && is_crlf(new), ..Rendering::default() };
    let _ = writeln!(shown.text, "--- {path}\n+++ {path}");
    for group in group_diff_ops(ops, CONTEXT) {
        shown.header(&group, before);
        for op in &group {
            shown.op(op, &old_lines, &new_lines);
        }
    }
    shown.finish()
}

/// Whether there are line endings and all of them are CRLF.
pub(crate) fn is_crlf(text: &[u8]) -> bool {
    let mut ends = memchr::memchr_iter(b'\n', text).peekable();
    let after_cr = |at: usize| at.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'\r');
    ends.peek().is_some() && ends.all(after_cr)
}

/// How many lines a text has; the last need not end.
pub(crate) fn count_lines(text: &[u8]) -> usize {
    let ended = memchr::memchr_iter(b'\n', text).count();
    ended.saturating_add(usize::from(text.last().is_some_and(|last| *last != b'\n')))
}

/// Lines with their endings.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

type Lines<'a> = Vec<&'a [u8]>;

fn counted<'a>(old: &'a [u8], new: &'a [u8]) -> Option<(Lines<'a>, Lines<'a>)> {
    let all = count_lines(old).saturating_add(count_lines(new));
    (all <= COMPARED_MAX).then(|| (lines(old).collect(), lines(new).collect()))
}

/// How many bytes at the start and at the end are the same and out of sight:
/// whole lines, further away than the context.
pub(super) fn around(old: &[u8], new: &[u8]) -> (usize, usize) {
    let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let kept = old.get(..same).unwrap_or_default();
    let start = memchr::memrchr_iter(b'\n', kept).nth(CONTEXT).map_or(0, |at| at.saturating_add(1));
    let (old, new) = (old.get(same..).unwrap_or_default(), new.get(same..).unwrap_or_default());
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let tail = old.get(old.len().saturating_sub(same)..).unwrap_or_default();
    let end = memchr::memchr_iter(b'\n', tail)
        .nth(CONTEXT)
        .map_or(0, |at| tail.len().saturating_sub(at).saturating_sub(1));
    (start, end)
}

#[derive(Default)]
struct Rendering {
    text: String,
    lines: usize,
    left_out: usize,
    /// Every line ends with CRLF, so that it need not be shown.
    crlf: bool,
}

impl Rendering {
    fn header(&mut self, group: &[DiffOp], before: usize) {
        if self.lines >= LINES_MAX {
            return;
        }
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
        let range = |start: usize, end: usize| {
            let length = end.saturating_sub(start);
            // An empty range names the line before it.
            let number = start.saturating_add(before).saturating_add(usize::from(length > 0));
            format!("{number},{length}")
        };
        let old = range(first.old_range().start, last.old_range().end);
        let new = range(first.new_range().start, last.new_range().end);
        let _ = writeln!(self.text, "@@ -{old} +{new} @@");
    }

    fn op(&mut self, op: &DiffOp, old: &[&[u8]], new: &[&[u8]]) {
        let old = old.get(op.old_range()).unwrap_or_default();
        let new = new.get(op.new_range()).unwrap_or_default();
        if matches!(op, DiffOp::Equal { .. }) {
            return old.iter().for_each(|line| self.line(' ', line));
        }
        old.iter().for_each(|line| self.line('-', line));
        new.iter().for_each(|line| self.line('+', line));
    }

    fn line(&mut self, sign: char, line: &[u8]) {
        if self.lines >= LINES_MAX {
            self.left_out = self.left_out.saturating_add(1);
            return;
        }
        self.lines = self.lines.saturating_add(1);
        let ended = line.strip_suffix(b"\n");
        let text = ended.unwrap_or(line);
        let (text, cr) = match text.strip_suffix(b"\r") {
            Some(text) if ended.is_some() => (text, if self.crlf { "" } else { "\\r" }),
            _ => (text, ""),
        };
        let _ = write!(self.text, "{sign}{}{cr}", shortened(text));
        self.text.push_str(if ended.is_some() { "\n" } else { "\n\\ No newline at end of file\n" });
    }

    fn finish(mut self) -> String {
        if self.left_out > 0 {
            let _ = writeln!(self.text, "[{} more lines of the diff are not shown]", self.left_out);
        }
        self.text
    }
}

/// A line as it is shown, cut where it is too long.
pub(super) fn shortened(line: &[u8]) -> Cow<'_, str> {
    if line.len() <= LINE_MAX {
        return String::from_utf8_lossy(line);
    }
    let cut = (LINE_MAX.saturating_sub(3)..=LINE_MAX)
        .rev()
        .find(|&at| line.get(at).is_none_or(|byte| byte & 0xc0 != 0x80))
        .unwrap_or(LINE_MAX);
    let start = String::from_utf8_lossy(line.get(..cut).unwrap_or(line));
    Cow::Owned(format!("{start} [line cut: it has {} bytes]", line.len()))
}
