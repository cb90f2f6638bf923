//! What a step has to work with; a driver holds no wiring of its own.

use std::ops::ControlFlow::{self, Break, Continue};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{Either, select};
use legwork_account::Account;
use legwork_context::{Conversation, Owed};
use legwork_core::budget::{Amounts, Reserve};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::event::{InferenceStarted, ToolFinished};
use legwork_core::state::Seal;
use legwork_core::{AgentState, Event, ModelRequest, ToolCall, ToolOutcome, Transcript};
use legwork_port::{
    Claim, Emitter, EventKind, Lifecycle, Model, Observer, Profile, StepView, Trigger,
};
use legwork_session::kept::Kept;
use legwork_session::{NewItems, Writer};
use legwork_toolset::Toolbox;

use crate::control::Control;
use crate::driver::unsettled;
use crate::error::Halt;
use crate::services::{Ancestry, Caller, Services};
use crate::wait_policy::WaitPolicy;

/// What a step has to work with.
pub struct StepContext {
    pub(crate) services: Arc<Services>,
    pub(crate) writer: Writer,
    pub(crate) control: Control,
    pub(crate) waits: WaitPolicy,
    pub(crate) events: Emitter,
    pub(crate) view: StepView,
    pub(crate) toolbox: Toolbox,
    /// What the model reads of the session.
    conversation: Mutex<Conversation>,
    pub(crate) account: Account,
    /// Whether the store looked for new items when the last inference was committed.
    pub(crate) store_looked: AtomicBool,
    /// Whether items came while a step began: it begins again, and hooks have seen that.
    pub(crate) begins_again: AtomicBool,
    /// Says of calls that they were judged in this run.
    pub(crate) seal: Seal,
    /// How many of the requests to stop observers were notified of.
    pub(crate) signals_emitted: AtomicUsize,
}

impl StepContext {
    /// What the steps of a run work with, under a claim and at a place in a tree of agents.
    pub(crate) fn new(
        services: Arc<Services>,
        claim: Arc<Box<dyn Claim>>,
        ancestry: Ancestry,
        observers: Vec<Arc<dyn Observer>>,
    ) -> Self {
        let (store, clock) = (&services.sessions.store, &services.sessions.clock);
        let (store, clock) = (Arc::clone(store), Arc::clone(clock));
        let events = services.sessions.events(ancestry.origin, observers);
        Self {
            writer: Writer { store, claim, events: events.clone(), kept: Kept::default() },
            view: StepView::new(events.clone(), clock, services.deps.clone()),
            control: Control::default(),
            waits: WaitPolicy::default(),
            conversation: Mutex::new(Conversation::new(services.context.clone())),
            toolbox: Toolbox::new(Arc::clone(&services.toolsets), events.clone()),
            events,
            account: Account::below(ancestry.shared_budget),
            store_looked: AtomicBool::new(false),
            begins_again: AtomicBool::new(false),
            seal: Seal::default(),
            signals_emitted: AtomicUsize::new(0),
            services,
        }
    }

    /// The same under a control, with what is done where the run would have to wait.
    pub(crate) fn with_control(mut self, control: Control, waits: WaitPolicy) -> Self {
        self.controlled_by(control);
        self.waits = waits;
        self
    }

