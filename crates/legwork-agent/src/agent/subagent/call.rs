//! A call that runs a subagent.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::tool::{Deferral, FailureKind};
use legwork_core::{ExecutionStatus, SessionId, ToolOutcome};
use legwork_port::store::Range;
use legwork_port::{BoxFuture, Emitter, EventKind, ToolContext, store, unwind};
use legwork_runtime::{Ancestry, Caller, Control, Error, Services, SubagentCall, WaitPolicy};

use super::cancel::cancel;
use super::spawn::{Spawn, Spawned};
use super::turn::{Grant, adds_up, used_by};
use crate::agent::request::Run;

/// A call that runs a subagent, with all that this takes.
pub(super) struct SpawnCall {
    spawn: Spawn,
    grant: Grant,
    services: Arc<Services>,
    control: Control,
    events: Emitter,
    waits: WaitPolicy,
}

impl SubagentCall for SpawnCall {
    fn intent(&self) -> (SessionId, Amounts) {
        self.grant.intent()
    }

    fn call<'a>(&'a self, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(self.answer(cx))
    }
}

impl SpawnCall {
    pub(super) fn new(spawn: Spawn, grant: Grant, caller: Caller<'_>) -> Self {
        Self {
            spawn,
            grant,
            services: Arc::clone(caller.services),
            control: caller.control.clone(),
            events: caller.events.clone(),
            waits: caller.waits,
        }
    }

    /// Runs the subagent; its call is answered, or is left open for a later run.
    async fn answer(&self, cx: &ToolContext) -> ToolOutcome {
        let index = cx.key.index;
        let (agent, child) = (self.spawn.name(), &self.grant.child);
        self.events.emit(|| EventKind::SubagentStarted {
            index,
            agent: agent.to_owned(),
            child: child.clone(),
        });
        // It charges what it used however it ends: a panic of a model, too.
        let ran = unwind::run(|| Box::pin(self.run())).await;
        let ran = ran.unwrap_or_else(|message| {
            let who = "its code";
            Err(Error::Panicked { who, message })
        });
        let used = match &ran {
            Ok(run) => Ok(adds_up(&run.state().ledger().lifetime)),
            Err(error) if is_final(error) => self.give_up().await,
            Err(_) => self.used().await,
        };
        let (ran, used) = match used {
            Ok(used) => (ran, used),
            Err(unread) => (Err(unread.into()), Amounts::default()),
        };
        let status = ran.as_ref().map_or(ExecutionStatus::Failed, Run::status);
        self.events.emit(|| EventKind::SubagentFinished {
            index,
            agent: agent.to_owned(),
            child: child.clone(),
            status: status.clone(),
            steps: ran.as_ref().map_or(0, |run| run.state().ledger().lifetime.steps),
            used,
        });
        // What waits, or what somebody else holds or its store cannot take now, goes on later.
        let later = match &ran {
            Ok(_) => !status.is_terminal(),
            Err(error) => !is_final(error),
        };
        if later {
            self.warn_of(&ran);
            return ToolOutcome::Deferred(Deferral::Session(self.grant.child.clone()));
        }
        self.grant.end(&used);
        cx.charge(&used);
        self.outcome(ran)
    }

    /// Warns observers of a store that failed: the parent waits for the subagent, and its journal
    /// does not say why. A run under way reported its error itself.
    fn warn_of(&self, ran: &Result<Run, Error>) {
        let Err(Error::Store(error)) = ran else { return };
        if !error.is_conflict() {
            let name = self.spawn.name();
            self.events.warn(|| {
                format!(
                    "the agent `{name}` cannot go on now: {error}; resume the session that it \
                     works for"
                )
            });
        }
    }

    /// Runs the subagent in its session, unless it ended there already.
    async fn run(&self) -> Result<Run, Error> {
        let Grant { child, link, granted, shared_budget, .. } = &self.grant;
        let state = self.services.sessions.store.read(child, Range::ALL).await?.journal.fold(child);
        if !state.is_linked_by(link) {
            let (session, parent) = (child.clone(), link.session.clone());
            return Err(Error::SessionTaken { session, parent });
        }
        if state.status().is_some_and(ExecutionStatus::is_terminal) {
            return Ok(state.into());
        }
        let origin = Arc::new(self.events.origin().child(self.spawn.name(), child.clone()));
        let (parent, shared_budget) = (Some(link.clone()), Some(shared_budget.clone()));
        let observer = self.events.listens().then(|| Arc::clone(self.events.observer()));
        let spawned = Spawned {
            session: child.clone(),
            granted: granted.clone(),
            ancestry: Ancestry { origin, parent, shared_budget },
            control: self.control.clone(),
            observer,
            waits: self.waits,
        };
        self.spawn.run(spawned).await
    }

    /// Ends the session of a subagent that does not go on: its call is answered. Gives what it
    /// used.
    async fn give_up(&self) -> Result<Amounts, store::Error> {
        cancel(&self.services, &self.grant.child, &self.grant.link).await
    }

    /// What a subagent used that could not be run to its end.
    async fn used(&self) -> Result<Amounts, store::Error> {
        used_by(&*self.services.sessions.store, &self.grant.child, &self.grant.link).await
    }

    /// Only its output or final text returns; where there is none, why.
    fn outcome(&self, ran: Result<Run, Error>) -> ToolOutcome {
        let name = self.spawn.name();
        let run = match ran {
            Ok(run) => run,
            Err(error) => {
                let kind = match &error {
                    Error::SessionTaken { .. } => FailureKind::SessionTaken,
                    _ => FailureKind::Soft,
                };
                let message = format!("The agent `{name}` could not run: {error}");
                return ToolOutcome::Failed(kind, message);
            }
        };
        let (text, status) = (run.text(), run.status());
        if status == ExecutionStatus::Completed {
            if let Some(output) = run.output() {
                return ToolOutcome::value(output.clone()).for_journal();
            }
            return ToolOutcome::text(text);
        }
        let why = run.continuation().map_or_else(String::new, |outcome| outcome.explain());
        let said = if text.is_empty() { text } else { format!(" It said last: {text}") };
        ToolOutcome::failed(format!("The agent `{name}` did not finish ({status}). {why}{said}"))
    }
}

/// Whether a subagent that could not be run is given up, and not gone on with later.
fn is_final(error: &Error) -> bool {
    // What a store cannot take now goes on later; code that panics or forges states does not.
    error.as_store().is_none()
}
