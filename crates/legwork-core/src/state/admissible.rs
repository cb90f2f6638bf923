//! Whether what was recorded may stand: in a conversation and in a journal.

use crate::event::Event;
use crate::message::{Malformed, ResultPart};
use crate::nesting;
use crate::state::{AgentState, Refusal};
use crate::tool::{Output, ToolOutcome};
use crate::transcript::Transcript;

impl AgentState {
    /// Whether what was recorded since an older state that this one extends may stand.
    ///
    /// Messages that were added are well formed by themselves, a response stays an answer and
    /// one that came incomplete stays so, and no value is nested too deeply.
    ///
    /// # Errors
    /// Why not.
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
                ToolOutcome::Ok(Output(parts)) => parts.iter().all(ResultPart::fits),
                _ => true,
            },
            Event::Defined(defined) => nesting::all_fit(&defined.definition.settings.extra),
            _ => true,
        };
        if fits { Ok(()) } else { Err(Malformed::TooDeep.into()) }
    }
}
