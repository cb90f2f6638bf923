//! Words set in lines of a width, each line behind what it is indented by.

use super::inline::{Style, Styles, Word};
use crate::display::text::{columns, visible};

/// Sets words in lines.
#[derive(Debug)]
pub(super) struct Wrap {
    pub(super) width: usize,
    pub(super) styles: Styles,
    /// What comes before the first line of a block, until it is written.
    first: Option<String>,
    /// What comes before its other lines.
    rest: String,
    column: usize,
    /// Whether the next word belongs to the last one.
    glued: bool,
}

impl Wrap {
    pub(super) fn new(width: usize, styles: Styles) -> Self {
        Self { width, styles, first: None, rest: String::new(), column: 0, glued: true }
    }

    /// Whether the line written last has not ended.
    pub(super) fn is_open(&self) -> bool {
        self.column > 0
    }

    /// Begins a block.
    pub(super) fn begin(&mut self, first: String, rest: String) {
        (self.first, self.rest, self.glued) = (Some(first), rest, true);
    }

    /// What comes before the lines of the block but the first.
    pub(super) fn lead_of_block(&self) -> &str {
        &self.rest
    }

    /// The next word goes on with the last one.
    pub(super) fn glue(&mut self) {
        self.glued = true;
    }

    pub(super) fn word(&mut self, word: &Word, out: &mut String) {
        let width: usize = word.iter().map(|span| columns(&visible(&span.text))).sum();
        self.lead(out);
        let space = usize::from(!self.glued);
        let start = columns(&self.rest);
        let fits = self.column.saturating_add(space).saturating_add(width) <= self.width;
        if !fits && self.column > start && !self.glued {
            self.turn(out);
        } else if space > 0 {
            out.push(' ');
            self.column += 1;
        }
        self.glued = false;
        for span in word {
            self.span(&visible(&span.text), span.style, start, out);
        }
    }

    /// Text that is not set: as it is, behind the indentation.
    pub(super) fn raw(&mut self, text: &str, out: &mut String) {
        self.lead(out);
        out.push_str(&visible(text));
        self.column = self.column.saturating_add(text.len()).max(1);
    }

    /// Ends the block's line, if there is one.
    pub(super) fn end(&mut self, out: &mut String) {
        if self.first.is_some() {
            self.lead(out);
            self.column = 1;
        }
        self.end_open(out);
    }

    /// Ends the line that is written, without a word of what is not.
    pub(super) fn end_open(&mut self, out: &mut String) {
        if self.column == 0 {
            return;
        }
        out.truncate(out.trim_end_matches([' ', '\t']).len());
        out.push('\n');
        (self.column, self.glued) = (0, true);
    }

    fn lead(&mut self, out: &mut String) {
        let lead = match self.first.take() {
            Some(first) => first,
            None if self.column == 0 => self.rest.clone(),
            None => return,
        };
        out.push_str(&lead);
        self.column = columns(&lead);
    }

    fn turn(&mut self, out: &mut String) {
        out.push('\n');
        out.push_str(&self.rest);
        self.column = columns(&self.rest);
    }

    fn span(&mut self, text: &str, style: Style, start: usize, out: &mut String) {
        if text.is_empty() {
            return;
        }
        let codes = self.codes(style);
        if !codes.is_empty() {
            out.push_str("\x1b[");
            out.push_str(&codes);
            out.push('m');
        }
        // Words without spaces between them, as in Chinese, may be broken anywhere; paths
        // and addresses are left to the terminal, so that they can be copied.
        let width = columns(text);
        let broken = self.column.saturating_add(width) > self.width && !text.is_ascii();
        if broken {
            for c in text.chars() {
                let mut bytes = [0; 4];
                let c: &str = c.encode_utf8(&mut bytes);
                if self.column.saturating_add(columns(c)) > self.width && self.column > start {
                    self.turn(out);
                }
                out.push_str(c);
                self.column += columns(c);
            }
        } else {
            out.push_str(text);
            self.column = self.column.saturating_add(width);
            if self.column > self.width {
                self.column %= self.width.max(1);
            }
        }
        self.column = self.column.max(1);
        if !codes.is_empty() {
            out.push_str("\x1b[0m");
        }
    }

    fn codes(&self, style: Style) -> String {
        if self.styles == Styles::None {
            return String::new();
        }
        let codes = [
            (style.strong, "1"),
            (style.quiet, "2"),
            (style.emphasis, "3"),
            (style.struck, "9"),
            (style.code, "36"),
        ];
        let on: Vec<_> = codes.iter().filter(|(on, _)| *on).map(|(_, code)| *code).collect();
        on.join(";")
    }
}
