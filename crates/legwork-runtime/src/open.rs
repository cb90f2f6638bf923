//! An execution that is open: claimed, loaded, ready for its next step.

mod auxiliary;
mod begin;
mod opening;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use legwork_core::event::ParentLink;
use legwork_core::inbox::Item;
use legwork_core::state::Refusal;
use legwork_core::{AgentState, Message, Seq, SessionId};
use legwork_port::event::ExecutionEnd;
use legwork_port::store::{self, Range};
use legwork_port::{EventKind, toolset};
use legwork_session::Renewal;
use legwork_session::inbox::{self, take_idle, take_up_rest};
use tracing::{Instrument as _, Span, debug, debug_span, warn};

use crate::context::StepContext;
use crate::control::Control;
use crate::error::{Error, Halt, HaltReason};
use crate::result::Advance;
use crate::result::Run;
use crate::run;
use crate::services::Ancestry;

pub use opening::{Identity, Opening, Setup, Target, Task};

/// An execution that is open. Dropping it gives the claim back, as far as that can be done
/// without waiting, and loses nothing that was committed.
pub struct Active {
    setup: Setup,
    cx: StepContext,
    state: AgentState,
    idle: AgentState,
    parent: Option<ParentLink>,
    /// Whether an execution is opened, whose end observers are notified of.
    executes: bool,
    phase: Phase,
    renewal: Arc<Renewal>,
    span: Span,
}

/// What is to be done next.
enum Phase {
    /// Another step.
    Steps,
    /// A state was fed back after the toolsets were closed: they are to be opened again.
    Opening,
    /// It came to rest, with this result: the toolsets are to be closed.
    Closing(Result<(), Error>),
    /// Nothing.
    Rests,
}

impl Active {
    /// Takes the claim, loads the session and takes up the task.
    ///
    /// # Errors
    /// When the session is in use, its store unusable, or it refuses the task.
    ///
    /// # Cancel safety
    /// Dropping the future gives the claim back as dropping the value does. Nothing of the task
    /// is journaled before the first [`Active::next`], but for an execution that the task ends.
    pub async fn open(setup: Setup, request: Opening) -> Result<Self, Error> {
        let services = Arc::clone(&setup.services);
        let (session, given) = request.target.resolve(&*services.ids)?;
        let ancestry = request.ancestry.unwrap_or_else(|| Ancestry::root(session.clone()));
        if ancestry.origin.session != session {
            let other = ancestry.origin.session.clone();
            return Err(Error::OtherSession { session, other });
        }
        let claim = Arc::new(services.sessions.claim_to_run(&session).await?);
        let parent = ancestry.parent.clone();
        let cx = StepContext::new(services, Arc::clone(&claim), ancestry, request.observers)
            .with_control(request.control, request.waits);
        let renewal =
            Arc::new(Renewal::new(Arc::clone(&cx.services.sessions.clock), cx.events.clone()));
        let idle = AgentState::new(session).masked_by(&cx.services.sessions.mask);
        let (state, phase) = (idle.clone(), Phase::Steps);
        let executes = !matches!(request.task, Task::Compact { .. } | Task::Branch { .. });
        let span = debug_span!("session", session = %idle.session());
        let mut active =
            Self { setup, cx, state, idle, parent, executes, phase, renewal, span: span.clone() };
        let renewal = Arc::clone(&active.renewal);
        let taken_up = renewal.during(&**claim, async {
            active.load(given).await?;
            active.state = active.take_up(request.task).await?;
            active.open_tools().await;
            active.cx.writer.kept.leave(active.cx.services.sessions.clock.now());
            debug!(entries = active.state.version().0, "opened");
            Ok(())
        });
        let taken_up = taken_up.instrument(span).await;
        drop(claim);
        let lost = |lost| Error::from(Halt::new(active.state.clone(), lost));
        match taken_up.map_err(lost).flatten() {
            Ok(()) => Ok(active),
            Err(error) => {
                active.close_tools().await;
                active.cx.writer.release().await;
                Err(error)
            }
        }
    }