    /// The model that the state names.
    ///
    /// # Errors
    /// When the agent was given no model of that name.
    pub fn model(&self, state: &AgentState) -> Result<&Arc<dyn Model>, ErrorRecord> {
        let name = &*state.settings().model;
        self.services.models.get(name).ok_or_else(|| {
            let known: Vec<_> = self.services.models.keys().map(String::as_str).collect();
            let message = format!(
                "the agent has no model `{name}`: it has {}; give it that model when it is built",
                known.join(", ")
            );
            ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, message)
        })
    }

    /// The messages that the model reads of a state, without what transforms leave out.
    ///
    /// # Errors
    /// When the agent has no such model, or calls have no results yet.
    pub fn messages(&self, state: &AgentState) -> Result<Transcript, ErrorRecord> {
        let profile = self.model(state)?.profile();
        let messages = self.conversation().messages(state, profile);
        messages.map_err(|_| unsettled())
    }

    /// What a request needs before it is sent.
    ///
    /// # Errors
    /// The refusal of the last one as too long, if nothing was left out for it.
    pub(crate) fn owed_first(
        &self,
        state: &AgentState,
        request: &ModelRequest,
    ) -> Result<Option<Owed>, ErrorRecord> {
        let mut conversation = self.conversation();
        let owed = conversation.owed(state, request, self.profile(state));
        for warning in conversation.warnings() {
            self.events.warn(|| warning);
        }
        conversation.overflow().map_or(Ok(owed), Err)
    }

    /// What is known of the model of a state.
    pub(crate) fn profile(&self, state: &AgentState) -> &Profile {
        static UNKNOWN: Profile = Profile::new();
        self.model(state).map_or(&UNKNOWN, |model| model.profile())
    }

    /// What the run keeps of its conversation.
    pub(crate) fn conversation(&self) -> MutexGuard<'_, Conversation> {
        self.conversation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the run is cancelled or interrupted; a driver that waits for something of its own
    /// ends when it is raised.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// This run, as its calls that run subagents need it.
    pub(crate) fn caller(&self) -> Caller<'_> {
        Caller {
            services: &self.services,
            control: &self.control,
            events: &self.events,
            waits: self.waits,
            shared_budget: self.account.above(),
            held_calls: &self.account.calls,
        }
    }

    /// Puts the run under another control; gives the one that it was under.
    pub(crate) fn controlled_by(&mut self, control: Control) -> Control {
        self.view = self.view.clone().with_ends(control.both());
        std::mem::replace(&mut self.control, control)
    }

    /// What comes of some work; none if the run is cancelled or interrupted first.
    pub(crate) async fn unless_raised<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        match select(pin!(work), pin!(self.control.raised())).await {
            Either::Left((result, _)) => Some(result),
            Either::Right(_) => None,
        }
    }

    /// The tools of this run.
    pub fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// The state at the present time.
    pub fn tick(&self, state: AgentState) -> AgentState {
        state.at(self.services.sessions.clock.now())
    }

    /// Appends what the state has not committed yet, and notifies observers.
    ///
    /// # Errors
    /// A halt with the state as it was, when the store said no.
    pub async fn commit(&self, state: AgentState) -> Result<AgentState, Halt> {
        let nothing = state.uncommitted().is_empty();
        let state = if nothing { state } else { state.with_active_time_due() };
        match self.writer.commit(&state, None, NewItems::Wait).await {
            Ok(()) => Ok(self.settled(state)),
            Err(error) => Err(Halt::new(state, error)),
        }
    }

    /// Commits that an inference begins. If items came for the session since the inbox was
    /// last looked at, nothing of it happens: the state before it is handed back, and the
    /// step begins again with them.
    pub(crate) async fn commit_inference(
        &self,
        before: AgentState,
        started: InferenceStarted,
    ) -> Result<ControlFlow<AgentState, AgentState>, Halt> {
        let (begins_step, reserved) = (before.current_step().is_none(), started.reserved);
        let started = Event::InferenceStarted(started);
        if !begins_step {
            return self.commit(before.with(started)).await.map(Continue);
        }
        // A second state would be held until it is durable, and each change copies what is shared.
        let next = before.next_entry(started);
        let committed = self.writer.commit(&before, Some(&next), NewItems::First).await;
        self.store_looked.store(true, Ordering::Relaxed);
        match committed {
            Ok(()) => return Ok(Continue(self.settled(before.with_next(next)))),
            Err(error) if error.is_new_items() => {}
            Err(error) => return Err(Halt::new(before.with_next(next), error)),
        }
        self.account.release(&reserved);
        self.begins_again.store(true, Ordering::Relaxed);
        Ok(Break(before))
    }

    /// Commits the end of an execution. If items came for the session since the inbox was last
    /// looked at, it does not end: the state before is handed back, and the items are taken up.
    /// An end that hooks saw stands: then they wait for the release of the claim.
    pub(crate) async fn commit_end(
        &self,
        ended: AgentState,
        before: AgentState,
    ) -> Result<AgentState, Halt> {
        if self.listens(Trigger::ExecutionEnd) {
            return self.commit(ended).await;
        }
        let ended = ended.with_active_time_due();
        match self.writer.commit(&ended, None, NewItems::First).await {
            Ok(()) => Ok(self.settled(ended)),
            Err(error) if error.is_new_items() => Ok(before),
            Err(error) => Err(Halt::new(ended, error)),
        }
    }

    /// The state that was committed; what it charged is settled above.
    fn settled(&self, state: AgentState) -> AgentState {
        self.account.committed();
        state.committed()
    }

    /// The state as the journal has it, taken up now; none if it has nothing, or cannot be read.
    pub(crate) async fn journaled(&self) -> Option<AgentState> {
        let state = self.tick(self.writer.journaled().await?).resumed();
        Some(state.masked_by(&self.services.sessions.mask))
    }

    /// Whether anything of the lifecycle wants a trigger.
    pub fn listens(&self, trigger: Trigger) -> bool {
        self.services.lifecycle.listens(trigger)
    }

    /// Lets the lifecycle see the state on a trigger: Core first, then hooks.
    pub async fn fire(&self, trigger: Trigger, mut state: AgentState) -> AgentState {
        let Services { core, lifecycle, .. } = &*self.services;
        if !core.listens(trigger) && !lifecycle.listens(trigger) {
            return state;
        }
        if trigger == Trigger::StepStart {
            // If the tools cannot be listed, building the request says so.
            let _ = self.unless_raised(self.toolbox.all(&state)).await;
        }
        let view = self.view.clone().with_tools(self.toolbox.known());
        if core.listens(trigger) {
            state = core.on(trigger, state, &view).await;
        }
        if lifecycle.listens(trigger) {
            state = lifecycle.show(trigger, state, &view).await;
        }
        self.emit_signals(&state);
        self.tick(state)
    }

    /// Sends an event to the observers of the run; it is built only if one of them listens.
    pub fn emit(&self, kind: impl FnOnce() -> EventKind) {
        self.events.emit(kind);
    }

    /// Notifies observers of the stop signals that are new since the last call.
    pub(crate) fn emit_signals(&self, state: &AgentState) {
        let signals = state.stop_signals();
        let emitted = self.signals_emitted.swap(signals.len(), Ordering::Relaxed);
        for signal in signals.iter().skip(emitted) {
            self.emit(|| EventKind::StopRaised { signal: signal.clone() });
        }
    }

    /// Settles what is reserved for an inference, with the agents above as soon as that is
    /// durable, and notifies observers.
    pub(crate) fn settle(&self, reserve: Option<&Reserve>, charged: &Amounts) {
        let Some(Reserve { entry: id, amounts: held, .. }) = reserve.copied() else { return };
        self.account.charge(held, *charged);
        self.emit(|| EventKind::BudgetSettled { id, charged: *charged });
    }

    /// Answers a call of the step under way that does not run, or not any more.
    pub(crate) fn answer(&self, state: AgentState, index: u32, outcome: ToolOutcome) -> AgentState {
        let Some(slot) = state.call(index) else { return state };
        let finished = ToolFinished::without_running(index, outcome);
        self.emit_finished(&slot.call, &finished);
        state.with(Event::ToolFinished(finished))
    }

    /// Notifies observers of the result of a call that did not run, if it has one.
    pub(crate) fn emit_ended(&self, state: &AgentState, index: u32) {
        let Some(slot) = state.call(index) else { return };
        let Some(execution) = slot.execution() else { return };
        let outcome = (*execution.outcome).clone();
        self.emit_finished(&slot.call, &ToolFinished::without_running(index, outcome));
    }

    /// Notifies observers of the result of a call.
    pub(crate) fn emit_finished(&self, call: &ToolCall, finished: &ToolFinished) {
        self.emit(|| EventKind::ToolFinished {
            index: finished.index,
            call: call.clone(),
            outcome: (*finished.outcome).clone(),
            took: finished.took,
            metadata: finished.metadata.clone(),
        });
    }
}
