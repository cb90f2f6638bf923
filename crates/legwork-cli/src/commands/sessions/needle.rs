//! A text that is looked for in lines.

use std::ops::Range;

/// A text that is looked for; without a capital letter in it, case does not count.
#[derive(Debug, Clone)]
pub(super) struct Needle {
    text: String,
    case: Case,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Counts,
    Ignored,
}

impl Needle {
    pub(super) fn new(text: &str) -> Self {
        match text.chars().any(char::is_uppercase) {
            true => Self { text: text.to_owned(), case: Case::Counts },
            false => Self { text: folded(text), case: Case::Ignored },
        }
    }

    /// The first line of a text that has it, and where in the line, in bytes.
    pub(super) fn find<'t>(&self, text: &'t str) -> Option<(&'t str, Range<usize>)> {
        text.lines().find_map(|line| Some((line, self.in_line(line)?)))
    }

    fn in_line(&self, line: &str) -> Option<Range<usize>> {
        if self.case == Case::Counts {
            return line.find(&self.text).map(|at| at..at + self.text.len());
        }
        let found = folded(line).find(&self.text)?;
        // Folding changes lengths: the place is counted out in the line itself.
        let (mut at, mut start) = (0, None);
        for (index, c) in line.char_indices() {
            if at >= found + self.text.len() {
                return Some(start.unwrap_or(index)..index);
            }
            let next = at + c.to_lowercase().map(char::len_utf8).sum::<usize>();
            if start.is_none() && next > found {
                start = Some(index);
            }
            at = next;
        }
        Some(start?..line.len())
    }
}

/// Each character in lower case by itself, whatever stands beside it.
fn folded(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
