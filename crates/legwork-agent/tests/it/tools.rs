//! Tools that tests give their agents.

use std::sync::{Arc, Mutex};

use legwork_agent::memory::MemoryStore;
use legwork_core::tool::{ExecutionMode, FailureKind};
use legwork_core::{
    AgentState, EffectClass, OnDoubt, Part, SessionId, StopReason, StopSignal, ToolCall,
    ToolOutcome, ToolSpec,
};
use legwork_port::store::Range;
use legwork_port::{BoxFuture, Store, Tool, ToolContext};
use legwork_testkit::Gate;
use serde_json::{Value, json};

/// What happened in the world, in order; a crash does not undo it.
#[derive(Debug, Clone, Default)]
pub(crate) struct World(Arc<Mutex<Vec<String>>>);

impl World {
    pub(crate) fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, what: &str) -> usize {
        self.notes().iter().filter(|note| *note == what).count()
    }
}

type Body = dyn Fn(Value, &ToolContext) -> BoxFuture<'static, ToolOutcome> + Send + Sync;

/// A tool from a closure.
pub(crate) struct Made {
    spec: Arc<ToolSpec>,
    body: Box<Body>,
}

impl Tool for Made {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        (self.body)(call.parse().unwrap(), cx)
    }
}

/// A tool of one whole number `n`, of class `Once`.
pub(crate) fn spec(name: &str) -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": false
    });
    ToolSpec::new(name, "Does what the test wants.", schema)
}

pub(crate) fn made(
    spec: ToolSpec,
    body: impl Fn(Value, &ToolContext) -> BoxFuture<'static, ToolOutcome> + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    Arc::new(Made { spec: Arc::new(spec), body: Box::new(body) })
}

/// Notes `name n` in the world and answers `n`.
pub(crate) fn noting(name: &'static str, effect: EffectClass, world: &World) -> Arc<dyn Tool> {
    let world = world.clone();
    made(spec(name).effect(effect), move |arguments, _| {
        let n = arguments["n"].clone();
        world.note(format!("{name} {n}"));
        Box::pin(std::future::ready(ToolOutcome::value(n)))
    })
}

/// Notes a key only once, as a tool does that takes its idempotency key.
pub(crate) fn keyed(name: &'static str, world: &World) -> Arc<dyn Tool> {
    let world = world.clone();
    made(spec(name).effect(EffectClass::Idempotent), move |arguments, cx| {
        let note = format!("{name} {}", cx.key);
        if world.count(&note) == 0 {
            world.note(note);
        }
        Box::pin(std::future::ready(ToolOutcome::value(arguments["n"].clone())))
    })
}

/// Says `began`, waits at a gate, says `ended`.
pub(crate) fn waiting(
    name: &'static str,
    mode: ExecutionMode,
    world: &World,
    gate: &Gate,
) -> Arc<dyn Tool> {
    let (world, gate) = (world.clone(), gate.clone());
    let spec = spec(name).effect(EffectClass::ReadOnly).mode(mode);
    made(spec, move |arguments, _| {
        let (world, gate, n) = (world.clone(), gate.clone(), arguments["n"].clone());
        Box::pin(async move {
            world.note(format!("{name} {n} began"));
            gate.pass().await;
            world.note(format!("{name} {n} ended"));
            ToolOutcome::value(n)
        })
    })
}

/// Answers with what the closure gives.
pub(crate) fn answering(
    name: &'static str,
    answer: impl Fn(&Value) -> ToolOutcome + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    made(spec(name).effect(EffectClass::ReadOnly), move |arguments, _| {
        Box::pin(std::future::ready(answer(&arguments)))
    })
}

pub(crate) fn once() -> EffectClass {
    EffectClass::Once(OnDoubt::Ask)
}

/// Says `began`, waits at a gate, and says `dropped` if it is ended before it says `ended`.
pub(crate) fn guarded(spec: ToolSpec, world: &World, gate: &Gate) -> Arc<dyn Tool> {
    let (name, world, gate) = (spec.name.clone(), world.clone(), gate.clone());
    made(spec, move |arguments, _| {
        let n = arguments["n"].clone();
        let (gate, work) = (gate.clone(), Work::new(format!("{name} {n}"), &world));
        Box::pin(async move {
            work.note("began");
            gate.pass().await;
            work.end();
            ToolOutcome::value(n)
        })
    })
}

/// Work under way; whoever drops it before its end is found out.
struct Work {
    what: String,
    world: World,
    ended: bool,
}

impl Work {
    fn new(what: String, world: &World) -> Self {
        Self { what, world: world.clone(), ended: false }
    }

    fn note(&self, how: &str) {
        self.world.note(format!("{} {how}", self.what));
    }

    fn end(mut self) {
        self.note("ended");
        self.ended = true;
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if !self.ended {
            self.note("dropped");
        }
    }
}

/// A stop signal of a reason, from a test.
pub(crate) fn signal(reason: StopReason) -> StopSignal {
    StopSignal::new(reason, "test", "so")
}

/// The texts that a state's transcript holds, oldest first, results included.
pub(crate) fn said(state: &AgentState) -> Vec<String> {
    let text = |part: &Part| match part {
        Part::Text(text) => Some(text.text.clone()),
        Part::ToolResult(result) => Some(result.text().into_owned()),
        _ => None,
    };
    let messages = state.context().transcript.messages();
    messages.iter().flat_map(|message| message.parts.iter().filter_map(text)).collect()
}

/// What came of the calls of all steps that ended, in order.
pub(crate) fn outcomes(state: &AgentState) -> Vec<ToolOutcome> {
    let steps = state.step_results().map(|result| &result.step);
    steps.flat_map(|step| step.tool_executions().map(|e| (*e.outcome).clone())).collect()
}

/// How a call failed.
pub(crate) fn kind(outcome: ToolOutcome) -> FailureKind {
    match outcome {
        ToolOutcome::Failed(kind, _) => kind,
        other => panic!("{other:?}"),
    }
}

/// The kinds of the journal's entries, oldest first.
pub(crate) async fn journal(store: &MemoryStore, session: &str) -> Vec<String> {
    let loaded = store.read(&SessionId::from(session), Range::ALL).await.unwrap();
    loaded.journal.entries().iter().map(|entry| entry.event.kind().to_owned()).collect()
}

/// A view of a session that nobody watches.
pub(crate) fn view() -> legwork_port::StepView {
    let events = legwork_port::Emitter::none("s".into());
    let clock = Arc::new(legwork_agent::memory::SystemClock::default());
    legwork_port::StepView::new(events, clock, legwork_port::Deps::new())
}