    /// Takes up the state that is given, or that of the journal, with what was left for a
    /// session that others know.
    async fn load(&mut self, given: Option<AgentState>) -> Result<(), Error> {
        let state = match given {
            Some(state) => state,
            None => load(&self.cx, self.idle.session()).await?,
        };
        if let (Some(link), None) = (&state.facts().parent, &self.parent) {
            return Err(Refusal::IsSubagent { parent: link.session.clone() }.into());
        }
        self.cx.signals_emitted.store(state.stop_signals().len(), Ordering::Relaxed);
        if let Some(link) = self.parent.as_ref().filter(|link| !state.is_linked_by(link)) {
            let (session, parent) = (state.session().clone(), link.session.clone());
            return Err(Error::SessionTaken { session, parent });
        }
        self.state = self.cx.tick(state).resumed().masked_by(&self.cx.services.sessions.mask);
        if self.state.version() != Seq::ZERO {
            let store = &*self.cx.services.sessions.store;
            self.state = take_idle(store, self.state.clone()).await?.0;
        }
        Ok(())
    }

    /// Goes on until a step has ended; gives the state, or none when nothing is owed.
    ///
    /// # Cancel safety
    /// Dropping the future loses only what was not committed: the state is then the one of
    /// the last commit, and the next call goes on from there.
    ///
    /// # Errors
    /// When what happened could not be journaled. A run that was interrupted is none: it gives
    /// none, and its state is in progress.
    pub async fn next(&mut self) -> Result<Option<AgentState>, Error> {
        if !self.is_ready().await? {
            return Ok(None);
        }
        let state = self.state.clone();
        let clock = Arc::clone(&self.cx.services.sessions.clock);
        let droppable = self.cx.writer.kept.begin(&mut self.state, &*clock);
        let work = async {
            catch_up(&self.cx, run::step(&*self.setup.driver, &self.cx, state).await).await
        };
        let advanced = self.renewal.during(&**self.cx.writer.claim, work);
        let advanced = advanced.instrument(self.span.clone()).await;
        // What the step gave takes the place of what was committed last.
        drop(droppable);
        Ok(self.arrive(advanced).await?.then(|| self.state.clone()))
    }

    /// Waits for an append that was under way when a step was dropped: the store may have
    /// taken it.
    async fn land(&mut self) -> Result<(), Error> {
        let landed = self.cx.writer.land().await;
        let landed = landed.map_err(|error| Halt::new(self.state.clone(), error))?;
        let Some(landed) = landed else { return Ok(()) };
        let fed = landed.put_back.as_ref().is_none_or(|state| !state.is_same(&self.state));
        self.state = landed.state().committed();
        match fed {
            true => Err(Error::Lineage),
            false => Ok(()),
        }
    }

    /// Goes on with a state that the caller had: that was no work on its step.
    fn go_on(&mut self) {
        let Some(left) = self.cx.writer.kept.left() else { return };
        let state = self.cx.tick(self.state.clone());
        let idle = state.now().mono.since(left.mono);
        self.state = state.idled(idle);
    }

    /// Makes all steps that are left and gives the claim back; gives what came of it.
    ///
    /// # Errors
    /// As [`Active::next`].
    ///
    /// # Cancel safety
    /// Dropping the future drops the run: the session stands where it was last committed, in
    /// progress and resumable, and running calls are cut off.
    pub async fn run_to_end(mut self) -> Result<Run, Error> {
        let ended: Result<(), Error> = async {
            if !self.is_ready().await? {
                return Ok(());
            }
            // The loop alone owns what it changes: a second owner would cost a copy a change.
            let mut state = self.state.clone();
            let steps = async {
                loop {
                    match run::step(&*self.setup.driver, &self.cx, state).await {
                        Ok(Advance::More(next)) => state = next,
                        rests => return rests,
                    }
                }
            };
            let steps = self.renewal.during(&**self.cx.writer.claim, steps);
            let rests = steps.instrument(self.span.clone()).await;
            self.arrive(rests).await.map(drop)
        }
        .await;
        if let Err(error) = &ended {
            self.cx.emit(|| EventKind::RunFailed { message: error.to_string(), hint: None });
        }
        let run = self.release().await;
        ended.map(|()| run)
    }

