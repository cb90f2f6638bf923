//! How a run takes a session up: with a new task, or where it stands.

use std::future::pending;
use std::pin::pin;

use futures_util::future::{Either, select};
use legwork_core::event::{Defined, DefinitionPolicy, Resumed, SessionStarted};
use legwork_core::state::{Input, Pending, PendingReason, Refusal};
use legwork_core::{AgentState, Event, ExecutionStatus, Message, Seq, StopReason, StopSignal};
use legwork_port::event::ExecutionStart;
use legwork_port::toolset::Scope;
use legwork_port::{Cancellation, EventKind, Trigger};
use legwork_session::inbox::take_idle;

use super::{Active, Task};
use crate::control::Control;
use crate::error::Error;
use crate::result::Advance;
use crate::run;

impl Active {
    /// Takes up what is to be done with the session.
    pub(super) async fn take_up(&mut self, task: Task) -> Result<AgentState, Error> {
        let is_over = self.state.status().is_some_and(ExecutionStatus::is_terminal);
        self.check_definition(&self.state)?;
        match (task, self.state.facts().executions) {
            (Task::Start(input), _) | (Task::StartOrResume(input), 0) => self.start(input).await,
            (Task::Resume, _) => self.resume().await,
            (Task::GoOn, _) => self.go_on_if_due().await,
            (Task::Compact { focus }, _) => self.compact(focus).await,
            (Task::Branch { to }, _) => self.branch(to).await,
            (Task::StartOrResume(_), _) => match self.resume().await {
                // It ended, and nothing was raised since: that end is what comes of it.
                Err(Error::Refused(_)) if is_over => Ok(self.state.clone()),
                resumed => resumed,
            },
        }
    }

    /// Begins a new execution; one that was left in progress ends first.
    async fn start(&mut self, input: Vec<Message>) -> Result<AgentState, Error> {
        let state = self.state.clone();
        // What is no task ends nothing.
        let state = match state.decide(Input::Start(input.clone())) {
            Ok(_) | Err(Refusal::UnderWay { .. }) => self.end_interrupted(state).await?,
            Err(refusal) => return Err(refusal.into()),
        };
        let started = state.decide(Input::Start(input))?;
        let new = state.version() == Seq::ZERO;
        let mut state = self.define(state);
        if new {
            state = take_idle(&*self.cx.services.sessions.store, state).await?.0;
        }
        let state = started.into_iter().fold(state, AgentState::with);
        Ok(self.cx.fire(Trigger::ExecutionStart, state).await)
    }

    /// Ends an execution that was left in progress, or that was told to stop while nobody ran
    /// it, as cancelled: another task takes its place. Nothing of it runs again, and its open
    /// calls are answered.
    ///
    /// A run that is interrupted meanwhile ends it no less, as one that is cancelled does:
    /// else the other task, which is not journaled yet, would be lost.
    async fn end_interrupted(&mut self, state: AgentState) -> Result<AgentState, Error> {
        let stopped = !state.stop_signals().is_empty();
        match state.status() {
            Some(ExecutionStatus::InProgress) => {}
            Some(status) if stopped && !status.is_terminal() => {}
            _ => return Ok(state),
        }
        let mut state = self.define(state).with_step_taken_up();
        if !stopped {
            let words = "another task was given";
            let signal = StopSignal::new(StopReason::UserRequested, "new_input", words);
            state = state.with_stop_signal(signal);
        }
        let asked = self.cx.controlled_by(Control::default());
        let ended = {
            let ends = self.cx.control.cancel.clone();
            let raised = async {
                asked.raised().await;
                ends.cancel();
                pending().await
            };
            // Raised first: what is asked for is known before the execution goes on.
            match select(pin!(raised), pin!(self.end(state))).await {
                Either::Left((never, _)) => never,
                Either::Right((ended, _)) => ended,
            }
        };
        self.cx.controlled_by(asked);
        ended
    }

    /// Does what is owed until the execution has ended.
    async fn end(&self, mut state: AgentState) -> Result<AgentState, Error> {
        self.open_tools().await;
        loop {
            match run::step(&*self.setup.driver, &self.cx, state).await {
                Ok(Advance::More(more)) => state = more,
                Ok(Advance::Rest(state)) => return Ok(state),
                Err(halt) => return Err(halt.into()),
            }
        }
    }

    /// Goes on if the session has something to do now; else takes up what was left for it.
    async fn go_on_if_due(&mut self) -> Result<AgentState, Error> {
        let state = &self.state;
        let now = state.now().wall;
        // Whether a subagent can go on only its own session says.
        let of_subagent = |pending: &Pending| pending.reason == PendingReason::Subagent;
        let may_go_on = state.facts().suspended.is_none() && !state.facts().moved;
        let is_due = state.due_at().is_some_and(|due| due <= now);
        if is_due || (may_go_on && state.pending().iter().any(of_subagent)) {
            return self.resume().await;
        }
        let (session, status) = (Some(state.session().clone()), state.end().to_string());
        self.state = self.cx.commit(state.clone()).await?;
        Err(Refusal::NothingToDo { session, status }.into())
    }

