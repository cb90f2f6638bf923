//! Several lifecycles as one, each seeing the state of the one before.

use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, poll_immediate, select};
use legwork_core::AgentState;
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_port::{BoxFuture, Lifecycle, StepView, Trigger, unwind};

use crate::admit::{Refused, Rights, admit};
use crate::strictness::Strictness;

/// The name that violations are recorded under: a lifecycle has none of its own.
const NAME: &str = "lifecycle";

/// Several lifecycles as one, in their order.
///
/// A member that hands back a state which does not extend the one it was given, or that
/// changed what may not change at that point, or that panics, costs nothing but its own change: the state
/// that it was given is restored and the violation recorded.
#[derive(Clone, Default)]
pub struct Composite {
    members: Vec<(Rights, Arc<dyn Lifecycle>)>,
    strictness: Strictness,
}

impl Composite {
    /// These lifecycles, in their order.
    pub fn new(members: Vec<Arc<dyn Lifecycle>>) -> Self {
        let members = members.into_iter().map(|member| (Rights::Guest, member)).collect();
        Self { members, strictness: Strictness::default() }
    }

    /// The same, with what becomes of changes that are not allowed.
    #[must_use]
    pub fn strictness(self, strictness: Strictness) -> Self {
        Self { strictness, ..self }
    }

    /// A core: it may change what a core changes.
    pub fn core(core: Arc<dyn Lifecycle>) -> Self {
        Self { members: vec![(Rights::Core, core)], strictness: Strictness::default() }
    }
}

impl Lifecycle for Composite {
    fn listens(&self, trigger: Trigger) -> bool {
        self.members.iter().any(|(_, member)| listens(&**member, trigger))
    }

    fn on<'a>(
        &'a self,
        trigger: Trigger,
        state: AgentState,
        view: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        Box::pin(self.show(trigger, state, view))
    }
}

/// Whether a member listens; one that panics when it is asked is called, and fails there.
fn listens(member: &dyn Lifecycle, trigger: Trigger) -> bool {
    unwind::call(|| member.listens(trigger)).unwrap_or(true)
}

/// What a member hands back; one that panics costs nothing but its own change. None if it
/// waits when the run is cancelled or interrupted; Core is waited for.
async fn run(
    rights: Rights,
    member: &dyn Lifecycle,
    trigger: Trigger,
    state: AgentState,
    view: &StepView,
) -> Option<Result<AgentState, Refused>> {
    let mut running = unwind::run(|| member.on(trigger, state, view));
    let ran = match poll_immediate(&mut running).await {
        Some(ran) => ran,
        None if rights == Rights::Core => running.await,
        // In a box: few wait, and waiting for one is large.
        None => Box::pin(wait(running, view)).await?,
    };
    Some(ran.map_err(|panic| {
        let message = format!("panicked on {}: {panic}", trigger.name());
        Refused { kind: ErrorKind::Hook, message }
    }))
}

/// Waits for a member; none if the run is to end first.
async fn wait<F: Future + Unpin>(running: F, view: &StepView) -> Option<F::Output> {
    match select(running, pin!(view.ended())).await {
        Either::Left((ran, _)) => Some(ran),
        Either::Right(_) => None,
    }
}

impl Composite {
    /// Shows the state to each member that listens, as [`Lifecycle::on`] does, in a future that
    /// takes no box.
    pub async fn show(
        &self,
        trigger: Trigger,
        mut state: AgentState,
        view: &StepView,
    ) -> AgentState {
        let listening = self.members.iter().filter(|(_, member)| listens(&**member, trigger));
        for (rights, member) in listening {
            let before = state.clone();
            let admitted = match run(*rights, &**member, trigger, state, view).await {
                Some(Ok(after)) => admit(*rights, trigger, &before, after),
                Some(Err(panicked)) => Err(panicked),
                None => Ok(before.clone()),
            };
            state = match admitted {
                Ok(after) => after,
                Err(refused) => self.violated(trigger, before, refused),
            };
        }
        state
    }

    fn violated(&self, trigger: Trigger, state: AgentState, refused: Refused) -> AgentState {
        let source = ErrorSource::Hook(NAME.to_owned());
        let message = format!("a lifecycle {}", refused.message);
        let fails =
            self.strictness.fails(trigger, &refused.kind) && state.stop_signals().is_empty();
        let error = ErrorRecord::new(source, refused.kind, message);
        if fails { state.with_fatal_error(NAME, error) } else { state.with_error(error) }
    }
}
