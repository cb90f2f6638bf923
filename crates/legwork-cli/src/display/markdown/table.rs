//! A table: columns aligned, and clipped where they are wider than the terminal.

use super::inline::{Span, Style, Styles, Word, words};
use super::wrap::Wrap;
use crate::display::text::{clip_with, columns, visible};

/// Columns between two cells.
const GAP: usize = 2;
/// The fewest columns of a cell that is clipped.
const LEAST: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Right,
    Centre,
}

/// How the signs of a table look.
pub(super) struct Signs<'a> {
    pub(super) rule: &'a str,
    pub(super) more: &'a str,
}

/// Writes rows as a table; false if they are none, or it has no place.
pub(super) fn write(rows: &[String], signs: &Signs<'_>, wrap: &mut Wrap, out: &mut String) -> bool {
    let [head, rule, body @ ..] = rows else { return false };
    let Some(aligns) = aligns(rule) else { return false };
    let strong = Style { strong: true, ..Style::default() };
    let mut table = vec![cells(head, aligns.len(), strong, wrap.styles)];
    table.extend(body.iter().map(|row| cells(row, aligns.len(), Style::default(), wrap.styles)));
    let Some(widths) = widths(&table, aligns.len(), wrap.width) else { return false };
    for (at, row) in table.iter().enumerate() {
        line(row, &widths, &aligns, signs, wrap, out);
        if at == 0 {
            let rules: Vec<_> = widths.iter().map(|width| signs.rule.repeat(*width)).collect();
            wrap.raw(&rules.join(&" ".repeat(GAP)), out);
            wrap.end(out);
        }
    }
    true
}

/// The cells of a row, without what is around them.
fn split(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = vec![String::new()];
    let (mut escaped, mut code) = (false, false);
    for c in row.chars() {
        match c {
            '|' if !escaped && !code => cells.push(String::new()),
            c => {
                code ^= c == '`' && !escaped;
                if let Some(cell) = cells.last_mut() {
                    // The sign before a bar has done its work.
                    if escaped && c == '|' {
                        cell.pop();
                    }
                    cell.push(c);
                }
            }
        }
        escaped = c == '\\' && !escaped;
    }
    if cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells
}

/// How columns are aligned, if this is the line that says so.
fn aligns(rule: &str) -> Option<Vec<Align>> {
    let cells = split(rule);
    let align = |cell: &String| {
        let cell = cell.trim();
        let dashes = cell.strip_prefix(':').unwrap_or(cell);
        let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
        let is_rule = !dashes.is_empty() && dashes.chars().all(|c| c == '-');
        is_rule.then_some(match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) => Align::Centre,
            (false, true) => Align::Right,
            _ => Align::Left,
        })
    };
    let aligns: Option<Vec<_>> = cells.iter().map(align).collect();
    aligns.filter(|aligns| !aligns.is_empty())
}

fn cells(row: &str, count: usize, base: Style, styles: Styles) -> Vec<Word> {
    let mut cells: Vec<Word> = split(row)
        .iter()
        .take(count)
        .map(|cell| {
            let mut whole = Word::new();
            for (at, word) in words(cell.trim(), base, styles).into_iter().enumerate() {
                if at > 0 {
                    whole.push(Span { style: base, text: " ".to_owned() });
                }
                whole.extend(word);
            }
            whole
        })
        .collect();
    cells.resize(count, Word::new());
    cells
}

fn width_of(cell: &Word) -> usize {
    cell.iter().map(|span| columns(&visible(&span.text))).sum()
}

/// How wide columns are; the widest give way. None if even the least is too much.
fn widths(table: &[Vec<Word>], count: usize, most: usize) -> Option<Vec<usize>> {
    let room = most.checked_sub(count.saturating_sub(1).saturating_mul(GAP))?;
    let wide = |column| table.iter().filter_map(|row| row.get(column)).map(width_of).max();
    let mut widths: Vec<_> =
        (0..count).map(|column| wide(column).unwrap_or(0).clamp(1, most.max(1))).collect();
    while widths.iter().sum::<usize>() > room {
        let widest = widths.iter_mut().max().filter(|width| **width > LEAST)?;
        *widest = widest.saturating_sub(1);
    }
    Some(widths)
}

fn line(
    row: &[Word],
    widths: &[usize],
    aligns: &[Align],
    signs: &Signs<'_>,
    wrap: &mut Wrap,
    out: &mut String,
) {
    let mut filled = Word::new();
    for (at, ((cell, width), align)) in row.iter().zip(widths).zip(aligns).enumerate() {
        let free = width.saturating_sub(width_of(cell));
        let before = match align {
            Align::Left => 0,
            Align::Right => free,
            Align::Centre => free / 2,
        };
        let gap = if at > 0 { GAP } else { 0 };
        filled.push(blank(gap.saturating_add(before)));
        clipped(cell, *width, signs.more, &mut filled);
        let is_last = at.saturating_add(1) == row.len();
        filled.push(blank(if is_last { 0 } else { free.saturating_sub(before) }));
    }
    wrap.word(&filled, out);
    wrap.end(out);
}

fn blank(columns: usize) -> Span {
    Span { style: Style::default(), text: " ".repeat(columns) }
}

fn clipped(cell: &Word, width: usize, more: &str, into: &mut Word) {
    let mut left = width;
    let fits = width_of(cell) <= width;
    for span in cell {
        let text = visible(&span.text);
        let used = columns(&text);
        let Span { style, .. } = *span;
        if fits || used < left {
            left = left.saturating_sub(used);
            into.push(Span { style, text: text.into_owned() });
            continue;
        }
        // One column too few is left for what follows: the sign that there is more goes here.
        let text = format!("{text}{more}");
        into.push(Span { style, text: clip_with(&text, left, more).into_owned() });
        let shown = into.last().map_or(0, |span| columns(&span.text));
        into.push(blank(left.saturating_sub(shown)));
        return;
    }
}
