//! Secrets never become part of a state, nor of what is journaled.

use legwork_core::event::{ExecutionStarted, Responded};
use legwork_core::{AgentState, Event, Mask, Message, Response, SessionId};
use serde_json::json;
use std::sync::Arc;

use crate::samples::{HARD, entries};

const KEY: &str = "sk-canary-0123456789";

/// A state with the secret in every text of an event.
#[test]
fn s13_11_a_masked_state_records_no_secret() {
    let mask = Mask::of([KEY]);
    let state = AgentState::new(SessionId::new("s")).masked_by(&mask);
    let input = vec![Arc::new(Message::user(format!("the key is {KEY}")))];
    let state = state.with(Event::ExecutionStarted(ExecutionStarted { input }));
    let mut response = Response::new(Message::assistant(vec![]), KEY.into());
    response.raw.insert(KEY.to_owned(), json!([KEY]));
    let response = Arc::new(response);
    let state = state.with(Event::Responded(Responded { response, charged: Default::default() }));
    let lines: Vec<_> = state.uncommitted().iter().map(|entry| entry.encode().unwrap()).collect();
    for line in lines {
        let line = String::from_utf8(line).unwrap();
        assert!(!line.contains("canary") && line.contains("[redacted]"), "{line}");
    }
    let whole = serde_json::to_string(&state).unwrap();
    assert!(!whole.contains("canary"), "{whole}");
    let open = AgentState::new(SessionId::new("s"));
    let input = vec![Arc::new(Message::user(KEY))];
    let open = open.with(Event::ExecutionStarted(ExecutionStarted { input }));
    assert!(serde_json::to_string(&open).unwrap().contains(KEY), "without a mask all is recorded");
}

/// Each event of the samples, of whose texts one is the secret.
#[test]
fn s13_11_every_event_is_masked() {
    let mask = Mask::of([HARD]);
    let of = |mask: &Mask, event: &Event| {
        let state = AgentState::new(SessionId::new("s")).masked_by(mask).with(event.clone());
        state.uncommitted().first().unwrap().encode().unwrap()
    };
    let hard = json!(HARD).to_string();
    let finder = |line: &[u8]| String::from_utf8_lossy(line).contains(hard.trim_matches('"'));
    let mut masked = 0;
    for entry in entries() {
        let (open, line) = (of(&Mask::default(), &entry.event), of(&mask, &entry.event));
        assert!(!finder(&line), "{}", String::from_utf8_lossy(&line));
        assert_eq!(finder(&open), open != line, "{}", String::from_utf8_lossy(&open));
        masked += usize::from(open != line);
    }
    assert!(masked > 15, "{masked} events hold it");
}
