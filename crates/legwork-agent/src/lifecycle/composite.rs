//! Several lifecycles as one, each seeing the state of the one before.

use std::sync::Arc;

use legwork_core::AgentState;
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_port::{BoxFuture, Lifecycle, StepView, Trigger};

/// Several lifecycles as one, in their order.
///
/// A member that hands back a state which does not extend the one it was given costs
/// nothing but its own change: that state is restored and the violation recorded.
#[derive(Clone, Default)]
pub struct Composite(Vec<Arc<dyn Lifecycle>>);

impl Composite {
    /// These lifecycles, in their order.
    pub fn new(members: Vec<Arc<dyn Lifecycle>>) -> Self {
        Self(members)
    }
}

impl Lifecycle for Composite {
    fn listens(&self, trigger: Trigger) -> bool {
        self.0.iter().any(|member| member.listens(trigger))
    }

    fn on<'a>(
        &'a self,
        trigger: Trigger,
        mut state: AgentState,
        view: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        Box::pin(async move {
            for member in self.0.iter().filter(|member| member.listens(trigger)) {
                let (mark, before) = (state.mark(), state.clone());
                let after = member.on(trigger, state, view).await;
                state = if after.extends(&mark) { after } else { violated(before, trigger) };
            }
            state
        })
    }
}

fn violated(state: AgentState, trigger: Trigger) -> AgentState {
    let message = format!(
        "a lifecycle handed back a state on {trigger:?} that does not extend the one it was \
         given: its change is left out; return what was given, changed only by transitions"
    );
    let source = ErrorSource::Hook("lifecycle".to_owned());
    state.with_error(ErrorRecord::new(source, ErrorKind::Lineage, message))
}