    async fn resume(&mut self) -> Result<AgentState, Error> {
        let state = self.state.clone();
        if state.version() == Seq::ZERO {
            return Err(self.cx.services.sessions.no_session(state.session()).into());
        }
        let idle = state.clone();
        let state = match state.facts().suspended {
            Some(_) => state.with(Event::Resumed(Resumed {})),
            None => state,
        };
        let state = self.define(state).without_waiting_subagents();
        if state.status().is_some_and(|status| !status.is_terminal()) {
            self.resumed(&state);
            let state = self.show_start(state).await;
            let state = self.show_response(state).await.with_step_taken_up();
            return Ok(self.cx.commit(state).await?);
        }
        let events = match state.decide_reopen(&self.cx.services.criteria) {
            Ok(events) => events,
            Err(refusal) => {
                // What was left for the session is taken up all the same.
                self.state = self.cx.commit(idle).await?;
                return Err(refusal.into());
            }
        };
        let begins = events.iter().any(|event| matches!(event, Event::ExecutionStarted(_)));
        self.resumed(&state);
        let state = events.into_iter().fold(state, AgentState::with);
        Ok(if begins { self.cx.fire(Trigger::ExecutionStart, state).await } else { state })
    }

    /// Notifies observers that the execution goes on, in the step where it stands.
    fn resumed(&self, state: &AgentState) {
        self.cx.events.at_step(state.current_step().map_or(0, |step| step.number));
        self.cx.emit(|| EventKind::ExecutionResumed(Box::new(ExecutionStart::of(state))));
    }

    /// Opens the toolsets, unless the run is to end: then none is used.
    pub(super) async fn open_tools(&self) {
        let (session, deps) = (self.state.session().clone(), self.cx.services.deps.clone());
        let scope = Scope::new(session, deps, Cancellation::new());
        if self.cx.unless_raised(self.cx.toolbox().open(&scope)).await.is_none() {
            scope.cancellation.cancel();
        }
    }

    /// Shows hooks the start of an execution once more when nothing that it did was journaled:
    /// the run may have been interrupted while they saw it.
    async fn show_start(&self, state: AgentState) -> AgentState {
        let last = Some(state.facts().acted);
        let unseen = state.execution().map(|execution| execution.id) == last;
        if unseen { self.cx.fire(Trigger::ExecutionStart, state).await } else { state }
    }

    /// Shows hooks a response once more when nothing that its step did was journaled after it:
    /// the process may have died, or the run been interrupted, before they saw it.
    async fn show_response(&self, state: AgentState) -> AgentState {
        let last = Some(state.facts().acted);
        let unseen = state.current_step().is_some_and(|step| match &step.response {
            Some(response) => step.response_entry == last || response.incomplete.is_some(),
            None => false,
        });
        if unseen { self.cx.fire(Trigger::AfterInference, state).await } else { state }
    }

    /// Records who works here and what the agent is, first or when it changed.
    pub(super) fn define(&self, state: AgentState) -> AgentState {
        let mut state = state;
        if state.facts().agent.is_none() {
            let (session, agent) = (state.session().clone(), self.setup.identity.agent.clone());
            let started =
                SessionStarted { session, agent, parent: self.parent.clone(), forked_from: None };
            state = state.with(Event::SessionStarted(started));
            for (key, value) in &self.setup.identity.metadata {
                state = state.with_metadata(key, Some(value.clone()));
            }
        }
        let identity = &self.setup.identity;
        let pinned = identity.on_change == DefinitionPolicy::Pin;
        match &state.facts().definition_digest {
            Some(recorded) if pinned || *recorded == identity.digest => return state,
            _ => {}
        }
        let (definition, digest) = (identity.definition.clone(), identity.digest.clone());
        state.with(Event::Defined(Defined { definition, digest: Some(digest) }))
    }

    /// Refuses a session that was begun with another definition, if the agent does so.
    fn check_definition(&self, state: &AgentState) -> Result<(), Refusal> {
        let identity = &self.setup.identity;
        let recorded = state.facts().definition_digest.as_ref();
        let changed = recorded.is_some_and(|recorded| *recorded != identity.digest);
        if !changed || identity.on_change != DefinitionPolicy::Refuse {
            return Ok(());
        }
        let changed = identity.definition.changes(state.facts().own_definition());
        Err(Refusal::DefinitionChanged { session: state.session().clone(), changed })
    }
}
