//! Tables that lose no text: what does not fit in a line goes on in the next one.

use super::text::{at_spaces, columns};

/// Spaces between two columns.
const GAP: usize = 2;
/// Columns that the last cell has at least; with fewer a row takes several lines.
const LEAST: usize = 24;
/// How far the further lines of such a row are set in.
const INDENT: usize = 2;

/// Rows as lines of at most so many columns, the last cell of each broken between words.
pub(crate) fn table(rows: &[Vec<String>], most: usize) -> String {
    let wide = widths(rows);
    let fixed: usize = wide.iter().map(|wide| wide + GAP).sum();
    let room = most.saturating_sub(fixed);
    let mut text = String::new();
    for row in rows {
        let Some((last, cells)) = row.split_last() else { continue };
        match room < LEAST {
            true => stacked(&mut text, cells, last, most),
            false => aligned(&mut text, cells.iter().zip(&wide), last, (fixed, room)),
        }
    }
    text
}

/// The widths of all columns but the last.
fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let mut wide: Vec<usize> = Vec::new();
    for row in rows {
        let Some((_, cells)) = row.split_last() else { continue };
        wide.resize(wide.len().max(cells.len()), 0);
        for (wide, cell) in wide.iter_mut().zip(cells) {
            *wide = (*wide).max(columns(cell));
        }
    }
    wide
}

/// A row whose last cell goes on below itself.
fn aligned<'c>(
    text: &mut String,
    cells: impl Iterator<Item = (&'c String, &'c usize)>,
    last: &str,
    (fixed, room): (usize, usize),
) {
    let mut line = String::new();
    for (cell, wide) in cells {
        line.push_str(cell);
        line.push_str(&" ".repeat(wide.saturating_sub(columns(cell)) + GAP));
    }
    for part in textwrap::wrap(last, at_spaces(room)) {
        push(text, &(line + &part));
        line = " ".repeat(fixed);
    }
}

/// A row in several lines: as many cells as fit in each, then the last one.
fn stacked(text: &mut String, cells: &[String], last: &str, most: usize) {
    let mut line = String::new();
    for cell in cells.iter().filter(|cell| !cell.is_empty()) {
        if !line.is_empty() && columns(&line) + GAP + columns(cell) > most {
            push(text, &line);
            line = " ".repeat(INDENT);
        } else if !line.is_empty() {
            line.push_str(&" ".repeat(GAP));
        }
        line.push_str(cell);
    }
    push(text, &line);
    for part in textwrap::wrap(last, at_spaces(most.saturating_sub(INDENT))) {
        push(text, &(" ".repeat(INDENT) + &part));
    }
}

fn push(text: &mut String, line: &str) {
    let line = line.trim_end();
    if !line.is_empty() {
        text.push_str(line);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests;
