//! What is kept until it can be shown.

use std::io::Write as _;

use super::{Pane, Phase, plain};
use crate::display::Terminal;

fn pane() -> Pane {
    Pane::new(Terminal { columns: 20, lively: false, colour: false, ..Terminal::detect() })
}

#[test]
fn whole_lines_wait_until_a_line_is_read() {
    let mut pane = pane();
    write!(pane, "one\ntw").unwrap();
    assert_eq!(pane.lock().lines, ["one\n"]);
    writeln!(pane, "o").unwrap();
    pane.reads("");
    assert_eq!(pane.next().unwrap(), "one\ntwo\n");
    assert_eq!(pane.lock().phase, Phase::Reads);
}

#[test]
fn what_goes_on_is_drawn_behind_the_prompt_until_a_line_begins() {
    let mut pane = pane();
    pane.reads("");
    pane.doing("asking the model, which takes long");
    assert_eq!(pane.next().unwrap(), super::DRAW_AGAIN);
    assert_eq!(pane.hint(), "asking the mode…");
    write!(pane, "\x1b[1mThe\x1b[0m answer").unwrap();
    assert_eq!(pane.hint(), "The answer");
    pane.doing("");
    writeln!(pane).unwrap();
    assert_eq!(pane.hint(), "");
}

#[test]
fn styles_are_taken_off() {
    assert_eq!(plain("\x1b[2mquiet\x1b[0m \x1b[31mbad\tx\x1b[0m"), "quiet bad x");
}
