//! The description of a tool: name, schema, effect class and limits.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Digest;
use crate::metadata::Metadata;
use crate::time::Micros;

/// Whether a call that began and has no outcome may be run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// It changes nothing: it is run again.
    ReadOnly,
    /// It uses its idempotency key: it is run again with the same key.
    Idempotent,
    /// It must not happen twice: it is not run again by itself.
    Once(OnDoubt),
}

impl EffectClass {
    /// Whether the call may be run again after a crash.
    pub fn is_repeatable(self) -> bool {
        !matches!(self, Self::Once(_))
    }
}

impl Default for EffectClass {
    fn default() -> Self {
        Self::Once(OnDoubt::Ask)
    }
}

/// What to do about a `Once` call that is in doubt: it may or may not have happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnDoubt {
    /// Pause and ask a person.
    #[default]
    Ask,
    /// Report to the model that it was interrupted.
    Tell,
}

/// Whether a call runs concurrently with the others of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExecutionMode {
    /// Alone: after all calls before it have ended, and before those after it begin.
    Sequential,
    /// Concurrently; live results are emitted in call order.
    #[default]
    ParallelOrdered,
    /// Concurrently; live results are emitted as they arrive.
    ParallelUnordered,
}

/// The description of a tool, as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolSpec {
    /// The name that the model calls it by.
    pub name: Arc<str>,
    /// What it does, for the model.
    pub description: Arc<str>,
    /// JSON Schema of its arguments: an object schema.
    pub parameters: Value,
    /// Whether a call in doubt may be run again.
    #[serde(default)]
    pub effect: EffectClass,
    /// Whether it runs concurrently with other calls.
    #[serde(default)]
    pub mode: ExecutionMode,
    /// The maximum number of retries in a row; 2 by default.
    #[serde(default = "default_retries")]
    pub max_retries: u32,
    /// The time limit of a call; none = no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Micros>,
    /// The argument that names the resource a call works on, such as a path.
    ///
    /// Calls of one turn with equal resources run one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// Whether a call runs in a session of its own, a subagent's.
    #[serde(rename = "place", default, skip_serializing_if = "RunsIn::is_caller_session")]
    pub runs_in: RunsIn,
    /// Whether its result is the output of the execution, which ends with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_output: bool,
    /// The maximum number of calls in an execution; none = no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_calls: Option<u32>,
    /// The most bytes of text and JSON of a result that the model is sent; none = the agent's
    /// limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_result: Option<u64>,
    /// How the model reads what was cut of a result, as a sentence; none = it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Arc<str>>,
    /// Words by which toolsets are filtered, such as `write`; the model never sees them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<String>,
    /// Values for people and programs; the model never sees them.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// The session in which a call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Place")]
pub enum RunsIn {
    /// The session that made the call.
    #[default]
    #[serde(rename = "here")]
    CallerSession,
    /// A session of its own, in which a subagent works.
    #[serde(rename = "child")]
    OwnSession,
}

impl RunsIn {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
    fn is_caller_session(&self) -> bool {
        *self == Self::CallerSession
    }
}

const fn default_retries() -> u32 {
    2
}

impl ToolSpec {
    /// A spec with the defaults: `Once`, parallel, two retries, no timeout.
    pub fn new(
        name: impl Into<Arc<str>>,
        description: impl Into<Arc<str>>,
        parameters: Value,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            parameters,
            effect: EffectClass::default(),
            mode: ExecutionMode::default(),
            max_retries: default_retries(),
            timeout: None,
            resource: None,
            runs_in: RunsIn::CallerSession,
            is_output: false,
            max_calls: None,
            max_result: None,
            rest: None,
            tags: BTreeSet::new(),
            metadata: Metadata::default(),
        }
    }

    /// The same with another effect class.
    #[must_use]
    pub fn effect(self, effect: EffectClass) -> Self {
        Self { effect, ..self }
    }

    /// The same with another execution mode.
    #[must_use]
    pub fn mode(self, mode: ExecutionMode) -> Self {
        Self { mode, ..self }
    }

    /// The same with a time limit for a call.
    #[must_use]
    pub fn timeout(self, timeout: impl Into<Micros>) -> Self {
        Self { timeout: Some(timeout.into()), ..self }
    }

    /// The same with another number of retries in a row.
    #[must_use]
    pub fn max_retries(self, max_retries: u32) -> Self {
        Self { max_retries, ..self }
    }

    /// The same with a maximum number of calls in an execution.
    #[must_use]
    pub fn max_calls(self, max_calls: u32) -> Self {
        Self { max_calls: Some(max_calls), ..self }
    }

    /// The same with the most bytes of text and JSON of a result that the model is sent.
    #[must_use]
    pub fn max_result(self, bytes: u64) -> Self {
        Self { max_result: Some(bytes), ..self }
    }

    /// The same with a sentence that tells the model how to read what was cut of a result, such
    /// as "Call it again with a higher `offset`."
    #[must_use]
    pub fn rest(self, how: impl Into<Arc<str>>) -> Self {
        Self { rest: Some(how.into()), ..self }
    }

    /// The same with the argument that names the resource of a call.
    #[must_use]
    pub fn resource(self, argument: impl Into<String>) -> Self {
        Self { resource: Some(argument.into()), ..self }
    }

    /// The same, each of its calls running in a session of its own.
    #[must_use]
    pub fn in_child(self) -> Self {
        Self { runs_in: RunsIn::OwnSession, ..self }
    }

    /// The same, its result being the output of the execution, which ends with it.
    #[must_use]
    pub fn gives_output(self) -> Self {
        Self { is_output: true, ..self }
    }

    /// The same with a tag.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.insert(tag.into());
        self
    }

    /// The same with a value for people and programs.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: Value) -> Self {
        self.metadata.insert(name, value);
        self
    }

    /// Whether it has a tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.contains(tag)
    }

    /// The key of the resource that a call with these arguments works on.
    ///
    /// It is the value of the [`resource`](Self::resource) argument; none if the spec names no
    /// argument. All tools use one key space. A text is normalized as a path: `a.txt`,
    /// `./a.txt` and `b/../a.txt` have the same key.
    pub fn resource_of(&self, arguments: &Value) -> Option<String> {
        let value = arguments.get(self.resource.as_deref()?)?;
        Some(value.as_str().map_or_else(|| value.to_string(), normalised))
    }

    /// An estimate of what a model reads of it, in bytes of text.
    pub(crate) fn weight(&self) -> u64 {
        let parameters = self.parameters.to_string().len();
        (self.name.len() + self.description.len() + parameters) as u64
    }

    /// The digest of all its fields.
    pub fn digest(&self) -> Digest {
        Digest::of_serialize(self).unwrap_or_else(|_| Digest::of_bytes(self.name.as_bytes()))
    }
}

/// A path without `.` and `..` components, by its text alone.
///
/// Texts that are not paths may get the same key though they differ; their calls then run one
/// after the other.
fn normalised(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => drop(parts.pop()),
            ("..", None) if path.starts_with('/') => {}
            _ => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}
