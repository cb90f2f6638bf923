//! A journal with every event and every optional field, and content that is hard to keep.
//!
//! The golden file of a format version was written from it once; later it may change.

use std::sync::Arc;

use legwork_core::approval::{Approval, Remember, Request};
use legwork_core::budget::{Amounts, Budget, Dimension, Exhausted, MicroUsd};
use legwork_core::continuation::{Vote, resolve};
use legwork_core::error::{ErrorKind, ErrorSource};
use legwork_core::event::{self, Definition, Event, HeadMoved, ParentLink, ToolsShown};
use legwork_core::inbox::{Answer, Cursor, Item, Label, Verdict};
use legwork_core::inference::{Discarded, Incomplete, ThinkingLevel, ToolChoice};
use legwork_core::journal::Journal;
use legwork_core::message::{
    App, Author, File, Image, MediaSource, ProviderData, ResultPart, Text, Thinking, ToolResult,
};
use legwork_core::output::{Mode, Stage, Wanted};
use legwork_core::settings::SessionSettings;
use legwork_core::state::{Pending, PendingReason};
use legwork_core::tool::{
    Deferral, ExecutionMode, FailureKind, InputRequest, Metadata, Prompt, Prompted, ToolSpecs,
};
use legwork_core::undo::UndoOutcome;
use legwork_core::{
    AgentState, ContinuationOutcome, Decision, Digest, EffectClass, EffectKey, Entry, ErrorRecord,
    ExecutionStatus, FinishReason, Message, Micros, ModelSettings, OnDoubt, Part, Response, Role,
    Seq, SessionId, StopReason, StopSignal, Timestamp, ToolCall, ToolOutcome, ToolSpec, Usage,
};
use serde_json::{Map, Value, json};

use crate::story::stamp;

pub(crate) const HARD: &str = "nul \u{0}, bell \u{7}, escape \u{1b}, delete \u{7f}, next line \u{85}, line \
                    \u{2028}, paragraph \u{2029}, \u{feff}, \u{fffd}, \u{ffff}, \u{10ffff}, \
                    \u{202e}right to left, 👩‍👩‍👧‍👦 🧵 漢字 é e\u{301}, \"quoted\", \\ud800 \\u0000, \
                    </script>, a\r\n\tb";

/// The key of a call of the second response.
fn undone(index: u32) -> EffectKey {
    EffectKey { session: SessionId::new("s"), entry: Seq(4), index }
}

fn metadata(index: u32) -> Metadata {
    let mut metadata = Metadata::default();
    if index == 2 {
        metadata.insert("changes", hard_json());
        metadata.insert(HARD, json!(null));
    }
    metadata
}

