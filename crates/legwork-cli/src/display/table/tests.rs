//! Whatever the width, all text of a row is there.

use super::table;
use crate::display::text::columns;

fn rows() -> Vec<Vec<String>> {
    let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
    vec![
        row(["a1", "completed", "Find out why the tests fail and tell me about it"]),
        row(["a1b2", "waits", "Fix it"]),
        row(["c", "", ""]),
    ]
}

#[test]
fn a_row_goes_on_below_its_last_cell() {
    let text = "\
a1    completed  Find out why the tests
                 fail and tell me about
                 it
a1b2  waits      Fix it
c
";
    assert_eq!(table(&rows(), 41), text);
}

#[test]
fn a_narrow_terminal_gets_a_row_in_lines() {
    let text = "\
a1  completed
  Find out why
  the tests fail
  and tell me
  about it
a1b2  waits
  Fix it
c
";
    assert_eq!(table(&rows(), 16), text);
}

#[test]
fn no_width_loses_a_word() {
    for most in 1..100 {
        let text = table(&rows(), most);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&text), words(&rows().concat().join(" ")), "{most}");
        let fits = |line: &str| columns(line) <= most || line.trim().split(' ').count() == 1;
        assert!(most < 20 || text.lines().all(fits), "{most}: {text}");
    }
}
