//! Builds a session from a text, such as `user: hi; inference; calls: read, bash`.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::continuation::{defaults, evaluate};
use legwork_core::error::{ErrorKind, ErrorSource};
use legwork_core::event::{
    Answered, ExecutionFinished, ExecutionStarted, InboxTaken, InferenceFailed, InferenceStarted,
    RefusedItem, Responded, StepFinished, ToolFinished, ToolStarted,
};
use legwork_core::inbox::{Answer, Cursor, Item, Posted, Verdict};
use legwork_core::inference::Incomplete;
use legwork_core::state::{CallStatus, Input, Judged, Pending, PendingReason, Refusal};
use legwork_core::tool::Metadata;
use legwork_core::{
    AgentState, ContinuationOutcome, Digest, EffectClass, ErrorRecord, Event, ExecutionStatus,
    FinishReason, Message, Micros, OnDoubt, Owed, Part, Response, SessionId, Stamp, StopSignal,
    Timestamp, ToolCall, ToolOutcome, Usage,
};

/// A new session, with the time set.
pub(crate) fn blank() -> AgentState {
    AgentState::new(SessionId::new("s")).at(stamp(1_000))
}

pub(crate) fn stamp(millis: u64) -> Stamp {
    Stamp { wall: Timestamp(millis), mono: Micros(millis * 1_000) }
}

/// The state that a story amounts to; lines end with a line break or a semicolon.
pub(crate) fn tell(story: &str) -> AgentState {
    go_on(blank(), story)
}

/// The state after more of a story.
pub(crate) fn go_on(state: AgentState, story: &str) -> AgentState {
    let lines = story.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty());
    lines.fold(state, line)
}

/// What is owed after a story, in words.
#[track_caller]
pub(crate) fn check(story: &str, owed: &str) {
    assert_eq!(owes(&tell(story)), owed, "after: {story}");
}

pub(crate) fn owes(state: &AgentState) -> &'static str {
    match state.owed() {
        Owed::Nothing => "owes nothing",
        Owed::Infer => "asks the model",
        Owed::JudgeCalls => "judges the calls",
        Owed::RunCalls => "runs the calls",
        Owed::Pause => "waits for somebody",
        Owed::EndStep => "ends the step",
        Owed::Stop => "stops",
    }
}

fn line(state: AgentState, line: &str) -> AgentState {
    let (verb, rest) = line.split_once(':').unwrap_or((line, ""));
    let rest = rest.trim();
    match verb {
        "user" => start(state, rest),
        "inference" => infer(state, 0, 0),
        "answer" => respond(state, says(rest), None),
        "calls" => respond(state, asks(rest), None),
        "cut" => respond(state, asks(rest), Some(Incomplete::Cut)),
        "fails" => state.with(Event::InferenceFailed(
            InferenceFailed {
                error: ErrorRecord::new(ErrorSource::Model, ErrorKind::Model, rest),
                charged: Amounts::default(),
            }
            .into(),
        )),
        "fails as" => {
            let (kind, words) = rest.split_once(' ').unwrap_or((rest, "it broke"));
            state.with(Event::InferenceFailed(
                InferenceFailed {
                    error: ErrorRecord::new(ErrorSource::Model, kind.into(), words),
                    charged: Amounts::default(),
                }
                .into(),
            ))
        }
        "unreadable" => {
            state.with_error(ErrorRecord::new(ErrorSource::Driver, ErrorKind::Validation, rest))
        }
        "judged" => judged(state),
        "starts" => starts(state, rest),
        "result" => {
            let (index, text) = numbered(rest);
            finish(state, index, ToolOutcome::text(text))
        }
        "outcome" => {
            let (index, outcome) = numbered(rest);
            finish(state, index, outcome_named(outcome))
        }
        "message" => state.with_message(rest),
        "pauses" => pauses(state, rest),
        "run again" => answered(state, rest, Verdict::RunAgain),
        "tell" => answered(state, rest, Verdict::Tell),
        "supply" => answered(state, rest, Verdict::Supply("supplied".into())),
        "steer" => taken(state, Item::Steer(Arc::new(Message::user(rest)))),
        "follow up" => taken(state, Item::FollowUp(Arc::new(Message::user(rest)))),
        "stop" => taken(state, Item::Stop(rest.to_owned())),
        "followed up" => {
            let message = state.facts().follow_ups[0].clone();
            state.with(Event::FollowedUp(message))
        }
        "signal" => state.with_stop_signal(StopSignal::new(rest.into(), "test", "it is told")),
        "error" => {
            let source = ErrorSource::Hook("hook".to_owned());
            state.with_error(ErrorRecord::new(source, ErrorKind::Hook, rest))
        }
        "decides" => decides(state),
        "ends" => ends(state),
        other => panic!("the story has no line `{other}`"),
    }
}

