//! Events as JSON: every kind survives it, and stays as it is.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::event::{Action, Committed, ExecutionEnd, ExecutionStart, HookEnd, Next};
use legwork_agent::{EventKind, RunEvent};
use legwork_core::budget::{Amounts, Dimension, Exhausted, Ledger, MicroUsd};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::inbox::{Answer, Verdict};
use legwork_core::output::Stage;
use legwork_core::tool::Metadata;
use legwork_core::{
    AgentId, AgentState, ContinuationOutcome, ExecutionStatus, FinishReason, Micros, ModelSettings,
    Seq, SessionId, StopReason, Timestamp, ToolCall, ToolOutcome, Usage,
};
use legwork_port::model::Retry;
use legwork_port::{Delta, Emitter, Observer as _, Origin};
use legwork_testkit::RecordingObserver;
use serde_json::{Value, json};

use crate::samples;
use crate::stream::{BEGIN, golden};
use crate::tools::signal;

const AMOUNTS: Amounts = Amounts {
    steps: 1,
    tool_calls: 0,
    input: 9,
    output: 0,
    tokens: 0,
    cost: MicroUsd(12),
    active_time: Micros(0),
    estimated: false,
    unpriced: false,
};

fn error() -> ErrorRecord {
    ErrorRecord::new(ErrorSource::Hook("h".to_owned()), ErrorKind::Hook, "broken")
}

fn message() -> String {
    "so\n\"it\" is".to_owned()
}

/// One of each kind of event that comes while an execution goes on.
fn under_way() -> Vec<EventKind> {
    let (id, at, took) = (Seq(7), Timestamp(BEGIN), Micros(1_500));
    let call = ToolCall::new("c", "look", "{\"n\": 1.5}");
    let outcome = Arc::new(ContinuationOutcome::stop(signal(StopReason::Completed)));
    let (agent, child) = ("helper".to_owned(), SessionId::new("s/1"));
    let hook = |end| {
        let (hook, trigger) = ("h".to_owned(), "on_error".to_owned());
        EventKind::HookExecuted { hook, trigger, took, end }
    };
    let usage = Some(Usage { input: 9, output: 3, ..Usage::default() });
    let deep = json!({"z": [1.5, u64::MAX, i64::MIN, null], "a": {"": "\u{0}é"}});
    let mut metadata = Metadata::default();
    metadata.insert("exit_code", json!(0));
    let (wait, left) = (Duration::from_micros(2_500), Duration::MAX);
    let retry =
        Retry { attempt: 1, wait, left, error: "503", discarded: true, charged_attempts: 0 };
    let answer = Answer::new("s:7:0".to_owned(), Verdict::Tell);
    let metadata_of = [("tenant".to_owned(), json!({"id": 7}))];
    let start = ExecutionStart {
        task: String::new(),
        id,
        began: at,
        agent: Some(AgentId::new("clerk")),
        settings: ModelSettings { model: "x:y".into(), seed: Some(-7), ..<_>::default() },
        metadata: Arc::new(metadata_of.into()),
        reopened: true,
    };
    vec![
        EventKind::ExecutionStarted(Box::new(start.clone().with_task(message()))),
        EventKind::ExecutionResumed(Box::new(start)),
        EventKind::JournalCut { damage: message() },
        EventKind::StepStarted,
        EventKind::InferenceStarted { id, at, model: "x:y".to_owned(), request: None },
        retry.into(),
        Delta::Text("so").into(),
        Delta::Thinking("hm").into(),
        Delta::ToolCall { index: 0, name: "look" }.into(),
        Delta::Arguments { index: 0, json: "{\"n" }.into(),
        EventKind::InferenceFinished { id, at, took, usage, error: None },
        EventKind::InferenceFinished { id, at, took, usage: None, error: Some(error()) },
        EventKind::BudgetReserved { id, amounts: AMOUNTS },
        EventKind::BudgetSettled { id, charged: AMOUNTS },
        EventKind::ToolStarted { index: 0, call: call.clone() },
        EventKind::ToolProgress { index: 0, message: message(), value: None, of: None },
        EventKind::ToolProgress {
            index: 0,
            message: message(),
            value: Some(json!({"files": 3})),
            of: Some(message()),
        },
        EventKind::ToolFinished {
            index: 0,
            call,
            outcome: ToolOutcome::value(deep.clone()),
            took,
            metadata,
        },
        EventKind::SubagentStarted { index: 0, agent: agent.clone(), child: child.clone() },
        EventKind::SubagentFinished {
            index: 0,
            agent,
            child,
            status: ExecutionStatus::Completed,
            steps: 2,
            used: AMOUNTS,
        },
        EventKind::OutputAccepted { value: Arc::new(deep.clone()) },
        EventKind::OutputRejected { stage: Stage::Schema, problem: message() },
        EventKind::Answered { answer },
        hook(HookEnd::Passed),
        hook(HookEnd::Changed),
        hook(HookEnd::Failed(message())),
        hook(HookEnd::Refused(message())),
        EventKind::ContinuationEvaluated { outcome },
        EventKind::StopRaised { signal: signal(StopReason::StepsLimit) },
        EventKind::StepFinished {
            continues: false,
            stop_reason: Some(StopReason::Completed),
            explain: message(),
            took,
            used: Amounts { steps: 1, input: 7, cost: MicroUsd(9), ..Amounts::default() },
        },
        EventKind::Error { error: error(), hint: Some(message()) },
        EventKind::ExecutionFailed { error: error() },
        EventKind::StateUpdated { seq: Seq(9), head: id },
        EventKind::Warning { message: message() },
        EventKind::Note { message: message() },
        EventKind::Interrupting,
        EventKind::RunFailed { message: message(), hint: None },
    ]
}

