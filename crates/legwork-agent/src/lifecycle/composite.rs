//! Several lifecycles as one, each seeing the state of the one before.

use std::sync::Arc;

use legwork_core::AgentState;
use legwork_core::error::{ErrorRecord, ErrorSource};
use legwork_port::{BoxFuture, Lifecycle, StepView, Trigger};

use crate::lifecycle::admit::{Refused, Rights, admit};

/// Several lifecycles as one, in their order.
///
/// A member that hands back a state which does not extend the one it was given, or that
/// changed what may not change at that point, costs nothing but its own change: the state
/// that it was given is restored and the violation recorded.
#[derive(Clone, Default)]
pub struct Composite(Vec<(Rights, Arc<dyn Lifecycle>)>);

impl Composite {
    /// These lifecycles, in their order.
    pub fn new(members: Vec<Arc<dyn Lifecycle>>) -> Self {
        Self(members.into_iter().map(|member| (Rights::Guest, member)).collect())
    }

    /// A core: it may change what a core changes.
    pub(crate) fn core(core: Arc<dyn Lifecycle>) -> Self {
        Self(vec![(Rights::Core, core)])
    }
}

impl Lifecycle for Composite {
    fn listens(&self, trigger: Trigger) -> bool {
        self.0.iter().any(|(_, member)| member.listens(trigger))
    }

    fn on<'a>(
        &'a self,
        trigger: Trigger,
        mut state: AgentState,
        view: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        Box::pin(async move {
            for (rights, member) in self.0.iter().filter(|(_, member)| member.listens(trigger)) {
                let (mark, before) = (state.mark(), state.clone());
                let after = member.on(trigger, state, view).await;
                state = match admit(*rights, trigger, (&before, &mark), after) {
                    Ok(after) => after,
                    Err(refused) => violated(before, refused),
                };
            }
            state
        })
    }
}

fn violated(state: AgentState, refused: Refused) -> AgentState {
    let source = ErrorSource::Hook("lifecycle".to_owned());
    let message = format!("a lifecycle {}", refused.message);
    state.with_error(ErrorRecord::new(source, refused.kind, message))
}
