//! What people decide, and how they are heard.

use std::sync::Arc;

use legwork_core::OnDoubt;
use legwork_core::event::DefinitionPolicy;
use legwork_core::inbox::FollowUps;
use legwork_port::Approver;

use crate::agent::builder::Builder;

impl Builder {
    /// Who answers calls that wait, in this process; by default nobody, and the execution rests.
    ///
    /// ```
    /// use legwork_agent::Agent;
    /// use legwork_core::inbox::Answer;
    /// # use legwork_core::AgentState;
    /// # use legwork_core::state::Pending;
    /// # use legwork_testkit::{ScriptedModel, Turn};
    /// # let model = ScriptedModel::new([Turn::text("done")]);
    /// let agent = Agent::builder(model).approver(async |pending: Pending, _: AgentState| {
    ///     (&*pending.tool == "look").then(|| Answer::approve(&pending).by("the night shift"))
    /// });
    /// # agent.build().unwrap();
    /// ```
    #[must_use]
    pub fn approver(self, approver: impl Approver + 'static) -> Self {
        Self { approver: Some(Arc::new(approver)), ..self }
    }

    /// What to do about calls in doubt, whatever their tools say.
    #[must_use]
    pub fn on_doubt(self, on_doubt: OnDoubt) -> Self {
        Self { on_doubt: Some(on_doubt), ..self }
    }

    /// What happens to sessions that were begun with another definition of the agent: instructions,
    /// models, settings, limits, output or tools. By default they are upgraded.
    #[must_use]
    pub fn on_changed_definition(self, policy: DefinitionPolicy) -> Self {
        Self { on_change: policy, ..self }
    }

    /// How many of the follow-up messages that wait are delivered where the agent would stop; one at
    /// a time by default.
    #[must_use]
    pub fn follow_ups(self, follow_ups: FollowUps) -> Self {
        Self { follow_ups, ..self }
    }
}
