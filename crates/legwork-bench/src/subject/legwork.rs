//! Legwork: an agent as a program would set it up.

use std::ops::AddAssign as _;
use std::sync::{Arc, Mutex, PoisonError};

use legwork::agent::Builder;
use legwork::core::{Budget, EffectClass, Event, SessionId, ToolCall, ToolOutcome, ToolSpec};
use legwork::port::{BoxFuture, EventKind, Model, Observer, RunEvent, Tool, ToolContext, Trigger};
use legwork::{Agent, hook, model, store};
use serde_json::json;

use super::{ADD, Commits, INSTRUCTIONS, Setup, Subject, TASK};
use crate::{error::Error, harness::Side, probe::Probe};

/// An agent, and its last session.
#[derive(Clone)]
pub(crate) struct Legwork {
    agent: Agent,
    streamed: bool,
    last: Arc<Mutex<Option<SessionId>>>,
}

impl Subject for Legwork {
    const SIDE: Side = Side::Legwork;

    fn open(setup: Setup) -> Result<Self, Error> {
        let name = format!("{}:{}", setup.api.provider(), setup.script);
        let model = model::at(&name, Some(&setup.base_url), Some("bench")).map_err(fail)?;
        let mut builder = builder(model, &setup.probe, setup.hooks);
        if let Some(disk) = &setup.disk {
            let address = format!("sqlite:{}", disk.dir.join("bench.db").display());
            let store = match disk.commits {
                Commits::Inline => store::open_inline(&address),
                Commits::Grouped => store::open(&address),
            };
            builder = builder.store_in(store.map_err(fail)?);
        }
        let agent = builder.build().map_err(fail)?;
        Ok(Self { agent, streamed: setup.streamed, last: Arc::default() })
    }

    async fn run(&self) -> Result<String, Error> {
        let request = self.agent.run(TASK);
        let request = match self.streamed {
            true => request.observer(Arc::new(Listener::default())),
            false => request,
        };
        let run = request.await.map_err(fail)?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(run.session().clone());
        Ok(run.text())
    }

    async fn recorded(&self) -> Result<Vec<usize>, Error> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(session) = last else { return Ok(Vec::new()) };
        let journal = self.agent.session(session).journal().await.map_err(fail)?;
        let mut steps: Vec<usize> = Vec::new();
        let mut before = 0;
        for entry in journal.entries() {
            let bytes = entry.encode().map_err(Error::json("an entry"))?.len();
            if matches!(entry.event, Event::InferenceStarted(_)) {
                steps.push(std::mem::take(&mut before));
            }
            match steps.last_mut() {
                Some(step) => step.add_assign(bytes),
                None => before += bytes,
            }
        }
        Ok(steps)
    }
}

/// An agent with the tool, its limits on, and hooks on all triggers that change nothing.
pub(crate) fn builder(model: impl Model + 'static, probe: &Arc<Probe>, hooks: usize) -> Builder {
    let builder = Agent::builder(model)
        .instructions(INSTRUCTIONS)
        .tool(Add::new(Arc::clone(probe)))
        .budget(Budget::unlimited().steps(10_000));
    let pass =
        |number| hook(format!("pass {number}"), Trigger::ALL, |state, _| async { Ok(state) });
    (0..hooks).map(pass).fold(builder, Builder::hook)
}

pub(crate) fn fail(error: impl std::fmt::Display) -> Error {
    Error::Legwork(error.to_string())
}

/// An observer that copies the text, like a display.
#[derive(Default)]
struct Listener(Mutex<String>);

impl Observer for Listener {
    fn observe(&self, event: &RunEvent) {
        if let EventKind::TextDelta { text } = &event.kind {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        }
    }
}

/// The tool.
pub(crate) struct Add {
    spec: Arc<ToolSpec>,
    probe: Arc<Probe>,
}

impl Add {
    pub(crate) fn new(probe: Arc<Probe>) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        });
        let spec = ToolSpec::new("add", ADD, schema).effect(EffectClass::ReadOnly);
        Self { spec: Arc::new(spec), probe }
    }
}

#[derive(serde::Deserialize)]
struct Pair {
    a: i64,
    b: i64,
}

impl Tool for Add {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, _cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let pair: Pair = match serde_json::from_str(&call.arguments) {
                Ok(pair) => pair,
                Err(error) => return ToolOutcome::failed(error.to_string()),
            };
            ToolOutcome::value(self.probe.add(pair.a, pair.b).await.into())
        })
    }
}
