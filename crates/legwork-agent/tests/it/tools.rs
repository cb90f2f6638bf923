//! Tools that tests give their agents.

use std::sync::{Arc, Mutex};

use legwork_core::tool::ExecutionMode;
use legwork_core::{EffectClass, OnDoubt, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
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

fn spec(name: &str) -> ToolSpec {
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
        Box::pin(std::future::ready(ToolOutcome::Ok(n)))
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
        Box::pin(std::future::ready(ToolOutcome::Ok(arguments["n"].clone())))
    })
}

/// Says `began`, waits at a gate, says `ended`.
pub(crate) fn waiting(name: &'static str, mode: ExecutionMode, world: &World, gate: &Gate) -> Arc<dyn Tool> {
    let (world, gate) = (world.clone(), gate.clone());
    let spec = spec(name).effect(EffectClass::ReadOnly).mode(mode);
    made(spec, move |arguments, _| {
        let (world, gate, n) = (world.clone(), gate.clone(), arguments["n"].clone());
        Box::pin(async move {
            world.note(format!("{name} {n} began"));
            gate.pass().await;
            world.note(format!("{name} {n} ended"));
            ToolOutcome::Ok(n)
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
