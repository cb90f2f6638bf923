//! The driver for steps that stand in a script: no model is asked.

mod line;
mod no_model;

use std::sync::Arc;

use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::{AgentState, ModelRequest, Response};
use legwork_runtime::StepContext;
use legwork_runtime::driver::{Driver, Source, request};
use legwork_toolset::StepTools;
use serde_json::Value;

pub use line::Line;
pub use no_model::NoModel;

use line::Said;

/// The metadata key under which a conversation holds how many lines were said in it.
pub const CURSOR: &str = "scripted_next";

/// What follows the last line of a script.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AtEnd {
    /// An error that says so: the step and, by default, its execution fail.
    #[default]
    Error,
    /// This answer, as often as one is asked for.
    Answer(String),
}

/// The driver for steps that stand in a script: one line a step, no model is asked.
///
/// Everything else goes its ordinary way: hooks and lifecycles are called, calls are
/// judged and run, entries are journaled; an inference holds and costs nothing. How far
/// the script has given is a fact of the conversation (metadata [`CURSOR`]): it survives a
/// crash, it goes on with the next execution of the session, and moving the head back
/// moves it back too.
///
/// ```
/// use legwork_agent::driver::{Line, NoModel, Scripted};
/// use legwork_agent::Agent;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), legwork_agent::Error> {
/// let lines = [Line::text("Good morning."), Line::text("Good night.")];
/// let agent = Agent::builder(NoModel).driver(Scripted::new(lines)).build()?;
/// assert_eq!(agent.run("hello").await?.text(), "Good morning.");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Scripted {
    lines: Arc<[Line]>,
    at_end: AtEnd,
}

impl Scripted {
    /// Steps from these lines, in their order.
    pub fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        Self { lines: lines.into_iter().collect(), at_end: AtEnd::default() }
    }

    /// The same with something else behind the last line.
    #[must_use]
    pub fn at_end(self, at_end: AtEnd) -> Self {
        Self { at_end, ..self }
    }

    fn answer(&self, state: &AgentState) -> Result<Response, ErrorRecord> {
        let next = next(state);
        let index = usize::try_from(next).unwrap_or(usize::MAX);
        match (self.lines.get(index), &self.at_end) {
            (Some(line), _) => match line.said(state) {
                Said::Parts(parts) => Ok(parts.response(next)),
                Said::Fails(message) => Err(failure(message)),
            },
            (None, AtEnd::Answer(text)) => Ok(line::answer(text.clone())),
            (None, AtEnd::Error) => Err(failure(format!(
                "the script ended with line {} and another was asked for: add a line, or say \
                 what follows the last one",
                self.lines.len()
            ))),
        }
    }
}

fn failure(message: String) -> ErrorRecord {
    // As of a model: when the script is mended, the step is made anew.
    ErrorRecord::new(ErrorSource::Model, ErrorKind::Model, message)
}

/// The index of the next line.
fn next(state: &AgentState) -> u64 {
    state.context().metadata.get(CURSOR).and_then(Value::as_u64).unwrap_or(0)
}

impl Driver for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    /// The request that a model would be sent: hooks see it, nobody reads it.
    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        request(state, cx, shown)
    }

    fn source(&self, state: &AgentState, _cx: &StepContext) -> Result<Source, ErrorRecord> {
        Ok(Source::ready(self.answer(state)))
    }

    fn recorded(&self, state: AgentState) -> AgentState {
        let next = next(&state);
        if next >= self.lines.len() as u64 {
            return state;
        }
        state.with_metadata(CURSOR, Some((next + 1).into()))
    }
}
