//! What is kept until it can be shown.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use super::{Pane, Phase, plain};
use crate::display::Terminal;
use crate::display::status::Status;

fn pane() -> Pane {
    Pane::new(terminal())
}

fn terminal() -> Terminal {
    Terminal { columns: 20, lively: true, colour: false, ..Terminal::detect() }
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
fn s15_1_where_nothing_is_taken_back_nothing_is_drawn_behind_the_prompt() {
    let mut pane = Pane::new(Terminal { lively: false, ..terminal() });
    pane.reads("");
    write!(pane, "The answer").unwrap();
    assert_eq!(pane.hint(), "");
    writeln!(pane, " is whole").unwrap();
    assert_eq!(pane.next().unwrap(), "The answer is whole\n");
}

#[test]
fn s15_1_the_time_is_seen_behind_a_long_line() {
    let (pane, terminal) = (pane(), terminal());
    pane.reads("");
    let since = Instant::now().checked_sub(Duration::from_secs(5)).unwrap();
    Status::in_prompt(pane.clone()).show(&mut io::sink(), terminal, &"long ".repeat(9), since);
    assert!(pane.hint().ends_with("5 s"), "{}", pane.hint());
}

#[test]
fn styles_are_taken_off() {
    assert_eq!(plain("\x1b[2mquiet\x1b[0m \x1b[31mbad\tx\x1b[0m"), "quiet bad x");
}