pub(crate) fn start(state: AgentState, text: &str) -> AgentState {
    let input = vec![Arc::new(Message::user(text))];
    state.with(Event::ExecutionStarted(ExecutionStarted { input }))
}

pub(crate) fn infer(state: AgentState, input: u64, output: u64) -> AgentState {
    let steps = u64::from(state.current_step().is_none());
    let reserved = Amounts { steps, input, output, ..Amounts::default() };
    state.with(Event::InferenceStarted(InferenceStarted { reserved, tools: None, request: None }))
}

pub(crate) fn says(text: &str) -> Response {
    Response::new(Message::assistant(vec![Part::text(text.to_owned())]), FinishReason::Stop)
}

/// A response that calls tools, as in `read, bash`; their ids are c0, c1 and so on.
pub(crate) fn asks(tools: &str) -> Response {
    let call = |(index, tool): (usize, &str)| {
        Part::ToolCall(Arc::new(ToolCall::new(format!("c{index}"), tool.trim(), "{}")))
    };
    let parts = tools.split(',').filter(|tool| !tool.trim().is_empty());
    let parts = parts.enumerate().map(call).collect();
    Response::new(Message::assistant(parts), FinishReason::ToolCalls)
}

pub(crate) fn respond(
    state: AgentState,
    mut response: Response,
    incomplete: Option<Incomplete>,
) -> AgentState {
    let usage = Usage { input: 100, output: 10, ..Usage::default() };
    response.usage = Some(usage);
    response.incomplete = incomplete;
    let charged = Amounts::of_usage(&usage, None);
    state.with(Event::Responded(Responded { response: Arc::new(response), charged }))
}

fn judged(state: AgentState) -> AgentState {
    let slots = state.current_step().unwrap().calls.clone();
    let open = slots.iter().enumerate().filter(|(_, slot)| slot.status == CallStatus::Open);
    open.fold(state, |state, (index, _)| {
        state.with_judged(u32::try_from(index).unwrap(), Judged::default())
    })
}

