//! The outcome of a vote, which explains itself.

use serde::{Deserialize, Serialize};

use crate::lean;
use crate::outcome::{Decision, StopReason, StopSignal, Vote};

/// The name of the criterion that requests to go on when the model called tools.
pub(crate) const TOOL_CALLS: &str = "tool_calls_present";

/// Whether the execution goes on, and which votes decided it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContinuationOutcome {
    pub(super) go_on: bool,
    /// The name of the criterion or hook whose vote decided.
    pub by: String,
    /// The deciding signal, if it is a stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<StopSignal>,
    /// Every vote other than a plain allow, sorted by name, the deciding one included.
    ///
    /// Journals of early versions lack the deciding one.
    #[serde(default, deserialize_with = "lean::few", skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
}

impl ContinuationOutcome {
    /// A stop for a signal.
    pub fn stop(signal: StopSignal) -> Self {
        Self { go_on: false, by: signal.source.clone(), signal: Some(signal), votes: Vec::new() }
    }

    /// A decision to go on, by the vote of this name.
    pub fn go_on(by: impl Into<String>) -> Self {
        Self { go_on: true, by: by.into(), signal: None, votes: Vec::new() }
    }

    /// Whether the execution goes on.
    pub fn should_continue(&self) -> bool {
        self.go_on
    }

    /// Why it stops; none if it goes on.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.signal.as_ref().map(|signal| &signal.reason)
    }

    /// The outcome as a sentence, with the numbers of a limit and the requests it overruled.
    pub fn explain(&self) -> String {
        let Some(signal) = &self.signal else {
            return match &*self.by {
                TOOL_CALLS => "Continuing: the model called tools.".to_owned(),
                by => format!("Continuing: {by} asked to."),
            };
        };
        let StopSignal { reason, source, message, .. } = signal;
        // The source of most limits has the same name as the reason.
        let by = match source == reason.as_str() {
            true => String::new(),
            false => format!(", by {source}"),
        };
        let asked = match self.overruled().join(" and ") {
            names if names.is_empty() => names,
            names => format!("; {names} asked to continue"),
        };
        format!("Stopping ({reason}{by}): {message}{asked}.")
    }

    /// The names of those that requested to continue and were overruled by a limit.
    fn overruled(&self) -> Vec<&str> {
        if !self.stop_reason().is_some_and(StopReason::is_limit) {
            return Vec::new();
        }
        let asked = self.votes.iter().filter(|vote| vote.decision == Decision::Request);
        let mut names: Vec<_> = asked.map(|vote| vote.by.as_str()).collect();
        names.dedup();
        names
    }
}
