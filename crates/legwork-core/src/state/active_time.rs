//! Active time of a step: when it is charged, and how much.

use crate::entry::Entry;
use crate::event::{Event, Worked};
use crate::state::{AgentState, ExecutionStatus};
use crate::time::{Micros, Timestamp};

/// How much active time may pass, while a call runs, before it is charged durably. The death
/// of the process loses no more, and is charged that much.
pub const BEAT: Micros = Micros(10_000_000);

/// Active time that is worth an entry when something is committed in mid-step.
const WORTH: Micros = Micros(1_000_000);

impl AgentState {
    /// Charges the active time of the step under way, before something of it is committed, if
    /// a second or more passed since the last charge.
    #[must_use]
    pub fn with_active_time_due(self) -> Self {
        let due = self.current_step().is_some() && self.step_time() >= WORTH;
        if due { self.with_active_time() } else { self }
    }

    /// Charges the active time of the step under way since the last charge.
    #[must_use]
    pub fn with_active_time(self) -> Self {
        let took = self.step_time();
        self.with(Event::Worked(Worked::on(took)))
    }

    /// Leaves the step under way: its active time is charged, and none of what passes until it
    /// is taken up again.
    #[must_use]
    pub fn with_step_left(self) -> Self {
        let took = self.step_time();
        self.with(Event::Worked(Worked { rests: true, ..Worked::on(took) }))
    }

    /// Takes up the step under way. A run before that died at it worked longer than it was
    /// charged: at most until now, and at most until time would have been charged.
    #[must_use]
    pub fn with_step_taken_up(self) -> Self {
        // One that waits may have been at work while the subagent ran that it waits for.
        let works = self.status() == Some(&ExecutionStatus::InProgress);
        if self.current_step().is_none() || !(works || self.facts().at_work.is_some()) {
            return self;
        }
        let since = |at: Timestamp| self.now().wall.0.saturating_sub(at.0);
        let gap = self.facts().at_work.map_or(0, since);
        let took = Micros(gap.saturating_mul(1_000)).min(BEAT);
        self.with(Event::Worked(Worked { takes_up: true, ..Worked::on(took) }))
    }
}

/// Since when a run works on a step, after an entry, as far as the entries say.
pub(crate) fn at_work(before: Option<Timestamp>, entry: &Entry) -> Option<Timestamp> {
    match &entry.event {
        Event::Worked(Worked { rests: true, .. })
        | Event::StepFinished(_)
        | Event::ExecutionStarted(_)
        | Event::ExecutionFinished(_) => None,
        Event::Worked(_) => Some(entry.at),
        Event::InferenceStarted(_)
        | Event::InferenceFailed(_)
        | Event::InferenceInterrupted(_)
        | Event::Responded(_)
        | Event::ResponseChanged(_)
        | Event::ToolStarted(_)
        | Event::ToolFinished(_)
        | Event::ToolChanged(_) => before.or(Some(entry.at)),
        _ => before,
    }
}
