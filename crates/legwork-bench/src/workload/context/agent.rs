//! Whole steps of an agent whose requests go through every transform.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use legwork::Agent;
use legwork::agent::memory::MemoryStore;
use legwork::core::budget::Budget;
use legwork::core::tool::EffectClass;
use legwork::core::{
    FinishReason, Message, ModelRequest, Part, Response, ToolCall, ToolOutcome, ToolSpec, Usage,
};
use legwork::port::model::{Ability, Deltas, Error as ModelError, Profile};
use legwork::port::{BoxFuture, Model, Tool, ToolContext, embedder};
use legwork_context::Context;
use legwork_context::transforms::{
    DropTraces, Redact, RemoveRepeats, RemoveSimilar, SlidingWindow, SummariseResults, TokenBudget,
    TruncateResults,
};

use super::{EARLY, LATE, growth, redacted, text};
use crate::error::Error;
use crate::probe::{self, Probe};
use crate::subject::{TASK, legwork::fail};
use crate::workload::{Sample, check};

/// Runs an execution that warms up, and then some that are measured: early steps and late ones of
/// the same.
pub(super) async fn measure() -> Result<Sample, Error> {
    const RUNS: usize = 5;
    execute(EARLY.end).await?;
    let (mut early, mut late) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let times = execute(LATE.end).await?;
        early.extend_from_slice(times.get(EARLY).unwrap_or_default());
        late.extend_from_slice(times.get(LATE).unwrap_or_default());
    }
    Ok(growth("agent_", &early, &late))
}

/// The microseconds of processor time of each step of an execution.
async fn execute(steps: usize) -> Result<Vec<f64>, Error> {
    let probe = Probe::new(Duration::ZERO);
    let agent = Agent::builder(Scripted::new(steps + 1))
        .tool(Read::new(Arc::clone(&probe)))
        .budget(Budget::unlimited().steps(10_000))
        .context(context())
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .map_err(fail)?;
    let run = agent.run(TASK).await.map_err(fail)?;
    check("steps on record", steps + 2, run.state().step_results().count())?;
    let context = run.state().context();
    let wants = |every: usize| (steps + 1) / every;
    if context.result_summaries.len() < wants(12) || context.comparisons.len() < wants(2) {
        return Err(fail("results were not summarised and compared"));
    }
    Ok(probe::step_times(&probe.take()).iter().map(|time| time.cpu_us).collect())
}

/// What [`pipeline`](super::pipeline) has, with a model that summarises and an embedder.
fn context() -> Context {
    Context::new()
        .transform(Redact::by(redacted))
        .summarise_results_by(Summariser(profile()), SummariseResults::above(10_000))
        .transform(TruncateResults::new().bytes(4_000))
        .transform(DropTraces::keep(16).down_to(8))
        .transform(SlidingWindow::of_units(24).down_to(12))
        .transform(TokenBudget::of(20_000))
        .transform(RemoveRepeats::new())
        .remove_similar(Lengths::default(), RemoveSimilar::above(1_000), 0.999_999)
}

fn profile() -> Profile {
    Profile::new().with(Ability::Tools)
}

fn answer(parts: Vec<Part>, finish: FinishReason) -> Response {
    let usage = Usage { input: 1_000, output: 50, ..Usage::default() };
    Response { usage: Some(usage), ..Response::new(Message::assistant(parts), finish) }
}

/// Says something and calls a tool, so many times.
struct Scripted {
    left: AtomicUsize,
    profile: Profile,
}

impl Scripted {
    fn new(steps: usize) -> Self {
        Self { left: AtomicUsize::new(steps), profile: profile() }
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        "bench:scripted"
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn infer<'a>(
        &'a self,
        _: ModelRequest,
        _: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, ModelError>> {
        let left = self.left.fetch_sub(1, Ordering::Relaxed);
        if left == 0 {
            let parts = vec![Part::text("Done.")];
            return Box::pin(async { Ok(answer(parts, FinishReason::Stop)) });
        }
        let arguments = format!(r#"{{"path":"src/part_{}.rs"}}"#, left % 50);
        let call = ToolCall::new(format!("call_{left}"), "read", arguments);
        let parts = vec![Part::text("I look into it."), Part::ToolCall(Arc::new(call))];
        Box::pin(async { Ok(answer(parts, FinishReason::ToolCalls)) })
    }
}

/// Gives the results of a [`Conversation`](super::Conversation), one after the other.
struct Read {
    spec: Arc<ToolSpec>,
    probe: Arc<Probe>,
    calls: AtomicUsize,
}

impl Read {
    fn new(probe: Arc<Probe>) -> Self {
        let schema = serde_json::json!({
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
        });
        let spec = ToolSpec::new("read", "Reads a file.", schema).effect(EffectClass::ReadOnly);
        Self { spec: Arc::new(spec), probe, calls: AtomicUsize::new(0) }
    }
}

impl Tool for Read {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        self.probe.stamp();
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { ToolOutcome::text(text(number)) })
    }
}

/// Summarises a result in one line.
struct Summariser(Profile);

impl Model for Summariser {
    fn name(&self) -> &str {
        "bench:summariser"
    }

    fn profile(&self) -> &Profile {
        &self.0
    }

    fn infer<'a>(
        &'a self,
        _: ModelRequest,
        _: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, ModelError>> {
        let parts = vec![Part::text("It defines functions.")];
        Box::pin(async { Ok(answer(parts, FinishReason::Stop)) })
    }
}

/// Vectors of the lengths of a text and of its first line.
#[derive(Default)]
struct Lengths(embedder::Profile);

impl embedder::Embedder for Lengths {
    fn name(&self) -> &str {
        "bench:lengths"
    }

    fn profile(&self) -> &embedder::Profile {
        &self.0
    }

    fn embed(
        &self,
        request: embedder::Request,
    ) -> BoxFuture<'_, Result<embedder::Embeddings, embedder::Error>> {
        let vector = |text: &String| {
            let hash = text
                .bytes()
                .take(64)
                .fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
            (0..16).map(|bit| if hash >> bit & 1 == 1 { 1.0 } else { -1.0 }).collect::<Vec<f32>>()
        };
        let vectors = request.texts.iter().map(vector).collect();
        Box::pin(async { Ok(embedder::Embeddings::new(vectors)) })
    }
}
