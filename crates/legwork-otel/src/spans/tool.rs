//! A call that ran: the `execute_tool` span.

use std::borrow::Cow;
use std::time::SystemTime;

use legwork_core::{ToolCall, ToolOutcome};
use opentelemetry::trace::{SpanContext, SpanKind};

use super::execution::Execution;
use super::span::Span;
use crate::attributes::{ARGUMENTS, Attributes, CALL, Operation, RESULT, TOOL, TOOL_TYPE};
use crate::content;
use crate::telemetry::Content;

/// A call that runs.
pub(super) struct Running {
    pub(super) began: SystemTime,
}

impl Running {
    /// The span of the call; none if it has no result yet.
    pub(super) fn into_span(
        self,
        execution: &Execution,
        context: SpanContext,
        call: &ToolCall,
        outcome: &ToolOutcome,
        ended: SystemTime,
        content: Content,
    ) -> Option<Span> {
        let error = match failure(outcome) {
            Outcome::Waits => return None,
            Outcome::Succeeded => None,
            Outcome::Failed(why) => Some(why),
        };
        let mut attributes = Attributes::of(Operation::Tool)
            .with(TOOL, call.name.to_string())
            .with(CALL, call.id.to_string())
            .with(TOOL_TYPE, "function");
        if content == Content::On {
            attributes = attributes
                .with(ARGUMENTS, call.arguments.to_string())
                .with(RESULT, content::of_outcome(outcome));
        }
        Some(Span {
            context,
            parent: Some(execution.context().clone()),
            kind: SpanKind::Internal,
            name: format!("{} {}", Operation::Tool.as_str(), call.name).into(),
            began: self.began,
            ended,
            attributes,
            error,
            inferred: None,
        })
    }
}

/// What an outcome is, for a span.
enum Outcome {
    Succeeded,
    Failed(Cow<'static, str>),
    /// Its result comes later.
    Waits,
}

fn failure(outcome: &ToolOutcome) -> Outcome {
    let failed = |why: &'static str| Outcome::Failed(why.into());
    match outcome {
        ToolOutcome::Ok(_) | ToolOutcome::Finished(_) | ToolOutcome::Stopped(_) => {
            Outcome::Succeeded
        }
        ToolOutcome::Deferred(_) | ToolOutcome::NeedsApproval(_) | ToolOutcome::NeedsInput(_) => {
            Outcome::Waits
        }
        ToolOutcome::Retry(_) => failed("retry"),
        ToolOutcome::Failed(kind, _) => Outcome::Failed(kind.to_string().into()),
        ToolOutcome::Blocked { .. } => failed("blocked"),
        ToolOutcome::Denied { .. } => failed("denied"),
        ToolOutcome::Interrupted => failed("interrupted"),
        ToolOutcome::Skipped(_) => failed("skipped"),
        ToolOutcome::Withdrawn => failed("withdrawn"),
        // What a newer version knows.
        _ => failed("_OTHER"),
    }
}
