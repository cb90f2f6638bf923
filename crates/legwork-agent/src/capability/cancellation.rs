//! The capability that lets somebody outside end executions.

use legwork_core::{AgentState, StopReason, StopSignal};
use legwork_lifecycle::hooks::{hook, priority};
use legwork_port::{Cancellation, Trigger};

use crate::agent::builder::Builder;
use crate::capability::Capability;

/// Ends executions as cancelled when somebody raises a [`Cancellation`] that they hold, such
/// as that of a whole program.
///
/// It is asked before each step and before each tool call, also in subagents: what runs is
/// not broken off. A run's own [`Control`](crate::Control) breaks off what runs.
///
/// ```
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use legwork_agent::{Agent, capability::CancellationCapability};
/// use legwork_core::ExecutionStatus;
/// use legwork_port::Cancellation;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), legwork_agent::Error> {
/// # let model = ScriptedModel::new([Turn::text("hello")]);
/// let closing = Cancellation::new();
/// let capability = CancellationCapability::new(closing.clone());
/// let agent = Agent::builder(model).capability(capability).build()?;
/// closing.cancel();
/// assert_eq!(agent.run("hi").outcome().await?.status(), ExecutionStatus::Cancelled);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct CancellationCapability(Cancellation);

/// The name of the capability and its hook.
const NAME: &str = "cancellation";

impl CancellationCapability {
    /// Ends executions when this is raised.
    pub fn new(cancellation: Cancellation) -> Self {
        Self(cancellation)
    }
}

impl Capability for CancellationCapability {
    fn name(&self) -> &str {
        NAME
    }

    fn about(&self) -> &str {
        "Ends executions when somebody outside says so."
    }

    fn install(&self, builder: Builder) -> Builder {
        let cancellation = self.0.clone();
        let triggers = [Trigger::StepStart, Trigger::BeforeToolUse];
        let ends = hook(NAME, triggers, move |state, _| {
            let raised = cancellation.is_cancelled();
            async move { Ok(if raised { ended(state) } else { state }) }
        });
        builder.hook(ends.priority(priority::CANCELLATION))
    }
}

fn ended(state: AgentState) -> AgentState {
    if state.stop_signals().iter().any(|signal| signal.reason == StopReason::UserRequested) {
        return state;
    }
    let words = "it was cancelled from outside";
    state.with_stop_signal(StopSignal::new(StopReason::UserRequested, NAME, words))
}
