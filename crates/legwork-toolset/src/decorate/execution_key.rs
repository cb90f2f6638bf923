//! Which execution a state is in.

use legwork_core::{AgentState, Seq, SessionId, Timestamp};

/// Which execution a state is in, also where a session was removed and another has its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExecutionKey {
    session: SessionId,
    execution: Seq,
    started_at: Timestamp,
}

impl ExecutionKey {
    /// The execution of a state; none if there was none.
    pub(super) fn of(state: &AgentState) -> Option<Self> {
        let execution = state.execution()?;
        let (execution, started_at) = (execution.id, execution.started_at);
        Some(Self { session: state.session().clone(), execution, started_at })
    }
}
