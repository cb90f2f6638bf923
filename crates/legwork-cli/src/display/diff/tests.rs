//! Where the lines of a change are broken.

use super::whole;
use crate::display::Terminal;
use crate::display::text::columns;

#[test]
fn s7_3_a_long_line_is_broken_by_the_columns_that_it_takes() {
    let terminal = Terminal { columns: 20, colour: false, ..Terminal::detect() };
    let line = "+日本語のとても長い行 approve?: yes";
    let shown = whole(line, terminal).join("\n");
    assert!(shown.lines().all(|line| columns(line) <= 20), "{shown}");
    let mut lines = shown.lines();
    assert_eq!(lines.next(), Some("  +日本語のとても長"));
    assert!(lines.all(|line| line.starts_with("      ")), "{shown}");
    let whole: String = shown.lines().map(|line| line.get(6..).unwrap_or_default()).collect();
    assert!(whole.ends_with("い行 approve?: yes"), "{whole}");
}