    /// Gives the claim back; gives what came of the execution so far. When it returns, others
    /// may take the session up, and what was posted to it meanwhile is taken up. What goes wrong
    /// with that is a warning for observers.
    ///
    /// # Cancel safety
    /// Dropping the future gives the claim back as dropping the value does.
    pub async fn release(mut self) -> Run {
        let events = self.cx.events.clone();
        self.close_tools().await;
        match self.cx.writer.land().await {
            Ok(Some(landed)) => self.state = landed.state().committed(),
            Ok(None) => {}
            Err(error) => events.warn(|| format!("what was being journaled is lost: {error}")),
        }
        let Self { cx, mut state, idle, executes, .. } = self;
        if state.committed_version() == Seq::ZERO {
            // Nothing of it is journaled: there is no session to go on with.
            state = idle;
        }
        let services = Arc::clone(&cx.services);
        cx.writer.release().await;
        if services.sessions.keeps && state.uncommitted().is_empty() {
            match take_up_rest(&services.sessions, state.clone()).await {
                Ok(taken_up) => state = taken_up,
                Err(error) => events.warn(|| format!("the inbox was not looked at: {error}")),
            }
        }
        events.at_step(0);
        if executes {
            events.emit(|| ExecutionEnd::of(&state).into());
        }
        state.into()
    }

    /// Whether a step can be made.
    async fn is_ready(&mut self) -> Result<bool, Error> {
        self.land().await?;
        self.go_on();
        match self.phase {
            Phase::Steps => return Ok(true),
            Phase::Rests => return Ok(false),
            Phase::Closing(_) => return self.close().await,
            Phase::Opening => {}
        }
        match self.renewal.during(&**self.cx.writer.claim, self.open_tools()).await {
            Ok(()) => self.phase = Phase::Steps,
            Err(lost) => return self.lose(lost).await,
        }
        Ok(true)
    }

    /// Takes in what came of a step, unless the claim was lost; whether there is more to do.
    async fn arrive(
        &mut self,
        advanced: Result<Result<Advance, Halt>, store::Error>,
    ) -> Result<bool, Error> {
        let (state, result) = match advanced {
            Err(lost) => return self.lose(lost).await,
            Ok(Ok(Advance::More(state))) => {
                self.state = state;
                return Ok(true);
            }
            Ok(Ok(Advance::Rest(state))) => (state, Ok(())),
            Ok(Err(Halt { state, reason: HaltReason::Interrupted })) => (state, Ok(())),
            Ok(Err(halt)) => {
                self.span.in_scope(|| warn!(reason = halt.reason.kind(), "halted"));
                (halt.state.clone(), Err(halt.into()))
            }
        };
        self.state = state;
        self.end_with(result).await
    }

    /// The claim was lost: only the journal says where the session stands.
    async fn lose(&mut self, lost: store::Error) -> Result<bool, Error> {
        if let Some(state) = self.cx.journaled().await {
            self.state = state;
        }
        let halt = Halt::new(self.state.clone(), lost);
        self.end_with(Err(halt.into())).await
    }

    async fn end_with(&mut self, result: Result<(), Error>) -> Result<bool, Error> {
        self.phase = Phase::Closing(result);
        self.close().await
    }

    async fn close(&mut self) -> Result<bool, Error> {
        self.close_tools().await;
        match std::mem::replace(&mut self.phase, Phase::Rests) {
            Phase::Closing(result) => result.map(|()| false),
            _ => Ok(false),
        }
    }