fn hard_json() -> Value {
    let deep = (0..60).fold(json!("bottom"), |inside, _| json!([inside]));
    json!({
        "": HARD,
        "floats": [0.1, 0.30000000000000004, -0.0, 123456789.125],
        "whole": [u64::MAX, i64::MIN, 0, -1, 9007199254740993_i64],
        "deep": deep,
        HARD: null,
        "z": true,
        "a": {},
    })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn said(text: &str) -> Arc<Message> {
    let by = match text.len() % 3 {
        0 => Author::Person("Ann \u{e9}".into()),
        1 => Author::Agent("reviewer".into()),
        _ => Author::Hook("reminder".into()),
    };
    Arc::new(Message::user(text).by(by).with_metadata("ticket", hard_json()))
}

/// Text with all that a provider may attach to it.
fn attached(text: &str) -> Text {
    let provider = Some(ProviderData::new("openai", json!({"annotations": [hard_json()]})));
    Text { text: text.to_owned(), id: Some("msg_1".to_owned()), provider }
}

fn file(name: Option<&str>, source: MediaSource) -> File {
    File { name: name.map(str::to_owned), media_type: "application/pdf".to_owned(), source }
}

fn amounts() -> Amounts {
    let (steps, tool_calls, input, output) = (1, 0, 12_345, 4_096);
    let (tokens, cost, active_time) = (70, MicroUsd(51_234), Micros(0));
    let (estimated, unpriced) = (true, true);
    Amounts { steps, tool_calls, input, output, tokens, cost, active_time, estimated, unpriced }
}

/// All entries, as a session would have written them.
pub(crate) fn entries() -> Vec<Arc<Entry>> {
    written(&[
        beginning,
        failing,
        calling,
        answering,
        ending,
        after_the_end,
        giving_output,
        reading,
        supplying,
        prompting,
    ])
}

/// A session that gives an output, written since the file of its version was.
pub(crate) fn outputs() -> Vec<Arc<Entry>> {
    written(&[giving_output])
}

/// A call whose body asks a person for input, written since the file of its version was.
pub(crate) fn inputs() -> Vec<Arc<Entry>> {
    written(&[supplying])
}

/// A call whose body asks the model, written since the file of its version was.
pub(crate) fn prompts() -> Vec<Arc<Entry>> {
    written(&[prompting])
}

fn written(parts: &[fn() -> Vec<Event>]) -> Vec<Arc<Entry>> {
    let mut state = AgentState::new(SessionId::new("golden/\u{e9}"));
    for (time, event) in (1_700_000_000_000..).zip(parts.iter().flat_map(|part| part())) {
        let moved = match &event {
            Event::HeadMoved(moved) => Some(moved.to),
            _ => None,
        };
        state = state.at(stamp(time)).with(event);
        if let Some(to) = moved {
            let path = Journal::new(state.uncommitted().to_vec()).path(to);
            state = state.on_path(path);
        }
    }
    state.uncommitted().to_vec()
}

/// What is read of the conversation changes.
fn reading() -> Vec<Event> {
    let started = |purpose, model: Option<&str>| {
        let (model, reserved) = (model.map(Arc::from), amounts());
        Event::AuxiliaryStarted(event::AuxiliaryStarted { purpose, model, reserved })
    };
    let finished = |error| {
        let charged = amounts();
        Event::AuxiliaryFinished(event::AuxiliaryFinished { charged, error }.into())
    };
    let failed = ErrorRecord::new(ErrorSource::Model, ErrorKind::RateLimit, HARD);
    let words = || vec![HARD.into(), "b.rs".into()];
    let result = event::ResultKey { entry: Seq(22), index: 1 };
    let app = App::new("deployment", hard_json());
    let digest = Digest::of_bytes(b"request");
    let request = Some(event::RequestSent { digest, messages: 3, kept: Some(2) });
    let reserved = Amounts::default();
    vec![
        Event::MessageAdded(Arc::new(Message::of_app(app))),
        started(event::Purpose::Compaction, Some("openai:gpt-5-nano")),
        finished(None),
        Event::Compacted(Arc::new(event::Compacted {
            summary: HARD.into(),
            first_kept: Seq(85),
            also_kept: vec![Seq(70)],
            cause: event::CompactionCause::Window,
            tokens_before: 190_000,
            files_read: words(),
            files_changed: words(),
            open_tasks: words(),
        })),
        started(event::Purpose::BranchSummary, None),
        started(event::Purpose::ToolResultSummary, None),
        finished(Some(failed)),
        started("of a later version".into(), None),
        finished(None),
        Event::BranchSummarised(event::BranchSummarised { from: Seq(9), message: said(HARD) }),
        Event::ResultSummarised(Arc::new(event::ResultSummarised { result, summary: HARD.into() })),
        Event::ResultCompared(event::ResultCompared { result, repeats: None }),
        Event::ResultCompared(event::ResultCompared { result, repeats: Some(result) }),
        Event::InferenceStarted(event::InferenceStarted { reserved, tools: None, request }),
    ]
}

/// An answer is rejected, the next one accepted.
fn giving_output() -> Vec<Event> {
    let schema = || Arc::new(json!({"type": "object", "properties": {HARD: {}}}));
    let (name, mode, format) = ("answer".into(), Mode::NativeSchema, Some(schema()));
    let wanted = Wanted { name, mode, schema: schema(), format, repairs: 2 };
    let definition = Definition { output: Some(wanted.into()), ..Definition::default() };
    let tool = Arc::new(ToolSpec::new("answer", "", json!({})).gives_output());
    let (digest, digests) = (None, vec![tool.digest()]);
    let shown = ToolsShown { digest, specs: vec![tool], digests, instructions: None };
    let asked = |tools| {
        let reserved = Amounts::default();
        Event::InferenceStarted(event::InferenceStarted { reserved, tools, request: None })
    };
    let responded = |parts| {
        let message = Message::assistant(parts).by(Author::Model("openai:gpt-5-mini".into()));
        let response = Arc::new(Response::new(message, FinishReason::Stop));
        Event::Responded(event::Responded { response, charged: Amounts::default() })
    };
    let ended = |outcome: ContinuationOutcome| {
        let outcome = Arc::new(outcome);
        Event::StepFinished(event::StepFinished { outcome, took: Micros(9) })
    };
    let done = StopSignal::new(StopReason::Completed, "output_accepted", "it was accepted");
    let done = ContinuationOutcome::stop(done);
    let call = ToolCall::new("call_0", "answer", "{}");
    vec![
        Event::Defined(event::Defined { definition: definition.into(), digest: None }),
        Event::ExecutionStarted(event::ExecutionStarted { input: vec![said("which?")] }),
        asked(Some(shown.into())),
        responded(vec![Part::text(HARD)]),
        Event::OutputRejected(event::OutputRejected {
            stage: Stage::Schema,
            problem: HARD.to_owned(),
            call: None,
        }),
        Event::OutputRejected(event::OutputRejected {
            stage: "later".into(),
            problem: String::new(),
            call: Some(1),
        }),
        Event::MessageAdded(said("again")),
        ended(ContinuationOutcome::go_on("output_accepted")),
        asked(None),
        responded(vec![Part::ToolCall(Arc::new(call))]),
        Event::ToolFinished(event::ToolFinished::without_running(0, ToolOutcome::text("taken"))),
        Event::OutputAccepted(event::OutputAccepted {
            value: Arc::new(hard_json()),
            call: Some(0),
        }),
        ended(done.clone()),
        Event::ExecutionFinished(event::ExecutionFinished {
            status: ExecutionStatus::Completed,
            outcome: Arc::new(done),
        }),
    ]
}

fn taken(cursor: u64) -> Event {
    refused(cursor, None)
}

fn refused(cursor: u64, refused: Option<event::RefusedItem>) -> Event {
    let key = format!("key {cursor}");
    Event::InboxTaken(event::InboxTaken { cursor: Cursor(cursor), key, refused }.into())
}

/// Settings with all that can be set.
fn settings_set() -> SessionSettings {
    SessionSettings::new()
        .reset()
        .model("large")
        .instructions(HARD)
        .limits(Budget::unlimited().steps(7))
        .unlimited(Dimension::Cost)
}

fn metadata_set() -> event::MetadataSet {
    event::MetadataSet { key: HARD.into(), value: Some(hard_json()) }
}

fn beginning() -> Vec<Event> {
    let parent = ParentLink {
        session: "parent".into(),
        call: "call_7".into(),
        began: Timestamp(1_699_999_999_999),
    };
    let budget = Budget {
        steps: Some(20),
        tool_calls: Some(50),
        input_tokens: Some(1_000_000),
        output_tokens: Some(100_000),
        total_tokens: Some(1_100_000),
        cost: Some(MicroUsd(500_000)),
        active_time: Some(Micros(300_000_000)),
        deadline: Some(Timestamp(1_800_000_000_000)),
        output_floor: Some(512),
    };
    let settings = ModelSettings {
        model: "openai:gpt-5-mini".into(),
        max_output: Some(4_096),
        temperature: Some(0.1),
        thinking: Some(ThinkingLevel::Medium),
        tool_choice: Some(ToolChoice::Named("bash".to_owned())),
        parallel_calls: Some(false),
        top_p: Some(0.95),
        seed: Some(i64::MIN),
        stop: vec![HARD.to_owned(), "END".to_owned()],
        extra: object(hard_json()),
    };
    let version = Some("2026-01".to_owned());
    let tools = Some(Digest::of_bytes(b"tools"));
    let definition =
        Definition { instructions: HARD.into(), settings, budget, version, output: None, tools };
    let image = |source| Part::Image(Image { media_type: "image/png".into(), source });
    let input = vec![
        said(HARD),
        Arc::new(Message::new(
            Role::User,
            vec![
                image(MediaSource::Base64("iVBORw0KGgo=".into())),
                image(MediaSource::Url("https://example.com/a.png?x=1&y=é".into())),
            ],
        )),
        Arc::new(Message::new("developer".into(), Vec::new())),
        said(""),
    ];
    let (session, agent) = ("golden/\u{e9}".into(), "clerk".into());
    let label =
        |entry, text: Option<&str>| Label { entry: Seq(entry), text: text.map(str::to_owned) };
    let own = Some(definition.digest());
    let (item, reason) = (Item::Stop("too late".into()), "nothing is running".to_owned());
    let too_late = event::RefusedItem { item, reason };
    vec![
        Event::SessionStarted(event::SessionStarted {
            session,
            agent,
            parent: Some(parent),
            forked_from: Some(event::ForkedFrom {
                session: "golden/origin".into(),
                entry: Seq(12),
                copied: 0,
            }),
        }),
        Event::Defined(event::Defined { definition: Arc::default(), digest: None }),
        chooses(ToolChoice::Auto),
        chooses(ToolChoice::None),
        chooses(ToolChoice::Required),
        Event::Defined(event::Defined { definition: definition.into(), digest: own }),
        Event::ExecutionStarted(event::ExecutionStarted { input }),
        taken(1),
        Event::Steered(said("look at \u{1f9f5}")),
        taken(2),
        Event::FollowUpQueued(said("and then this")),
        taken(4),
        Event::Labelled(label(4, Some(HARD))),
        refused(5, Some(too_late)),
        Event::Labelled(label(1, Some("root"))),
        Event::Labelled(label(4, None)),
        Event::Titled(event::Titled { text: Some(HARD.into()) }),
        Event::Titled(event::Titled { text: None }),
        Event::Suspended(event::Suspended { reason: HARD.into() }),
        Event::Resumed(event::Resumed {}),
        Event::SettingsSet(settings_set().into()),
        Event::SettingsSet(SessionSettings::new().reset().into()),
        Event::UndoStarted(event::UndoStarted { call: undone(1) }),
        Event::UndoFinished(event::UndoFinished {
            call: undone(1),
            outcome: UndoOutcome::Done(HARD.into()),
        }),
        Event::UndoFinished(event::UndoFinished {
            call: undone(0),
            outcome: UndoOutcome::Refused(HARD.into()),
        }),
        Event::MetadataSet(event::MetadataSet { key: HARD.into(), value: Some(hard_json()) }),
        Event::MetadataSet(event::MetadataSet { key: "gone".into(), value: None }),
    ]
}

fn spec() -> ToolSpec {
    ToolSpec::new("bash", HARD, hard_json())
        .effect(EffectClass::Once(OnDoubt::Tell))
        .mode(ExecutionMode::Sequential)
        .timeout(Micros(90_000_000))
        .max_retries(5)
        .resource("path")
}

fn failing() -> Vec<Event> {
    let bare = ToolSpec::new("read", "", json!({})).effect(EffectClass::ReadOnly);
    let bare = bare.mode(ExecutionMode::ParallelUnordered);
    let child = ToolSpec::new("ask_clerk", HARD, json!({})).in_child();
    let child = child.max_calls(7).max_result(u64::MAX).rest(HARD).tag(HARD);
    let child = child.with_metadata(HARD, hard_json());
    let specs = [spec(), bare, child].map(Arc::new).to_vec();
    let digest = ToolSpecs::new(specs.clone()).digest().cloned();
    let digests = specs.iter().map(|spec| spec.digest()).collect();
    let tools = ToolsShown { digest, specs, digests, instructions: Some(HARD.into()) };
    let error = ErrorRecord {
        status: Some(529),
        code: Some("overloaded_error".into()),
        retryable: true,
        ..ErrorRecord::new(ErrorSource::Model, ErrorKind::RateLimit, HARD)
    };
    let failed = event::InferenceFailed { error, charged: amounts() };
    let sources = [
        ErrorSource::Driver,
        ErrorSource::Tool("call_7".into()),
        ErrorSource::Hook("redact".into()),
        ErrorSource::Criterion("moon phase".into()),
    ];
    let other = |source| Event::Failed(ErrorRecord::new(source, "odd kind".into(), "it broke"));
    let by = "retry policy".to_owned();
    let outcome = Arc::new(ContinuationOutcome::go_on("retry policy"));
    let mut events = vec![
        Event::InferenceStarted(event::InferenceStarted {
            reserved: amounts(),
            tools: Some(tools.into()),
            request: None,
        }),
        Event::InferenceFailed(failed.into()),
    ];
    events.extend(sources.into_iter().map(other));
    events.push(Event::StepFinished(event::StepFinished { outcome, took: Micros(1_234) }));
    events.push(Event::StopPrevented(event::StopPrevented { by }));
    events
}

fn call(index: usize) -> Part {
    let arguments = ["{}", "", "{\"path\":\"é\\u0000\"}", "not json {"][index % 4];
    let provider = (index == 0).then(|| ProviderData::new("openai", hard_json()));
    Part::ToolCall(Arc::new(ToolCall {
        provider,
        ..ToolCall::new(format!("call_{index}"), "bash", arguments)
    }))
}

const CALLS: usize = 14;

fn response() -> Response {
    let thinking = Thinking {
        text: HARD.into(),
        id: Some("rs_1".into()),
        provider: Some(ProviderData::new("anthropic", json!({"signature": "EqQBCkYI+/=="}))),
    };
    let mut parts = vec![
        Part::Thinking(thinking),
        Part::Thinking(Thinking::default()),
        Part::text(HARD),
        Part::Text(attached("cited")),
        Part::Refusal("I would rather not".into()),
        Part::Refusal(attached("no")),
        Part::File(file(Some("a.pdf"), MediaSource::Base64("aGk=".to_owned()))),
        Part::File(file(None, MediaSource::Url("https://x/b.pdf".to_owned()))),
        Part::Other(hard_json()),
    ];
    parts.extend((0..CALLS).map(call));
    let message = Message::assistant(parts).by(Author::Model("openai:gpt-5-mini".into()));
    let mut response = Response::new(message, FinishReason::ToolCalls);
    let (input, output, cache_read, cache_write, reasoning) = (12_000, 2_000, 8_000, 1_000, 512);
    response.usage =
        Some(Usage { input, output, cache_read, cache_write, cache_write_hour: 400, reasoning });
    response.model = Some("gpt-5-mini-2026-01".into());
    response.id = Some("resp_1".to_owned());
    response.request_id = Some("req_1".to_owned());
    response.charged_attempts = 2;
    let discarded = |model: &str, cost| Discarded {
        model: model.into(),
        usage: Usage { input: 10, output: 3, ..Usage::default() },
        cost,
    };
    response.discarded =
        vec![discarded("openai:gpt-5-nano", Some(MicroUsd(7))), discarded("ollama:llama3.2", None)];
    response.raw = object(hard_json());
    response
}

/// A definition whose model is to call tools so.
fn chooses(choice: ToolChoice) -> Event {
    let settings = ModelSettings { tool_choice: Some(choice), ..ModelSettings::default() };
    let definition = Definition { settings, ..Definition::default() };
    Event::Defined(event::Defined { definition: definition.into(), digest: None })
}

/// A body asks for input twice, and is given it once.
fn supplying() -> Vec<Event> {
    let waits = Pending { id: "golden/asks".to_owned(), index: 0, ..pending(7) };
    let answer = Answer::supply(&waits, hard_json());
    asking(&waits, [Event::Answered(event::Answered { answer }.into())])
}

/// A body asks the model twice, and is answered once.
fn prompting() -> Vec<Event> {
    let messages = [Message::user(HARD), Message::assistant(vec![Part::text(HARD)])];
    let prompt = Prompt::of(messages).unwrap().with_instructions(HARD).with_max_output(100);
    let waits = || Pending { id: "golden/asks".to_owned(), index: 0, ..pending(8) };
    let waits = waits().with_input(InputRequest::of_model(prompt).with_state(hard_json()));
    let (text, model) = (HARD.to_owned(), "m-1".into());
    let prompted = Prompted::Answered { text, model, is_cut: true };
    let (model, reserved, charged, error) = (None, amounts(), amounts(), None);
    let purpose = event::Purpose::ToolPrompt;
    let answer = Answer::supply(&waits, json!(prompted)).by("the model");
    let answered = [
        Event::AuxiliaryStarted(event::AuxiliaryStarted { purpose, model, reserved }),
        Event::AuxiliaryFinished(event::AuxiliaryFinished { charged, error }.into()),
        Event::Answered(event::Answered { answer }.into()),
    ];
    asking(&waits, answered)
}

/// A call waits, goes on with an answer, and waits again.
fn asking(waits: &Pending, answered: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let call = ToolCall::new("call_0", "ask", "{}");
    let message = Message::assistant(vec![Part::ToolCall(Arc::new(call))]);
    let response = Arc::new(Response::new(message, FinishReason::ToolCalls));
    let effect = EffectClass::ReadOnly;
    let (arguments, child, reserved) = Default::default();
    let started = event::ToolStarted { index: 0, effect, arguments, child, reserved, again: false };
    let again = event::ToolStarted { again: true, ..started.clone() };
    let paused = || {
        let (pending, used) = (vec![waits.clone()], Amounts::default());
        Event::Paused(event::Paused { pending, adds: true, passed: false, used })
    };
    let mut events = vec![
        Event::ExecutionStarted(event::ExecutionStarted { input: vec![said("which?")] }),
        Event::InferenceStarted(event::InferenceStarted {
            reserved: Amounts::default(),
            tools: None,
            request: None,
        }),
        Event::Responded(event::Responded { response, charged: Amounts::default() }),
        Event::ToolStarted(started),
        paused(),
    ];
    events.extend(answered);
    events.extend([Event::ToolStarted(again), paused()]);
    events
}

fn pending(index: u32) -> Pending {
    Pending {
        id: format!("golden/\u{e9}/22/{index}"),
        index,
        tool: "bash".into(),
        arguments: "not json {".into(),
        digest: Digest::of_bytes(b"call"),
        what: Some(Digest::of_bytes(b"what")),
        spec: (index == 4).then(|| Digest::of_bytes(b"spec")),
        of_policy: index == 4,
        reason: match index {
            3 => PendingReason::Subagent,
            4 => PendingReason::Approval,
            5 => PendingReason::External,
            6 => PendingReason::Until(Timestamp(1_800_000_000_000)),
            7 => PendingReason::Input,
            8 => PendingReason::Model,
            _ => PendingReason::Doubt,
        },
        explanation: (index == 4).then(|| HARD.to_owned()),
        metadata: if index == 4 { metadata(2) } else { Metadata::default() },
        input: (index == 7).then(|| {
            let request = InputRequest::new(HARD).with_schema(hard_json()).with_state(hard_json());
            request.expires_in(Micros(7)).into()
        }),
        asked_at: Timestamp(1_700_000_000_777),
        expires_at: (index == 4).then_some(Timestamp(1_900_000_000_000)),
    }
}

fn approval(remember: Option<Remember>) -> Approval {
    let arguments = remember.is_some().then(|| "{}".into());
    Approval { digest: Digest::of_bytes(b"call"), arguments, remember }
}

fn calling() -> Vec<Event> {
    let charged = Amounts { tool_calls: 3, active_time: Micros(77), ..amounts() };
    let response = Arc::new(response());
    let started = |index, effect, arguments: Option<&str>| {
        let arguments = arguments.map(Arc::from);
        let (child, reserved) = (Some(SessionId::new("s.9-1")), amounts());
        Event::ToolStarted(event::ToolStarted {
            index,
            effect,
            arguments,
            child,
            reserved,
            again: index == 3,
        })
    };
    let reserved = Amounts::default();
    vec![
        Event::InferenceStarted(event::InferenceStarted { reserved, tools: None, request: None }),
        Event::InferenceInterrupted(event::InferenceInterrupted { charged: amounts() }),
        Event::InferenceStarted(event::InferenceStarted { reserved, tools: None, request: None }),
        Event::Responded(event::Responded { response: Arc::clone(&response), charged }),
        Event::ResponseChanged(event::ResponseChanged { response }),
        started(0, EffectClass::ReadOnly, Some(HARD)),
        started(1, EffectClass::Idempotent, None),
        started(2, EffectClass::Once(OnDoubt::Ask), None),
        started(3, EffectClass::Once(OnDoubt::Tell), None),
        Event::Paused(event::Paused {
            pending: (0..8).map(pending).collect(),
            adds: true,
            passed: true,
            used: amounts(),
        }),
    ]
}

fn answering() -> Vec<Event> {
    let answer = |index, verdict| Answer::new(pending(index).id, verdict);
    let answered =
        |index, verdict| Event::Answered(event::Answered { answer: answer(index, verdict) }.into());
    let (by, reason) = ("guard".to_owned(), HARD.to_owned());
    let outcomes = [
        ToolOutcome::text(HARD),
        ToolOutcome::Retry(HARD.into()),
        ToolOutcome::Failed(FailureKind::Timeout, HARD.into()),
        ToolOutcome::Failed("odd".into(), String::new()),
        ToolOutcome::Blocked { by: by.clone(), reason: reason.clone() },
        ToolOutcome::Denied { by, reason },
        ToolOutcome::Deferred(Deferral::External),
        ToolOutcome::Deferred(Deferral::Until(Timestamp(1_900_000_000_000))),
        ToolOutcome::Interrupted,
        ToolOutcome::Skipped(HARD.into()),
        ToolOutcome::Withdrawn,
        ToolOutcome::Deferred(Deferral::Session("s.9-1".into())),
        ToolOutcome::finished(hard_json()),
        ToolOutcome::Stopped(HARD.into()),
        ToolOutcome::NeedsApproval(
            Request::new(HARD)
                .with_metadata(HARD, hard_json())
                .of_policy()
                .expires_in(Micros(7))
                .into(),
        ),
        ToolOutcome::from(InputRequest::new(HARD)),
    ];
    let finished = |(at, outcome): (usize, ToolOutcome)| {
        let index = u32::try_from(at + 2).unwrap_or(u32::MAX);
        let took = Micros(if index == 3 { 0 } else { 1_000_001 });
        let (outcome, metadata) = (Arc::new(outcome), metadata(index));
        let used = amounts();
        Event::ToolFinished(event::ToolFinished { index, outcome, took, metadata, used })
    };
    let mut events = vec![
        answered(0, Verdict::Supply(hard_json())),
        answered(1, Verdict::Tell),
        taken(6),
        answered(2, Verdict::RunAgain),
        answered(4, Verdict::Approve(approval(Some(Remember::Rule(HARD.into()))))),
        Event::Answered(
            event::Answered { answer: answer(5, Verdict::Deny(HARD.into())).by(HARD) }.into(),
        ),
        answered(6, Verdict::Approve(approval(Some(Remember::Tool)))),
    ];
    events.extend(outcomes.into_iter().enumerate().map(finished));
    let image = Image {
        media_type: "image/png".to_owned(),
        source: MediaSource::Base64("aGk=".to_owned()),
    };
    let outcome = Arc::new(ToolOutcome::parts([
        ResultPart::Text(HARD.to_owned()),
        ResultPart::Json(hard_json()),
        ResultPart::Image(image),
        ResultPart::File(file(Some("a.pdf"), MediaSource::Url("https://x/a.pdf".to_owned()))),
    ]));
    events.push(Event::ToolChanged(event::ToolChanged { index: 12, outcome }));
    events.push(Event::Worked(event::Worked {
        takes_up: true,
        ..event::Worked::on(Micros(10_000_000))
    }));
    events.push(Event::Worked(event::Worked { rests: true, ..event::Worked::on(Micros(7)) }));
    events
}

fn ending() -> Vec<Event> {
    let (dimension, limit, used, wanted) = (Dimension::Cost, 500_000, 499_999, u64::MAX);
    let signal = StopSignal::limit("budget", Exhausted { dimension, limit, used, wanted });
    let vote = |by: &str, decision| Vote { by: by.to_owned(), decision };
    let done = StopSignal::new(StopReason::Completed, "finish_reason", HARD);
    let odd = StopSignal::new("moon_phase".into(), "hook", HARD);
    let mut outcome = resolve(&[
        vote("budget", Decision::Forbid(signal.clone())),
        vote("hook", Decision::Forbid(odd)),
        vote("finish_reason", Decision::Stop(done)),
        vote("tool_calls_present", Decision::Request),
    ]);
    // Left out where votes are resolved, but a word that a journal may have.
    outcome.votes.push(vote("allows", Decision::Allow));
    let outcome = Arc::new(outcome);
    let status = ExecutionStatus::Stopped;
    vec![
        Event::StopRaised(signal.into()),
        Event::StepFinished(event::StepFinished {
            outcome: Arc::clone(&outcome),
            took: Micros(u64::MAX / 2),
        }),
        Event::ExecutionFinished(event::ExecutionFinished { status, outcome }),
    ]
}

/// An event of a later version, its body as no Rust value would keep it.
fn unknown() -> Event {
    let line = r#"{"v":1,"seq":1,"parent":0,"at":0,"type":"from_later","body":{"z":1,"a":123456789012345678901234567890,"f":1e400,"e":1E+2,"zero":-0.0,"twice":1,"twice":2,"text":"\ud83e\uddf5\u0000"}}"#;
    Entry::decode(line.as_bytes()).map_or_else(|error| panic!("{error}"), |entry| entry.event)
}

fn after_the_end() -> Vec<Event> {
    let mut half = Response::new(Message::assistant(vec![call(0)]), "pause_turn".into());
    half.incomplete = Some(Incomplete::LengthInCall);
    half.bound = Some(HARD.to_owned());
    let response = Arc::new(half);
    let (reserved, charged) = (amounts(), Amounts::default());
    let error = ErrorRecord::new(ErrorSource::Model, ErrorKind::Incomplete, HARD);
    let signal = StopSignal::error("errors", error);
    let (late, no) = (Answer::new(HARD, Verdict::Tell), || "no".to_owned());
    let nowhere = Label { entry: Seq(99), text: Some(HARD.into()) };
    let outcome = Arc::new(ContinuationOutcome::stop(signal));
    let status = ExecutionStatus::Failed;
    let result = ToolResult { is_error: true, ..ToolResult::new("call_99", "bash", HARD) };
    vec![
        Event::ExecutionReopened(event::ExecutionReopened {}),
        Event::FollowedUp(said("and then this")),
        Event::MessageAdded(said("a note")),
        Event::MessageAdded(Arc::new(Message::tool_result(result))),
        unknown(),
        taken(9),
        refused(10, Some(event::RefusedItem { item: Item::Steer(said("x")), reason: HARD.into() })),
        refused(11, Some(event::RefusedItem { item: Item::FollowUp(said("x")), reason: no() })),
        refused(12, Some(event::RefusedItem { item: Item::MoveHead(Seq(99)), reason: no() })),
        refused(13, Some(event::RefusedItem { item: Item::Answer(late), reason: no() })),
        refused(14, Some(event::RefusedItem { item: Item::Label(nowhere), reason: no() })),
        refused(
            15,
            Some(event::RefusedItem { item: Item::Title(Some(HARD.into())), reason: no() }),
        ),
        refused(16, Some(event::RefusedItem { item: Item::Suspend(HARD.into()), reason: no() })),
        refused(17, Some(event::RefusedItem { item: Item::Set(settings_set()), reason: no() })),
        refused(
            18,
            Some(event::RefusedItem { item: Item::SetMetadata(metadata_set()), reason: no() }),
        ),
        refused(19, Some(event::RefusedItem { item: Item::Task(said("x")), reason: no() })),
        Event::HeadMoved(HeadMoved { to: Seq(7) }),
        Event::InferenceStarted(event::InferenceStarted { reserved, tools: None, request: None }),
        Event::Responded(event::Responded { response, charged }),
        Event::StepFinished(event::StepFinished { outcome: Arc::clone(&outcome), took: Micros(9) }),
        Event::ExecutionFinished(event::ExecutionFinished { status, outcome }),
    ]
}
