//! A table: columns aligned, cells over several lines where they are wider than the terminal, and
//! rows as items of a list where it is too narrow even for that.

use super::inline::{Span, Style, Styles, Word, words};
use super::wrap::Wrap;
use crate::display::text::{columns, visible};

/// Columns between two cells.
const GAP: usize = 2;
/// The widest word that a column is kept wide enough for.
const WORD: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Right,
    Centre,
}

/// How the signs of a table look.
pub(super) struct Signs<'a> {
    pub(super) rule: &'a str,
    pub(super) bullet: &'a str,
}

/// The words of a cell.
type Cell = Vec<Word>;

/// A row, with the style of the spaces between its words.
struct Row {
    cells: Vec<Cell>,
    base: Style,
}

/// Writes rows as a table; false if they are none.
pub(super) fn write(rows: &[String], signs: &Signs<'_>, wrap: &mut Wrap, out: &mut String) -> bool {
    let [head, rule, body @ ..] = rows else { return false };
    let Some(aligns) = aligns(rule) else { return false };
    let strong = Style { strong: true, ..Style::default() };
    let row =
        |text: &String, base| Row { cells: cells(text, aligns.len(), base, wrap.styles), base };
    let mut table = vec![row(head, strong)];
    table.extend(body.iter().map(|text| row(text, Style::default())));
    let Some(widths) = widths(&table, aligns.len(), wrap.width) else {
        return list(&table, signs, wrap, out);
    };
    for (at, row) in table.iter().enumerate() {
        lines(row, &widths, &aligns, wrap, out);
        if at == 0 {
            let rules: Vec<_> = widths.iter().map(|width| signs.rule.repeat(*width)).collect();
            wrap.raw(&rules.join(&" ".repeat(GAP)), out);
            wrap.end(out);
        }
    }
    true
}

/// Writes each row as an item with a line for each cell, behind the head of its column; false if
/// there are none.
fn list(table: &[Row], signs: &Signs<'_>, wrap: &mut Wrap, out: &mut String) -> bool {
    let [head, body @ ..] = table else { return false };
    let lead = wrap.lead_of_block().to_owned();
    let behind = format!("{lead}{}", " ".repeat(columns(signs.bullet).saturating_add(1)));
    for row in body {
        let mut first = format!("{lead}{} ", signs.bullet);
        for (name, cell) in head.cells.iter().zip(&row.cells).filter(|(_, cell)| !cell.is_empty()) {
            wrap.begin(std::mem::replace(&mut first, behind.clone()), format!("{behind}  "));
            name.iter().for_each(|word| wrap.word(word, out));
            if !name.is_empty() {
                wrap.glue();
                wrap.word(&vec![Span { style: head.base, text: ":".to_owned() }], out);
            }
            cell.iter().for_each(|word| wrap.word(word, out));
            wrap.end(out);
        }
    }
    !body.is_empty()
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

fn cells(row: &str, count: usize, base: Style, styles: Styles) -> Vec<Cell> {
    let cells = split(row);
    let cells = cells.iter().take(count).map(|cell| words(cell.trim(), base, styles));
    let mut cells: Vec<_> = cells.collect();
    cells.resize(count, Cell::new());
    cells
}

fn width_of(word: &Word) -> usize {
    word.iter().map(|span| columns(&visible(&span.text))).sum()
}

/// How wide columns are; the widest give way. None if words would be broken all the same.
fn widths(table: &[Row], count: usize, most: usize) -> Option<Vec<usize>> {
    let room = most.checked_sub(count.saturating_sub(1).saturating_mul(GAP))?;
    let of = |column: usize, width: fn(&Cell) -> usize| {
        table.iter().filter_map(|row| row.cells.get(column)).map(width).max().unwrap_or(0)
    };
    let whole = |cell: &Cell| {
        let words: usize = cell.iter().map(width_of).sum();
        words.saturating_add(cell.len().saturating_sub(1))
    };
    let word = |cell: &Cell| cell.iter().map(width_of).max().unwrap_or(0);
    let mut widths: Vec<_> =
        (0..count).map(|column| of(column, whole).clamp(1, most.max(1))).collect();
    let least: Vec<_> = (0..count).map(|column| of(column, word).clamp(1, WORD)).collect();
    while widths.iter().sum::<usize>() > room {
        let wider = widths.iter_mut().zip(&least).filter(|(width, least)| **width > **least);
        let (widest, _) = wider.max_by_key(|(width, _)| **width)?;
        *widest = widest.saturating_sub(1);
    }
    Some(widths)
}

/// Writes a row, in as many lines as its highest cell takes.
fn lines(row: &Row, widths: &[usize], aligns: &[Align], wrap: &mut Wrap, out: &mut String) {
    let cells = row.cells.iter().zip(widths);
    let cells: Vec<_> = cells.map(|(cell, width)| broken(cell, row.base, *width)).collect();
    let high = cells.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..high {
        let mut filled = Word::new();
        for (at, ((cell, width), align)) in cells.iter().zip(widths).zip(aligns).enumerate() {
            let text = cell.get(line).cloned().unwrap_or_default();
            let free = width.saturating_sub(width_of(&text));
            let before = match align {
                Align::Left => 0,
                Align::Right => free,
                Align::Centre => free / 2,
            };
            let gap = if at > 0 { GAP } else { 0 };
            filled.push(blank(gap.saturating_add(before)));
            filled.extend(text);
            let is_last = at.saturating_add(1) == cells.len();
            filled.push(blank(if is_last { 0 } else { free.saturating_sub(before) }));
        }
        wrap.word(&filled, out);
        wrap.end(out);
    }
}

fn blank(columns: usize) -> Span {
    Span { style: Style::default(), text: " ".repeat(columns) }
}

/// The lines of a cell: broken at spaces, and within words that are longer than a line.
fn broken(cell: &Cell, base: Style, width: usize) -> Vec<Word> {
    let (mut lines, mut line, mut used) = (Vec::new(), Word::new(), 0_usize);
    for word in cell {
        let wide = width_of(word);
        if used > 0 && used.saturating_add(1).saturating_add(wide) > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        } else if used > 0 {
            line.push(Span { style: base, text: " ".to_owned() });
            used = used.saturating_add(1);
        }
        for Span { style, text } in word {
            let mut part = String::new();
            for c in visible(text).chars() {
                let wide = columns(c.encode_utf8(&mut [0; 4]));
                if used.saturating_add(wide) > width && used > 0 {
                    line.push(Span { style: *style, text: std::mem::take(&mut part) });
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                part.push(c);
                used = used.saturating_add(wide);
            }
            line.push(Span { style: *style, text: part });
        }
    }
    lines.push(line);
    lines
}