fn numbered(rest: &str) -> (u32, &str) {
    let (index, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    (index.parse().unwrap(), rest)
}

fn starts(state: AgentState, rest: &str) -> AgentState {
    let (index, class) = numbered(rest);
    let effect = match class {
        "read only" => EffectClass::ReadOnly,
        "idempotent" => EffectClass::Idempotent,
        "once, tell" => EffectClass::Once(OnDoubt::Tell),
        _ => EffectClass::Once(OnDoubt::Ask),
    };
    state.with(Event::ToolStarted(ToolStarted {
        index,
        effect,
        arguments: None,
        child: None,
        reserved: Amounts::default(),
        again: false,
    }))
}

pub(crate) fn finish(state: AgentState, index: u32, outcome: ToolOutcome) -> AgentState {
    let outcome = Arc::new(outcome);
    let took = Micros(5);
    state.with(Event::ToolFinished(ToolFinished {
        index,
        outcome,
        took,
        metadata: Metadata::default(),
        used: Amounts::default(),
    }))
}

fn outcome_named(name: &str) -> ToolOutcome {
    use legwork_core::tool::FailureKind;
    match name {
        "interrupted" => ToolOutcome::Interrupted,
        "skipped" => ToolOutcome::Skipped("told so".to_owned()),
        "retry" => ToolOutcome::Retry("try again".to_owned()),
        "invalid" => ToolOutcome::Failed(FailureKind::InvalidArguments, "does not fit".into()),
        "exhausted" => ToolOutcome::Failed(FailureKind::RetriesExhausted, "too often".into()),
        "timeout" => ToolOutcome::Failed(FailureKind::Timeout, "took too long".into()),
        "hard" => ToolOutcome::Failed(FailureKind::Hard, "disk on fire".into()),
        "panicked" => ToolOutcome::Failed(FailureKind::Panicked, "it panicked".into()),
        "failed" => ToolOutcome::failed("no such file"),
        other => panic!("the story has no outcome `{other}`"),
    }
}

fn pauses(state: AgentState, rest: &str) -> AgentState {
    let pending = rest.split(',').map(|index| {
        let index = index.trim().parse().unwrap();
        Pending {
            id: state.effect_key(index).unwrap().to_string(),
            index,
            tool: "bash".into(),
            arguments: "{}".into(),
            digest: Digest::of_bytes(b"call"),
            reason: PendingReason::Doubt,
            asked_at: Timestamp(7),
            what: None,
            spec: None,
            of_policy: false,
            explanation: None,
            metadata: Metadata::default(),
            input: None,
            expires_at: None,
        }
    });
    let pending: Vec<_> = pending.collect();
    state.with_pending(pending)
}

fn answered(state: AgentState, rest: &str, verdict: Verdict) -> AgentState {
    let id = state.effect_key(rest.parse().unwrap()).unwrap().to_string();
    state.with(Event::Answered(Answered { answer: Answer::new(id, verdict) }.into()))
}

/// Takes an item up as the runtime does.
pub(crate) fn taken(state: AgentState, item: Item) -> AgentState {
    let cursor = Cursor(state.facts().inbox_cursor.0 + 1);
    let key = format!("k{}", cursor.0);
    let posted = Posted { cursor, key: key.clone(), item: item.clone() };
    let refused = |refusal: Refusal| {
        let refused = Some(RefusedItem { item, reason: refusal.to_string() });
        vec![Event::InboxTaken(InboxTaken { cursor, key, refused }.into())]
    };
    let events = state.decide(Input::Take(posted)).unwrap_or_else(refused);
    events.into_iter().fold(state, AgentState::with)
}

/// The outcome that the shipped criteria and the votes of hooks amount to.
pub(crate) fn outcome(state: &AgentState) -> Arc<ContinuationOutcome> {
    evaluate(&defaults(), state)
}

fn decides(state: AgentState) -> AgentState {
    let outcome = outcome(&state);
    state.with(Event::StepFinished(StepFinished { outcome, took: Micros(1_000) }))
}

fn ends(state: AgentState) -> AgentState {
    let signal = state.stop_signal().cloned().map(ContinuationOutcome::stop).map(Arc::new);
    let decided = state.continuation_outcome().filter(|o| !o.should_continue()).cloned();
    let outcome = decided.or(signal).unwrap();
    let status = ExecutionStatus::from(outcome.stop_reason().unwrap());
    state.with(Event::ExecutionFinished(ExecutionFinished { status, outcome }))
}

/// The transcript, a line for each message.
pub(crate) fn transcript(state: &AgentState) -> Vec<String> {
    state.context().transcript.messages().iter().map(|message| told(message)).collect()
}

pub(crate) fn told(message: &Message) -> String {
    let parts = message.parts.iter().map(|part| match part {
        Part::Text(text) => text.text.clone(),
        Part::ToolCall(call) => format!("[{} {}]", call.id, call.name),
        Part::ToolResult(result) => format!("[{}] {}", result.call, result.text()),
        other => format!("{other:?}"),
    });
    format!("{}: {}", message.role, parts.collect::<Vec<_>>().join(" "))
}
