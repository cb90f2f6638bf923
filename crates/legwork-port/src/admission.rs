//! Whether a call may run, before its body does.

use std::sync::Arc;

use legwork_core::approval;
use legwork_core::tool::Deferral;
use legwork_core::{AgentState, Digest, ToolCall};
use serde_json::Value;

/// What becomes of a call whose arguments fit the schema, before its body runs.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Admission {
    /// It runs.
    #[default]
    Run,
    /// Its arguments do not fit after all; the model reads why, and may correct them.
    Invalid(String),
    /// It does not run.
    Block {
        /// Who blocks it.
        by: String,
        /// Why, for the model.
        reason: String,
    },
    /// A person has to approve it first.
    Ask(approval::Request),
    /// Its body does not run: its result comes from outside, or it runs at a point in time.
    Defer(Deferral),
}

impl Admission {
    /// The stricter of two that were asked about one call: what refuses it, then what a person has to
    /// approve, then what puts it off.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let strictness = |one: &Self| match one {
            Self::Run => 0,
            Self::Defer(_) => 1,
            Self::Ask(_) => 2,
            Self::Invalid(_) | Self::Block { .. } => 3,
        };
        if strictness(&other) > strictness(&self) { other } else { self }
    }
}

/// A call that is about to run.
#[derive(Debug, Clone, Copy)]
pub struct AdmittedCall<'a> {
    /// The call, by the name that the tool knows itself by.
    pub call: &'a ToolCall,
    /// The name that the model called.
    pub shown: &'a Arc<str>,
    /// The arguments that it would run with.
    pub arguments: &'a Value,
    /// The state before it runs.
    pub state: &'a AgentState,
    /// Whether a person approved it: it is asked once more whether it is put off.
    pub approved: bool,
}

impl AdmittedCall<'_> {
    /// What the call is, wherever it is made: the digest of the tool, its spec and the arguments.
    pub fn what(&self) -> Digest {
        approval::what(self.shown, &self.arguments.to_string(), self.spec())
    }

    /// The digest of the spec of the tool, as it was shown.
    pub fn spec(&self) -> Option<&Digest> {
        self.state.context().tools_shown.as_ref()?.tools.get(self.shown)
    }
}