/// One of each kind of event that ends a run.
fn ends() -> Vec<EventKind> {
    let limit = Exhausted { dimension: Dimension::Steps, limit: 3, used: 3, wanted: 1 };
    let next = Next { action: Action::Raise, limit: Some(limit), how: message() };
    let end = |status, next| ExecutionEnd {
        status,
        stop_reason: Some(StopReason::StepsLimit),
        explain: Some(message()),
        signal: Some(signal(StopReason::StepsLimit)),
        text: message(),
        output: Some(Arc::new(json!({"a": [1.5]}))),
        finish: Some(FinishReason::Stop),
        used: AMOUNTS,
        session_used: Amounts::default(),
        pending: Vec::new(),
        next,
    };
    let again = ExecutionEnd { session_used: AMOUNTS, ..end(ExecutionStatus::Completed, None) };
    let idle = ExecutionEnd::of(&AgentState::new(SessionId::new("s")));
    vec![
        end(ExecutionStatus::Completed, None).into(),
        end(ExecutionStatus::Stopped, Some(next.clone())).into(),
        end(ExecutionStatus::AwaitingApproval, Some(next)).into(),
        idle.into(),
        again.into(),
    ]
}

fn committed() -> Vec<EventKind> {
    let entry = |entry| Committed {
        entries: vec![Arc::new(entry)],
        charged: vec![AMOUNTS],
        ledger: Ledger::default(),
    };
    samples::entries().into_iter().map(|e| EventKind::Committed(entry(e))).collect()
}

/// As the subagent `helper` of a session emits it.
fn emitted(kind: EventKind) -> RunEvent {
    let seen = RecordingObserver::new();
    let origin = Origin::root(SessionId::new("s")).child("helper", SessionId::new("s/1"));
    let events = Emitter::new(Arc::new(origin), Arc::new(seen.clone()));
    events.at_step(3);
    events.emit(|| kind);
    seen.events().remove(0)
}

#[test]
fn every_event_survives_json() {
    for kind in [under_way(), ends(), committed()].concat() {
        let of_command = RunEvent::new(kind.clone());
        for event in [emitted(kind), of_command] {
            let text = serde_json::to_string(&event).unwrap();
            let back: RunEvent =
                serde_json::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(back, event, "{text}");
            assert_eq!(serde_json::to_string(&back).unwrap(), text);
            // The order of keys does not matter, nor what a newer program adds.
            let mut value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(value["type"], event.kind.name());
            value["newer"] = json!(true);
            let back: RunEvent = serde_json::from_value(value).unwrap();
            assert_eq!(back.path, event.path);
        }
    }
    let unknown = r#"{"version":1,"session":"s","type":"from_the_future"}"#;
    let error = serde_json::from_str::<RunEvent>(unknown).unwrap_err().to_string();
    assert!(error.contains("from_the_future"), "{error}");
}

#[test]
fn the_json_of_each_kind_of_event_stays_as_it_is() {
    let mut text = String::new();
    for kind in [under_way(), ends()].concat() {
        let line = serde_json::to_string(&emitted(kind)).unwrap();
        writeln!(text, "{line}").unwrap();
    }
    golden("events-v1.jsonl", &text);
}

#[test]
fn an_event_after_the_end_of_a_step_is_in_none() {
    let seen = RecordingObserver::new();
    let origin = Arc::new(Origin::root(SessionId::new("s")));
    let events = Emitter::new(origin, Arc::new(seen.clone()));
    events.at_step(3);
    for kind in under_way() {
        events.emit(|| kind);
    }
    let end = seen.kinds().iter().position(|kind| kind.name() == "step_finished").unwrap();
    let steps: Vec<_> = seen.events().iter().map(|event| event.step).collect();
    assert!(steps[..=end].iter().all(|step| *step == Some(3)));
    assert!(steps[end + 1..].iter().all(Option::is_none) && steps.len() > end + 1);
    // A closure is an observer.
    let count = std::sync::atomic::AtomicUsize::new(0);
    let counts = |_: &RunEvent| {
        count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    };
    counts.observe(&seen.events()[0]);
    assert!(counts.listens());
    assert_eq!(count.into_inner(), 1);
}

#[test]
fn s1_7_s14_1_an_output_that_is_null_survives_json() {
    let state = AgentState::new(SessionId::new("s"));
    let mut end = ExecutionEnd::of(&state);
    end.output = Some(Arc::new(Value::Null));
    let json = serde_json::to_value(&end).unwrap();
    assert_eq!(json.get("output"), Some(&Value::Null));
    assert_eq!(serde_json::from_value::<ExecutionEnd>(json).unwrap(), end);
    end.output = None;
    let json = serde_json::to_value(&end).unwrap();
    assert_eq!(serde_json::from_value::<ExecutionEnd>(json).unwrap(), end);
}

#[test]
fn events_of_before_are_read_though_they_say_less() {
    let begun = r#"{"version":1,"session":"s","type":"execution_started","task":"go"}"#;
    let event: RunEvent = serde_json::from_str(begun).unwrap();
    let EventKind::ExecutionStarted(start) = event.kind else { unreachable!() };
    assert_eq!((&*start.task, start.id, start.agent), ("go", Seq::ZERO, None));
    let resumed = r#"{"version":1,"session":"s","type":"execution_resumed"}"#;
    let event: RunEvent = serde_json::from_str(resumed).unwrap();
    assert!(matches!(event.kind, EventKind::ExecutionResumed(_)));
}
