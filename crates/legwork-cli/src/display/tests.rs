//! How text, calls and costs look; what a display does with events.

use std::sync::Arc;
use std::time::Duration;

use legwork::core::budget::Amounts;
use legwork::core::event::Responded;
use legwork::core::tool::Metadata;
use legwork::core::{
    AgentState, Event, FinishReason, Message, Micros, Response, Seq, SessionId, Timestamp,
    ToolCall, ToolOutcome,
};
use legwork::port::event::{Committed, ExecutionEnd};
use legwork::port::{EventKind, RunEvent};

use super::marks::{Marks, Signs};
use super::summary::{spent, spent_within};
use super::text::{age, clip, columns, count, grouped, money, one_line, time, visible, wrapped};
use super::tool::Finished;
use super::{At, Displayer as _, Human, Json, Terminal, Usage, diff, failure};
use crate::error::Error;

pub(super) fn piped() -> Terminal {
    Terminal {
        out: false,
        out_colour: false,
        err: false,
        asks: false,
        lively: false,
        colour: false,
        columns: 160,
        marks: Marks::of(Signs::Unicode),
    }
}

fn retried(wait: Duration, discarded: bool) -> EventKind {
    let left = Duration::from_secs(570).into();
    EventKind::InferenceRetried {
        attempt: 1,
        wait: wait.into(),
        left,
        error: "refused\x1b".to_owned(),
        discarded,
    }
}

fn retry() -> EventKind {
    retried(Duration::from_secs(2), false)
}

fn text(text: &str) -> EventKind {
    EventKind::TextDelta { text: text.to_owned() }
}

fn asked() -> EventKind {
    let (id, at) = (Seq(1), Timestamp(0));
    EventKind::InferenceStarted { id, at, model: "m".to_owned(), request: None }
}

fn lively() -> Terminal {
    Terminal { out: true, err: true, lively: true, columns: 20, ..piped() }
}

#[test]
fn what_could_command_a_terminal_is_escaped() {
    assert_eq!(visible("plain\ttext\n"), "plain\ttext\n");
    assert_eq!(visible("a\x1b]0;title\x07b"), "a\\u{1b}]0;title\\u{7}b");
    assert_eq!(visible("\u{9b}31m and \u{202e}back"), "\\u{9b}31m and \\u{202e}back");
    assert_eq!(visible("over\r\nwritten\r"), "over\nwritten");
    assert_eq!(one_line("  two \n\t lines\x08 "), "two lines\\u{8}");
}

#[test]
fn lines_are_cut_by_columns_not_by_characters() {
    assert_eq!(clip("short", 5), "short");
    assert_eq!(clip("longer", 5), "long…");
    assert_eq!(clip("日本語です", 7), "日本語…");
    assert_eq!(columns(&clip("日本語です", 6)), 5);
    assert_eq!(clip("x", 0), "…");
}

#[test]
fn words_are_wrapped_by_columns_and_long_ones_stay_whole() {
    assert_eq!(wrapped("one two three", 8, 2), "one two\n  three");
    assert_eq!(wrapped("日本 語で す", 7, 0), "日本\n語で す");
    assert_eq!(
        wrapped("in /a/path-that/is-long it is", 6, 2),
        "in\n  /a/path-that/is-long\n  it\n  is"
    );
    assert_eq!(wrapped("a --on-doubt b", 10, 0), "a\n--on-doubt\nb");
    assert_eq!(wrapped("a\tb c", 6, 0), "a    b\nc");
    assert_eq!(
        wrapped("two  spaces\n\n  - item more", 8, 4),
        "two\n    spaces\n\n  - item\n    more"
    );
    assert_eq!(wrapped("whole in a log", usize::MAX, 2), "whole in a log");
}

#[test]
fn numbers_and_times_read_well() {
    assert_eq!([count(1, "step"), count(2, "step")], ["1 step", "2 steps"]);
    assert_eq!([grouped(999), grouped(1_234_567)], ["999", "1,234,567"]);
    let times = [12, 1_260, 75_000, 7_380_000].map(|ms| time(Duration::from_millis(ms)));
    assert_eq!(times, ["12 ms", "1.3 s", "1 min 15 s", "2 h 3 min"]);
    let ages = [9, 59, 60, 7_200, 200_000].map(|s| age(Timestamp(0), Timestamp(s * 1000)));
    assert_eq!(ages, ["just now", "59 s ago", "1 min ago", "2 h ago", "2 d ago"]);
}

fn line(name: &str, arguments: &str, outcome: &ToolOutcome, most: usize) -> String {
    let took = Some(Duration::from_millis(1_200));
    let call = ToolCall::new("1", name, arguments);
    let finished = Finished { call: &call, outcome, metadata: &Metadata::default(), took };
    finished.line(Terminal { columns: most, ..piped() })
}

