//! Tables: those of data, and those that only lay a page out.

use super::elements::Head;
use super::writer::Writer;

/// Columns of a head that are underlined.
const COLUMNS: usize = 60;

/// The table that is written.
///
/// One with a head is a table of data: its rows are lines, its cells stand between bars. Any other
/// may lay out a whole page: its cells are lines.
#[derive(Debug, Default)]
pub(super) struct Table {
    has_head: bool,
    /// Cells of the row that is written.
    cells: usize,
    /// Whether the line below the head was written.
    underlined: bool,
}

impl Table {
    /// Whether text is in a cell of a table of data, so that no line may end.
    pub(super) fn is_in_row(&self) -> bool {
        self.has_head && self.cells > 0
    }

    pub(super) fn row(&mut self, writer: &mut Writer) {
        self.end_row(writer);
        writer.breaks(1);
    }

    pub(super) fn cell(&mut self, head: Head, writer: &mut Writer) {
        self.has_head |= head == Head::Yes;
        if !self.has_head {
            writer.breaks(1);
            return;
        }
        if self.cells == 0 {
            writer.put("|");
        } else {
            writer.space();
            writer.put("|");
        }
        writer.space();
        self.cells = self.cells.saturating_add(1);
    }

    /// Ends the row that is written, if there is one.
    pub(super) fn end_row(&mut self, writer: &mut Writer) {
        let cells = std::mem::take(&mut self.cells);
        if cells == 0 {
            return;
        }
        writer.space();
        writer.put("|");
        if !std::mem::replace(&mut self.underlined, true) {
            writer.breaks(1);
            writer.put(&"| --- ".repeat(cells.min(COLUMNS)));
            writer.close("|");
        }
        writer.breaks(1);
    }
}
