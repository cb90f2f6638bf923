//! The tool that a call names, among those that its step was shown.

use std::sync::Arc;

use legwork_core::tool::FailureKind;
use legwork_core::{AgentState, ToolOutcome, ToolSpec};

use legwork_toolset::StepTools;

/// The tool of a name with its index, if it is the one that the step was shown.
///
/// # Errors
/// What the model is told: there is no such tool, or it changed since it was shown.
pub(crate) fn find<'a>(
    state: &AgentState,
    shown: &'a StepTools,
    name: &str,
) -> Result<(usize, &'a Arc<ToolSpec>), ToolOutcome> {
    let recorded = state.context().tools_shown.as_ref();
    let recorded = recorded.and_then(|recorded| recorded.tools.get(name));
    match shown.specs.find(name) {
        Some((at, spec)) if recorded == shown.digest_of(at) => Ok((at, spec)),
        None if recorded.is_none() => Err(unknown(shown, name)),
        _ => Err(changed(name)),
    }
}

fn unknown(shown: &StepTools, name: &str) -> ToolOutcome {
    let names: Vec<_> = shown.specs.iter().map(|spec| &*spec.name).collect();
    let there = if names.is_empty() { "there are no tools".to_owned() } else { names.join(", ") };
    let message = format!("There is no tool `{name}`. The tools are: {there}.");
    ToolOutcome::Failed(FailureKind::UnknownTool, message)
}

fn changed(name: &str) -> ToolOutcome {
    let message = format!(
        "The tool `{name}` is not the one that was shown when it was called. Call it again."
    );
    ToolOutcome::Failed(FailureKind::ToolChanged, message)
}
