//! Why a turn ended, in the words of the protocol.

use legwork_core::continuation::End;
use legwork_core::{AgentState, FinishReason, Part, StopReason};

use crate::wire::Failure;

/// How a turn ends.
#[derive(Debug, PartialEq)]
pub(crate) struct Stop {
    /// The reason of the protocol.
    pub(crate) reason: &'static str,
    /// What the person should read about it, if there is something.
    pub(crate) note: Option<String>,
}

impl Stop {
    /// The person cancelled it.
    pub(crate) const CANCELLED: Self = Self { reason: "cancelled", note: None };

    pub(crate) fn of(reason: &'static str) -> Self {
        Self { reason, note: None }
    }

    pub(crate) fn noted(reason: &'static str, note: impl Into<String>) -> Self {
        Self { reason, note: Some(note.into()) }
    }

    /// How the execution of a state ended.
    ///
    /// # Errors
    /// When it failed.
    pub(crate) fn of_state(state: &AgentState) -> Result<Self, Failure> {
        let end = state.end();
        Ok(match end {
            End::Completed | End::Idle => Self::of(completed(state)),
            End::Stopped(signal) => {
                let reason = signal.map(|signal| &signal.reason).or(state.stop_reason());
                Self::noted(stopped(reason, state), end.to_string())
            }
            End::Failed(_) => return Err(Failure::internal(end.to_string())),
            End::Cancelled(_) | End::Interrupted => Self::noted("cancelled", end.to_string()),
            End::Waiting(_) | End::Suspended(_) => Self::noted("end_turn", end.to_string()),
            _ => Self::of("end_turn"),
        })
    }
}

fn completed(state: &AgentState) -> &'static str {
    let Some(response) = state.final_response() else { return "end_turn" };
    let refuses = |part: &Part| matches!(part, Part::Refusal(_));
    match &response.finish {
        FinishReason::ContentFilter => "refusal",
        _ if response.message.parts.iter().any(refuses) => "refusal",
        FinishReason::Length => "max_tokens",
        _ => "end_turn",
    }
}

fn stopped(reason: Option<&StopReason>, state: &AgentState) -> &'static str {
    match reason {
        Some(StopReason::TokenLimit) => "max_tokens",
        Some(StopReason::UserRequested) => "cancelled",
        Some(StopReason::FinishReason) => match completed(state) {
            "end_turn" => "max_tokens",
            other => other,
        },
        Some(reason) if reason.is_limit() => "max_turn_requests",
        _ => "end_turn",
    }
}