    /// Closes the toolsets of the run; those that do not close in time are dropped.
    async fn close_tools(&self) {
        let clock = &self.cx.services.sessions.clock;
        let limit = async { clock.sleep(toolset::CLOSE_LIMIT).await };
        let close = self.cx.toolbox().close(limit);
        self.renewal.beside(&**self.cx.writer.claim, close).await;
    }

    /// Renews the claim, if its store wants that: [`Active::next`] does while it works, and
    /// nothing does between two calls of it.
    ///
    /// # Errors
    /// When the claim was lost, or the store failed.
    pub async fn renew(&self) -> Result<(), Error> {
        let renewed = self.renewal.now(&**self.cx.writer.claim).await;
        Ok(renewed.map_err(|error| Halt::new(self.state.clone(), error))?)
    }

    /// The state as it is now.
    pub fn state(&self) -> &AgentState {
        &self.state
    }

    /// Feeds a changed state back; it must extend the one that was given out.
    ///
    /// If a call of [`Active::next`] was dropped before, the store may still write what that call
    /// had begun to append. Then the next call says [`Error::Lineage`], and what was fed back is
    /// lost: call `next` to see the state first.
    ///
    /// # Errors
    /// When it does not, or what was recorded since cannot stand, such as a call without a
    /// result ([`AgentState::check_since`]).
    pub fn set(&mut self, state: AgentState) -> Result<(), Error> {
        if !state.extends(&self.state.mark()) {
            return Err(Error::Lineage);
        }
        state.check_since(&self.state)?;
        if !matches!(self.phase, Phase::Steps) && !state.is_same(&self.state) {
            self.phase = Phase::Opening;
        }
        self.state = state.masked_by(&self.cx.services.sessions.mask);
        Ok(())
    }

    /// Says something to be heard by the very next inference: it goes through the inbox of
    /// the session, so it is delivered exactly once.
    ///
    /// # Errors
    /// When the item is nested too deeply to be journaled, a message holds a tool call or a
    /// result, or the store cannot be written.
    pub async fn steer(&self, message: impl Into<Message>) -> Result<(), Error> {
        let item = Item::Steer(Arc::new(message.into()));
        inbox::post_once(&self.cx.services.sessions, self.state.session(), &item).await?;
        Ok(())
    }

    /// Ends the execution as cancelled; a second time is nothing.
    pub fn cancel(&self) {
        self.control().cancel.cancel();
    }

    /// Leaves the execution where it is, in progress and resumable.
    pub fn interrupt(&self) {
        self.control().interrupt.cancel();
    }

    /// How to cancel or interrupt it from elsewhere.
    pub fn control(&self) -> &Control {
        &self.cx.control
    }

    /// What came of it so far. The claim is given back as by dropping it, without waiting
    /// for the store; [`Active::release`] waits.
    pub fn into_run(self) -> Run {
        self.state.into()
    }
}

async fn load(cx: &StepContext, session: &SessionId) -> Result<AgentState, Error> {
    let loaded = cx.writer.store.read(session, Range::ALL).await?.writable(session)?;
    let state = loaded.journal.fold(session);
    if let Some(step) = state.current_step().filter(|_| !cx.toolbox().is_fixed()) {
        cx.toolbox().list_as_of(loaded.journal.before(step.id).fold(session));
    }
    if let Some(damage) = &loaded.damage {
        cx.emit(|| EventKind::JournalCut { damage: damage.clone() });
    }
    Ok(state)
}

/// What came of a step, all of it durable if its driver dropped a commit: that one is awaited,
/// and what it did not write is committed.
async fn catch_up(cx: &StepContext, advanced: Result<Advance, Halt>) -> Result<Advance, Halt> {
    match advanced? {
        Advance::More(state) if cx.writer.kept.is_appending() => {
            cx.commit(state).await.map(Advance::More)
        }
        advanced => Ok(advanced),
    }
}
