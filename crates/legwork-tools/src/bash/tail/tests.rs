//! Which line of what is printed is told.

use legwork_port::core::{AgentState, EffectKey, Seq, SessionId};
use legwork_port::{Cancellation, ToolContext};

use super::{Output, TOLD, Tail};

fn context() -> ToolContext {
    let session = SessionId::from("s");
    let key = EffectKey { session: session.clone(), entry: Seq(1), index: 0 };
    ToolContext::new(AgentState::new(session), key, Cancellation::new())
}

/// What is told of each piece, `-` for nothing.
fn told(pieces: &[&str]) -> Vec<String> {
    let cx = context();
    let mut tail = Tail::new(Output::new(1_000), &cx);
    let told = pieces.iter().map(|piece| tail.last_line(piece.as_bytes()));
    told.map(|line| line.unwrap_or_else(|| "-".to_owned())).collect()
}

#[test]
fn the_last_whole_line_is_told() {
    assert_eq!(told(&["one\ntwo\nthr", "ee\n"]), ["two", "three"]);
    assert_eq!(told(&["a", "b", "c\n"]), ["-", "-", "abc"]);
    assert_eq!(told(&["one\n\n \n"]), ["one"]);
    assert_eq!(told(&["\n", "x\r\n"]), ["-", "x"]);
}

#[test]
fn a_line_without_an_end_takes_no_memory() {
    let long = "x".repeat(10 * TOLD);
    assert_eq!(told(&[&long, &long, "\n"]), ["-".to_owned(), "-".to_owned(), "x".repeat(TOLD)]);
}
