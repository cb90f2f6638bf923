//! The tool that a call names, among those that its step was shown.

use std::sync::Arc;

use legwork_core::tool::FailureKind;
use legwork_core::{AgentState, ToolOutcome, ToolSpec};

use crate::step_tools::StepTools;

impl StepTools {
    /// The tool of a name with its index, if it is the one that the step of a state was shown.
    ///
    /// # Errors
    /// The outcome that tells the model why not: there is no such tool, or it changed since it
    /// was shown.
    pub fn find(
        &self,
        state: &AgentState,
        name: &str,
    ) -> Result<(usize, &Arc<ToolSpec>), ToolOutcome> {
        let recorded = state.context().tools_shown.as_ref();
        let recorded = recorded.and_then(|recorded| recorded.tools.get(name));
        match self.specs.find(name) {
            Some((at, spec)) if recorded == self.digest_of(at) => Ok((at, spec)),
            None if recorded.is_none() => Err(unknown(self, name)),
            _ => Err(changed(name)),
        }
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
