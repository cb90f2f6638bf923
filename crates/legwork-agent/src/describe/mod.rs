//! What an agent is, described to people and programs: everything but its secrets.
//!
//! ```
//! # use legwork_testkit::{ScriptedModel, Turn};
//! use legwork_agent::Agent;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), legwork_agent::Error> {
//! let agent = Agent::builder(ScriptedModel::new([Turn::text("hello")])).id("clerk").build()?;
//! let description = agent.describe().await;
//! assert!(description.to_text().starts_with("agent clerk\n"));
//! assert_eq!(description.budget.words, ["20 steps", "5 min of active time"]);
//! # Ok(())
//! # }
//! ```

mod collect;
mod markdown;
mod secrets;
mod text;
mod words;

pub(crate) use words::clean;
pub use words::limits;

use legwork_core::budget::Prices;
use legwork_core::tool::ExecutionMode;
use legwork_core::{Budget, Digest, EffectClass, Micros};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What an agent is; never its keys.
///
/// Everything stands in the order in which it counts: tools as a model is shown them, hooks
/// as they run, the rest as it was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Description {
    /// Who works in its sessions.
    pub id: String,
    /// The user's own version string.
    pub version: Option<String>,
    /// The digest of its definition, as sessions record it.
    pub definition: Digest,
    /// The model that it works with.
    pub model: Model,
    /// Other models that its state may name.
    pub other_models: Vec<String>,
    /// The driver that makes its steps.
    pub driver: String,
    /// Its system prompt, in short.
    pub instructions: Instructions,
    /// The limits of an execution.
    pub budget: Limits,
    /// Its tools.
    pub tools: Vec<Tool>,
    /// Why some tools are missing here: what a source of tools said.
    pub tools_unknown: Option<String>,
    /// Its hooks.
    pub hooks: Vec<Hook>,
    /// What votes on going on.
    pub criteria: Vec<Criterion>,
    /// Its capabilities.
    pub capabilities: Vec<Named>,
    /// The agents that it may spawn.
    pub subagents: Vec<Named>,
}

/// A model with its settings and what it can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Model {
    /// Its name as `provider:name`.
    pub name: String,
    /// Tokens that an answer may have by the settings.
    pub max_output: Option<u64>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Further fields for the provider; what looks like a secret is `hidden`.
    pub extra: Map<String, Value>,
    /// Tokens that input and output may have together; none = unknown.
    pub context_window: Option<u64>,
    /// Tokens that it can answer with; none = unknown.
    pub most_output: Option<u64>,
    /// What a million of its tokens cost; none = unknown.
    pub prices: Option<Prices>,
    /// The names of the [abilities](legwork_port::Ability) that it is known to have.
    pub can: Vec<String>,
    /// Those that it is known to lack; of the rest nothing is known.
    pub cannot: Vec<String>,
}

/// A system prompt, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Instructions {
    /// How many characters it has, sections of capabilities included.
    pub characters: usize,
    /// Its first lines that are not empty, each cut where it is long.
    pub first_lines: Vec<String>,
    /// How many lines that are not empty follow.
    pub more_lines: usize,
}

/// Limits, as numbers and in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Limits {
    /// Each limit in words; none = nothing is limited.
    pub words: Vec<String>,
    /// The numbers.
    pub numbers: Budget,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The first line of its description.
    pub about: String,
    /// What may be done with a call in doubt.
    pub effect: EffectClass,
    /// How it runs beside other calls.
    pub mode: ExecutionMode,
    /// How long a call may run; none = as long as it takes.
    pub timeout: Option<Micros>,
    /// The capability that gave it, where one did.
    pub from: Option<String>,
}

/// A hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hook {
    /// Its name.
    pub name: String,
    /// When it runs among others; the higher first.
    pub priority: i32,
    /// The methods of a lifecycle that it is called on.
    pub triggers: Vec<String>,
    /// Whether it fails closed.
    pub gate: bool,
    /// Whether it goes along to subagents.
    pub inherited: bool,
    /// How long it may take; none = as long as it takes.
    pub timeout: Option<Micros>,
}

/// What votes on going on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Criterion {
    /// Its name, by which it is changed or switched off.
    pub name: String,
    /// When it is asked.
    pub kind: CriterionKind,
}

/// When a criterion is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CriterionKind {
    /// At the end of each step.
    Ordinary,
    /// When the turn would otherwise go on, and before each step.
    Limit,
    /// Before the calls of a turn run.
    Calls,
}

/// Something with a name and what it is good for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Named {
    /// Its name.
    pub name: String,
    /// What it is good for.
    pub about: String,
}

impl Description {
    /// The description for a terminal: plain text that holds no control characters but line
    /// ends, whatever tools and settings say of themselves.
    pub fn to_text(&self) -> String {
        text::render(self)
    }

    /// The description as Markdown.
    pub fn to_markdown(&self) -> String {
        markdown::render(self)
    }
}
