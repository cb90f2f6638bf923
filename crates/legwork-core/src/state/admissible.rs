//! Whether the changes of a hook are well formed.

use crate::event::Event;
use crate::message::{Malformed, ResultPart};
use crate::nesting;
use crate::state::{AgentState, Refusal};
use crate::tool::{Output, ToolOutcome};
use crate::transcript::Transcript;

impl AgentState {
    /// Checks the events recorded since an older state that this one extends.
    ///
    /// Added messages must be well formed by themselves, a changed response must be valid and
    /// stay incomplete if it was, and no value may be nested too deeply for a journal.
    ///
    /// # Errors
    /// The first event that fails the check.
    pub fn check_since(&self, older: &Self) -> Result<(), Refusal> {
        let recorded = || self.uncommitted().iter_from(older.uncommitted().len());
        for entry in recorded() {
            older.check_event(&entry.event)?;
        }
        let added = recorded().filter_map(|entry| match &entry.event {
            Event::MessageAdded(message) => Some(message),
            _ => None,
        });
        Ok(Transcript::check(added)?)
    }

    fn check_event(&self, event: &Event) -> Result<(), Refusal> {
        let fits = match event {
            Event::ResponseChanged(changed) => {
                let came = self.current_step().and_then(|step| step.response.as_ref());
                let whole = changed.response.incomplete.is_none();
                if whole && came.is_some_and(|response| response.incomplete.is_some()) {
                    return Err(Refusal::MadeWhole);
                }
                return Ok(changed.response.check()?);
            }
            Event::MetadataSet(set) => set.value.as_ref().is_none_or(nesting::fits),
            Event::ToolChanged(changed) => match &*changed.outcome {
                ToolOutcome::Ok(Output(parts)) | ToolOutcome::Finished(Output(parts)) => {
                    parts.iter().all(ResultPart::fits)
                }
                _ => true,
            },
            Event::Defined(defined) => nesting::all_fit(&defined.definition.settings.extra),
            _ => true,
        };
        if fits { Ok(()) } else { Err(Malformed::TooDeep.into()) }
    }
}
