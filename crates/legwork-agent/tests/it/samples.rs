//! States made by hand, and one event of each kind.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use legwork_core::event::{Event, ExecutionStarted, InferenceStarted, Responded, ToolFinished};
use legwork_core::{
    AgentState, Entry, FinishReason, Message, Part, Response, SessionId, ToolCall, ToolOutcome,
};

/// One entry of each kind of event, from the golden files of the journal's format.
pub(crate) fn entries() -> Vec<Entry> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../legwork-core/tests/golden");
    let mut entries = BTreeMap::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(file).unwrap();
        for entry in text.lines().map(|line| Entry::decode(line.as_bytes()).unwrap()) {
            entries.entry(entry.event.kind().to_owned()).or_insert(entry);
        }
    }
    entries.into_values().filter(|entry| Event::KINDS.contains(&entry.event.kind())).collect()
}

/// One event of each kind.
pub(crate) fn events() -> Vec<Event> {
    entries().into_iter().map(|entry| entry.event).collect()
}

/// An execution begun, without any agent.
pub(crate) fn begun() -> AgentState {
    let input = vec![Arc::new(Message::user("go"))];
    let state = AgentState::new(SessionId::new("alone"));
    state.with(Event::ExecutionStarted(ExecutionStarted { input }))
}

/// One whose model answered.
pub(crate) fn answered(parts: Vec<Part>, finish: FinishReason) -> AgentState {
    let response = Arc::new(Response::new(Message::assistant(parts), finish));
    let started = InferenceStarted { reserved: Default::default(), tools: None, request: None };
    begun()
        .with(Event::InferenceStarted(started))
        .with(Event::Responded(Responded { response, charged: Default::default() }))
}

/// One whose model called a tool that was run.
pub(crate) fn called() -> AgentState {
    let call = Arc::new(ToolCall::new("c", "look", "{}"));
    let finished = ToolFinished {
        index: 0,
        outcome: Arc::new(ToolOutcome::text("seen")),
        took: Default::default(),
        metadata: Default::default(),
        used: Default::default(),
    };
    let called = answered(vec![Part::ToolCall(call)], FinishReason::ToolCalls);
    called.with(Event::ToolFinished(finished))
}
