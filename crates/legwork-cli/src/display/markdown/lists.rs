//! The open lists, and how far their text is indented.

/// The deepest nesting that is indented.
const DEEPEST: usize = 8;

/// The open lists, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Lists(Vec<Level>);

/// An open list.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Columns before its sign, in the source.
    indent: usize,
    /// Columns before its text, as shown.
    shown: usize,
}

impl Lists {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Opens an item; returns the columns before its sign and before its text, as shown.
    pub(super) fn open_item(&mut self, indent: usize, sign: usize, width: usize) -> (usize, usize) {
        self.close(indent);
        let before = self.0.last().map_or(0, |level| level.shown);
        let deep = self.0.len() >= DEEPEST || before > width / 2;
        let before = if deep { before.saturating_sub(sign.saturating_add(1)) } else { before };
        let shown = before.saturating_add(sign).saturating_add(1);
        if self.0.len() < DEEPEST {
            self.0.push(Level { indent, shown });
        }
        (before, shown)
    }

    /// Closes the lists that a line with this indentation is not part of.
    fn close(&mut self, indent: usize) {
        self.0.retain(|level| indent >= level.indent.saturating_add(2));
    }

    /// The columns before a line that is not an item, as shown.
    pub(super) fn hanging(&mut self, indent: usize) -> usize {
        if self.0.last().is_none_or(|level| indent <= level.indent) {
            self.close(indent);
        }
        self.0.last().map_or(0, |level| level.shown)
    }
}