#[test]
fn a_call_is_one_line() {
    let outcome = ToolOutcome::text("running 3 tests\n\nok. 3 passed\n");
    let command = r#"{"command": "cargo test\n  --all", "timeout": 9}"#;
    let whole = line("bash", command, &outcome, 160);
    assert_eq!(whole, "✓ bash cargo test --all (1.2 s) → 3 lines: ok. 3 passed");
    let short = line("bash", command, &outcome, 40);
    assert_eq!(short, "✓ bash cargo t… (1.2 s) → 3 lines: ok.…");
    // A longer time would still fit.
    assert_eq!(columns(&short), 39);
    let failed = line("add", r#"{"a": 1, "b": 2}"#, &ToolOutcome::failed("too large"), 160);
    assert_eq!(failed, r#"✗ add {"a":1,"b":2} (1.2 s) → too large"#);
    assert_eq!(line("now", "", &ToolOutcome::text(""), 160), "✓ now (1.2 s) → ");
    assert_eq!(
        line("now", "no json", &ToolOutcome::Interrupted, 30),
        "✗ now no … (1.2 s) → Interru…"
    );
}

/// What people see of events, on standard output and on standard error.
fn seen(terminal: Terminal, events: &[EventKind]) -> (String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut human = Human::new(&mut out, &mut err, terminal);
    for kind in events {
        human.show(At::default(), &RunEvent::new(kind.clone())).unwrap();
    }
    (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn text_is_escaped_for_a_terminal_and_left_alone_in_a_pipe() {
    let events = [text("a\x1b[2J"), text("b"), EventKind::Warning { message: "c\x1b".to_owned() }];
    assert_eq!(seen(lively(), &events).0, "a\\u{1b}[2Jb\n");
    let (out, err) = seen(piped(), &events);
    assert_eq!((&*out, &*err), ("a\x1b[2Jb\n", "warning: c\\u{1b}\n"));
}

#[test]
fn what_is_going_on_is_taken_back() {
    let call = ToolCall::new("1", "bash", r#"{"command": "sleep 9 && echo done"}"#);
    let outcome = ToolOutcome::text("done\n");
    let started = EventKind::ToolStarted { index: 0, call: call.clone() };
    let (took, metadata) = (Micros::ZERO, Metadata::default());
    let finished = EventKind::ToolFinished { index: 0, call, outcome, took, metadata };
    let (_, err) = seen(lively(), &[started.clone(), finished.clone()]);
    let (clear, begun) = ("\r\x1b[2K", " ".repeat(19) + "\r");
    assert_eq!(err, format!("{begun}{clear}⠋ bash sleep 9 && …{clear}✓ ba… → do…\n"));
    let (_, err) = seen(piped(), &[started, finished]);
    assert_eq!(err, "✓ bash sleep 9 && echo done → done\n");
}

#[test]
fn a_line_of_json_is_the_event() {
    let mut out = Vec::new();
    let call = ToolCall::new("1", "add", "{\"a\":\n1}");
    let kind = EventKind::ToolStarted { index: 2, call };
    let event = RunEvent { session: Some("s".into()), step: Some(4), ..RunEvent::new(kind) };
    Json::new(&mut out).show(At::default(), &event).unwrap();
    let line = String::from_utf8(out).unwrap();
    assert_eq!(line.matches('\n').count(), 1, "{line}");
    assert_eq!(serde_json::from_str::<RunEvent>(&line).unwrap(), event);
}

#[test]
fn what_was_spent_ends_a_run_with_its_cost_where_it_is_known() {
    let usage = |cost_usd| Usage {
        steps: 3,
        tool_calls: 2,
        input: 1_030,
        output: 15,
        cost_usd,
        active_time_ms: 4_200,
        estimated: false,
        unpriced: false,
    };
    let marks = Marks::of(Signs::Unicode);
    let line = "3 steps · 2 tool calls · 1,030 tokens in, 15 out · 4.2 s";
    assert_eq!(spent(&usage(None), marks), line);
    assert_eq!(spent(&usage(Some(0.0012)), marks), format!("{line} · $0.0012"));
    assert_eq!(
        [money(2.345), money(0.5), money(0.000_013)],
        ["$2.35", "$0.5000", "less than $0.0001"]
    );
    let estimated = Usage { estimated: true, ..usage(None) };
    assert_eq!(spent(&estimated, marks), line.replace("1,030", "about 1,030"));
    let unpriced = Usage { unpriced: true, ..usage(Some(0.0012)) };
    assert_eq!(spent(&unpriced, marks), format!("{line} · at least $0.0012"));
    let narrow = spent_within("", &usage(None), marks, 30);
    assert_eq!(narrow, "3 steps · 2 tool calls ·\n  1,030 tokens in, 15 out ·\n  4.2 s");
}

#[test]
fn signs_are_those_of_the_locale() {
    let table = [
        ((None, None), Signs::Unicode),
        ((Some("de_DE.UTF-8"), Some("xterm")), Signs::Unicode),
        ((Some("C.utf8"), Some("linux")), Signs::Console),
        ((Some("C"), Some("xterm")), Signs::Ascii),
        ((Some("en_US.ISO-8859-1"), None), Signs::Ascii),
    ];
    for ((locale, term), signs) in table {
        assert_eq!(Signs::of(locale, term), signs, "{locale:?} {term:?}");
    }
}

#[test]
fn a_wait_before_another_attempt_is_told() {
    let (_, err) = seen(piped(), &[retry()]);
    let told = "waiting 2.0 s before attempt 2: refused\\u{1b} (retries end in 9 min 30 s)";
    assert_eq!(err, format!("{told}\n"));
    let wide = Terminal { columns: 80, ..lively() };
    let (_, err) = seen(wide, &[asked(), retry()]);
    assert!(err.ends_with(&format!("⠋ {told}")), "{err:?}");
}

#[test]
fn s11_3_text_of_an_answer_that_broke_off_is_marked_as_void_on_a_terminal() {
    let broken = retried(Duration::from_secs(2), true);
    let events = [text("Hel"), broken, text("Hello.\n")];
    let terminal = Terminal { out: true, columns: 90, ..piped() };
    let (out, err) = seen(terminal, &events);
    assert!(out.starts_with("Hel\n") && err.starts_with("the answer broke off"), "{out:?} {err:?}");
    // Nothing was shown: there is nothing to mark.
    let (_, err) = seen(terminal, &[retry()]);
    assert!(!err.contains("void"), "{err:?}");
}

#[test]
fn s11_3_a_reader_that_is_no_terminal_never_gets_text_that_is_void() {
    let broken = retried(Duration::from_secs(2), true);
    let response = Response::new(Message::assistant(Vec::new()), FinishReason::Stop);
    let responded = Responded { response: Arc::new(response), charged: Amounts::default() };
    let state = AgentState::new(SessionId::new("s")).with(Event::Responded(responded));
    let committed = EventKind::Committed(Committed {
        entries: state.uncommitted().to_vec(),
        charged: vec![Amounts::default()],
        ledger: state.ledger().clone(),
    });
    let begun = [text("Hel"), broken, text("Hello.\n")];
    let (out, err) = seen(piped(), &begun);
    assert_eq!((out.as_str(), err.contains("void")), ("", false), "it may be void yet");
    let (out, _) = seen(piped(), &[&begun[..], &[committed]].concat());
    assert_eq!(out, "Hello.\n");
}

#[test]
fn a_wait_that_is_over_changes_nothing_after_the_end() {
    let state = AgentState::new(SessionId::new("s"));
    let error = Error::usage("wrong", "do it right");
    let failed = failure(&error).kind;
    for last in [ExecutionEnd::of(&state).into(), failed] {
        let mut err = Vec::new();
        let mut human = Human::new(Vec::new(), &mut err, Terminal { columns: 80, ..lively() });
        for kind in [asked(), retried(Duration::ZERO, false), last] {
            human.show(At::default(), &RunEvent::new(kind)).unwrap();
        }
        human.tick();
        let err = String::from_utf8(err).unwrap();
        assert!(err.ends_with('\n') && !err.contains("again"), "{err:?}");
    }
}

#[test]
fn a_long_diff_is_cut_and_escaped() {
    let call = ToolCall::new("1", "edit", r#"{"path": "a"}"#);
    let lines: String = (0..30).map(|n| format!("+{n}\x1b[2J\n")).collect();
    let outcome = ToolOutcome::text(format!(
        "edited a: 1 place replaced\n--- a\n+++ a\n@@ -0,0 +1,30 @@\n{lines}"
    ));
    let shown = |extent| diff::lines(&call, &outcome, extent, piped());
    let short = shown(diff::Extent::Beginning);
    assert_eq!((short.len(), short[1].as_str()), (11, "  +0\\u{1b}[2J"));
    assert_eq!(short[10], "  … 21 more lines");
    assert_eq!(shown(diff::Extent::All).len(), 31);
    let failed = ToolOutcome::failed("edited a: no\n@@ x");
    assert!(diff::lines(&call, &failed, diff::Extent::All, piped()).is_empty());
}
