//! S1.1: each transition is complete in itself, and leaves the state it was made of.

use std::sync::Arc;

use legwork_core::approval::Request;
use legwork_core::budget::Budget;
use legwork_core::continuation::{ContinuationOutcome, StopReason};
use legwork_core::error::{ErrorKind, ErrorSource};
use legwork_core::event::CompactionCause;
use legwork_core::state::{
    CallVerdict, CurrentToolCall, CurrentToolExecution, Judged, ProposedCompaction,
};
use legwork_core::tool::ToolSelection;
use legwork_core::{
    AgentState, Decision, ErrorRecord, ModelRequest, ModelSettings, Seq, SessionId, StopSignal,
    ToolOutcome,
};
use serde_json::json;

use crate::story::{says, tell};

struct Transition {
    name: &'static str,
    before: fn() -> AgentState,
    change: fn(AgentState) -> AgentState,
    /// Whether the change is in a state.
    seen: fn(&AgentState) -> bool,
}

fn calls() -> AgentState {
    tell("user: hi; inference; calls: a, b")
}

fn done() -> AgentState {
    tell("user: hi; inference; calls: a, b; result: 0 x")
}

fn judging() -> AgentState {
    let state = calls();
    let call = Arc::clone(&state.current_step().unwrap().calls.get(0).unwrap().call);
    let pending = CurrentToolCall::new(0, call, Arc::new(json!({})));
    state.with_current_tool_call(Some(Arc::new(pending)))
}

fn proposed() -> Arc<ProposedCompaction> {
    Arc::new(ProposedCompaction {
        cause: CompactionCause::Manual,
        first_kept: Seq(1),
        also_kept: Vec::new(),
        tokens_before: 2,
        tokens_kept: 1,
        focus: None,
        summary: None,
    })
}

fn request() -> Arc<ModelRequest> {
    let state = tell("user: hi");
    let settled = state.context().transcript.settled().unwrap();
    Arc::new(ModelRequest::new(settled, Arc::default()))
}

fn signal() -> StopSignal {
    StopSignal::new(StopReason::StopRequested, "test", "enough")
}

fn error() -> ErrorRecord {
    ErrorRecord::new(ErrorSource::Driver, ErrorKind::Other("odd".to_owned()), "odd")
}

/// The outcome of the first call, as the model reads it.
fn told(state: &AgentState) -> String {
    let step = state.current_step().unwrap();
    let execution = step.calls.get(0).unwrap().execution();
    execution.map_or_else(String::new, |execution| execution.outcome.to_text().to_string())
}

macro_rules! transition {
    ($name:literal, $before:expr, $change:expr, $seen:expr) => {
        Transition { name: $name, before: $before, change: $change, seen: $seen }
    };
}

