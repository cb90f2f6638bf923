//! The capability that lets a model keep values in the session's metadata.

mod limits;
mod store;
mod tools;

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::AgentState;
use legwork_lifecycle::hooks::{self, hook, priority};
use legwork_port::{Tool, Trigger};
use serde_json::Value;

pub use tools::{LIST, READ, REMOVE, WRITE};

use crate::agent::builder::Builder;
use crate::capability::{Capability, Fields, Resolved};
use limits::Limits;

/// Gives an agent tools to keep values in the metadata of its session: read, write, list,
/// remove.
///
/// There are limits on how much: 50 keys of 64 characters, 4 KiB a value and 32 KiB in all,
/// as JSON. What the agent was built with ([`Builder::metadata`]), what capabilities keep
/// (keys that begin with `legwork.`) and what [`protect`](Self::protect) names is not the
/// model's: it is neither shown nor changed, unless [`readable`](Self::readable) shows it.
///
/// What a turn wrote is part of the session when its step ends; calls of the same turn see
/// it before.
///
/// From settings: `keys`, `key_length`, `value_bytes`, `total_bytes`, and the lists `protect`
/// and `readable`.
///
/// ```
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use legwork_agent::{Agent, capability::Metadata};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), legwork_agent::Error> {
/// # let write = serde_json::json!({"key": "branch", "value": "main"});
/// # let model = ScriptedModel::new([Turn::call("write_metadata", write), Turn::text("kept")]);
/// let agent = Agent::builder(model).capability(Metadata::new()).build()?;
/// let run = agent.run("Remember the branch.").await?;
/// assert_eq!(run.state().context().metadata["branch"], "main");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Metadata {
    limits: Limits,
    protected: BTreeSet<String>,
    readable: BTreeSet<String>,
}

impl Metadata {
    /// The default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// At most this many keys.
    #[must_use]
    pub fn keys(mut self, most: usize) -> Self {
        self.limits.keys = most;
        self
    }

    /// At most this many characters a key.
    #[must_use]
    pub fn key_length(mut self, most: usize) -> Self {
        self.limits.key_length = most;
        self
    }

    /// At most this many bytes of JSON a value.
    #[must_use]
    pub fn value_bytes(mut self, most: usize) -> Self {
        self.limits.value_bytes = most;
        self
    }

    /// At most this many bytes of JSON in all, keys included.
    #[must_use]
    pub fn total_bytes(mut self, most: usize) -> Self {
        self.limits.total_bytes = most;
        self
    }

    /// The model neither sees nor changes this key.
    #[must_use]
    pub fn protect(mut self, key: impl Into<String>) -> Self {
        self.protected.insert(key.into());
        self
    }

    /// The model sees this key although it is protected, and does not change it.
    #[must_use]
    pub fn readable(mut self, key: impl Into<String>) -> Self {
        self.readable.insert(key.into());
        self
    }

    /// The capability of settings.
    ///
    /// # Errors
    /// The field that does not fit, and what it takes.
    pub fn from_settings(settings: &Value) -> Result<Self, String> {
        let mut fields = Fields::of(settings)?;
        let mut metadata = Self::new();
        let limits = &mut metadata.limits;
        for (name, place) in [
            ("keys", &mut limits.keys),
            ("key_length", &mut limits.key_length),
            ("value_bytes", &mut limits.value_bytes),
            ("total_bytes", &mut limits.total_bytes),
        ] {
            let read = |value: &Value| usize::try_from(value.as_u64()?).ok();
            let read = fields.take(name, "a whole number from 0 on", read)?;
            *place = read.unwrap_or(*place);
        }
        metadata.protected.extend(fields.texts("protect")?);
        metadata.readable.extend(fields.texts("readable")?);
        fields.done()?;
        Ok(metadata)
    }
}

/// What it gives an agent.
pub(super) const ABOUT: &str = "Values that the model keeps in the session, within limits.";

/// The hook that keeps what the tools wrote.
const KEEPS: &str = "metadata.keep";

impl Capability for Metadata {
    fn name(&self) -> &str {
        "metadata"
    }

    fn about(&self) -> &str {
        ABOUT
    }

    fn install(&self, builder: Builder) -> Builder {
        let keep = hook(KEEPS, [Trigger::StepEnd], |state, _| async { keep(state) });
        // A subagent has the tools of its parent, and so needs the hook.
        builder.without_hook(KEEPS).hook(keep.priority(priority::CONTEXT).inherited())
    }

    fn tools(&self, agent: &Resolved<'_>) -> Vec<Arc<dyn Tool>> {
        let mut protected = self.protected.clone();
        protected.extend(agent.metadata.keys().cloned());
        let (limits, readable) = (self.limits, self.readable.clone());
        // A subagent that is given the capability itself has the tools of its parent already.
        let rules = Arc::new(limits::Rules { limits, protected, readable });
        let all = tools::all(&rules).into_iter();
        all.filter(|tool| !agent.has_tool(&tool.spec().name)).collect()
    }
}

/// Puts what the step wrote into the metadata of the session.
fn keep(state: AgentState) -> Result<AgentState, hooks::Error> {
    let changes = store::changes(&state);
    let mut state = state;
    for (key, value) in changes {
        if state.context().metadata.get(&key) != value.as_ref() {
            state = state.with_metadata(key, value);
        }
    }
    Ok(state)
}