fn transitions() -> Vec<Transition> {
    vec![
        transition!("with_message", || tell("user: hi"), |s| s.with_message("more"), |s| {
            s.context().transcript.messages().len() == 2
        }),
        transition!("with_metadata", calls, |s| s.with_metadata("k", Some(json!(1))), |s| {
            s.context().metadata.contains_key("k")
        }),
        transition!("with_instructions", calls, |s| s.with_instructions("other"), |s| {
            &**s.instructions() == "other"
        }),
        transition!(
            "with_settings",
            calls,
            |s| s.with_settings(ModelSettings { model: "x:y".into(), ..Default::default() }),
            |s| &*s.settings().model == "x:y"
        ),
        transition!("with_budget", calls, |s| s.with_budget(Budget::usd(1.0)), |s| {
            s.ledger().budget == Budget::usd(1.0)
        }),
        transition!("with_stop_signal", calls, |s| s.with_stop_signal(signal()), |s| {
            s.stop_signal() == Some(&signal())
        }),
        transition!("with_error", calls, |s| s.with_error(error()), |s| {
            s.current_error() == Some(&error())
        }),
        transition!("with_fatal_error", calls, |s| s.with_fatal_error("x", error()), |s| {
            s.current_error() == Some(&error())
                && s.stop_signal() == Some(&StopSignal::error("x", error()))
        }),
        transition!("with_response", calls, |s| s.with_response(says("no")), |s| {
            s.current_step().unwrap().calls.is_empty()
        }),
        transition!(
            "with_tool_outcome",
            done,
            |s| s.with_tool_outcome(0, ToolOutcome::text("y")),
            |s| told(s) == "y"
        ),
        transition!("with_tool_call_blocked", judging, |s| s.with_tool_call_blocked("g", "no"), {
            AgentState::tool_call_decided
        }),
        transition!(
            "with_tool_call_answered",
            judging,
            |s| s.with_tool_call_answered(json!("yes")),
            |s| s.current_tool_call().unwrap().verdict.is_some()
        ),
        transition!(
            "with_tool_call_needs_approval",
            judging,
            |s| s.with_tool_call_needs_approval(Request::new("it writes")),
            |s| matches!(
                &s.current_tool_call().unwrap().verdict,
                Some(CallVerdict::Ask(request)) if request.reason == "it writes"
            )
        ),
        transition!(
            "with_tool_call_arguments",
            judging,
            |s| s.with_tool_call_arguments(json!({"n": 2})),
            |s| s.current_tool_call().unwrap().arguments["n"] == 2
        ),
        transition!("with_vote", calls, |s| s.with_vote("hook", Decision::Request), |s| {
            s.votes().len() == 1
        }),
        transition!("with_stop_prevented", calls, |s| s.with_stop_prevented("hook"), |s| {
            s.stop_prevented() == Some("hook")
        }),
        transition!(
            "with_tool_selection",
            calls,
            |s| s.with_tool_selection(Some(ToolSelection::all().hide("a"))),
            |s| s.tool_selection().is_some()
        ),
        transition!("with_current_request", calls, |s| s.with_current_request(Some(request())), {
            |s| s.current_request().is_some()
        }),
        transition!(
            "with_proposed_compaction",
            calls,
            |s| s.with_proposed_compaction(Some(proposed())),
            |s| s.proposed_compaction().is_some()
        ),
        transition!("with_current_tool_call", judging, |s| s.with_current_tool_call(None), |s| s
            .current_tool_call()
            .is_none()),
        transition!(
            "with_current_tool_execution",
            done,
            |s| {
                let execution =
                    s.current_step().unwrap().calls.get(0).unwrap().execution().unwrap().clone();
                s.with_current_tool_execution(Some(CurrentToolExecution { index: 0, execution }))
            },
            |s| s.current_tool_execution().is_some()
        ),
        transition!(
            "with_provisional_outcome",
            calls,
            |s| s.with_provisional_outcome(Some(Arc::new(ContinuationOutcome::stop(signal())))),
            |s| s.continuation_outcome().is_some()
        ),
        transition!("with_judged", calls, |s| s.with_judged(0, Judged::default()), |s| {
            s.is_judged(0)
        }),
    ]
}

#[test]
fn s1_1_every_transition_is_complete_and_leaves_the_state_it_was_made_of() {
    for Transition { name, before, change, seen } in transitions() {
        let before = before();
        let text = serde_json::to_string(&before).unwrap();
        assert!(!seen(&before), "{name} is there before it is made");
        let after = change(before.clone());
        assert!(seen(&after), "{name} needs another call to be seen");
        assert!(!seen(&before), "{name} changes the state it was made of");
        assert_eq!(serde_json::to_string(&before).unwrap(), text, "{name}");
        assert!(!after.is_same(&before), "{name}");
        assert!(after.extends(&before.mark()) && !before.extends(&after.mark()), "{name}");
    }
}

#[test]
fn s1_1_no_transition_is_left_out() {
    let source = include_str!("../../src/state/transitions.rs");
    let named = source.lines().filter_map(|line| line.trim().strip_prefix("pub fn "));
    let named = named.filter_map(|line| line.split('(').next());
    let tried: Vec<_> = transitions().iter().map(|transition| transition.name).collect();
    for name in named.filter(|name| name.starts_with("with_")) {
        assert!(tried.contains(&name), "{name}");
    }
}

#[test]
fn settings_without_a_model_keep_the_one_there_is() {
    let named = |model: &str| ModelSettings { model: model.into(), ..ModelSettings::default() };
    let state = AgentState::new(SessionId::new("s")).with_settings(named("x:one"));
    let cold = ModelSettings { temperature: Some(0.0), ..ModelSettings::default() };
    let changed = state.clone().with_settings(cold);
    assert_eq!((&*changed.settings().model, changed.settings().temperature), ("x:one", Some(0.0)));
    assert_eq!(&*state.with_settings(named("x:other")).settings().model, "x:other");
}
