//! One session of an agent, by its id.

use std::ops::Deref;
use std::sync::Arc;

use legwork_core::{Message, Seq, SessionId};
use legwork_port::{store, unwind};
use legwork_runtime::Error;
use legwork_runtime::open::Task;

use crate::agent::Agent;
use crate::agent::request::RunRequest;
pub use crate::agent::stored::StoredSession;
use crate::agent::undo::{self, UndoFrom, UndoPlan};
pub use crate::agent::waiting::Waiting;
pub use legwork_session::{Back, Delivery};

/// One session of an agent: run it, resume it, and all that a [`StoredSession`] does.
#[derive(Debug, Clone)]
pub struct Session {
    agent: Agent,
    stored: StoredSession,
}

impl Session {
    pub(crate) fn new(agent: Agent, id: SessionId) -> Self {
        let sessions = Arc::clone(&agent.services().sessions);
        Self { agent, stored: StoredSession::of(sessions, id) }
    }

    pub(super) fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Makes a new session of this agent that goes on from an entry of this one; see
    /// [`StoredSession::fork`].
    ///
    /// # Errors
    /// As [`StoredSession::fork`].
    pub async fn fork(&self, at: Seq) -> Result<Self, Error> {
        let who = "the source of ids";
        let named = unwind::call(|| self.agent.services().ids.session());
        let id = named.map_err(|message| Error::Panicked { who, message })?;
        let stored = self.stored.fork_into(at, id).await?;
        Ok(Self { agent: self.agent.clone(), stored })
    }

    /// Leaves a task for whoever works in the session next, such as a worker on another machine;
    /// begins the session if it is new. It is durable when this returns.
    ///
    /// A task for a session that works is delivered where the agent would otherwise stop. The task
    /// waits until a process runs the session until it rests ([`Session::run_until_rest`]).
    ///
    /// # Errors
    /// When the agent keeps no sessions, the task holds a tool call or a result, or the store
    /// cannot be used.
    pub async fn submit(&self, task: impl Into<Message>) -> Result<Delivery, Error> {
        let sessions = &self.agent.services().sessions;
        if !sessions.keeps {
            return Err(Error::NoStore(self.id().clone()));
        }
        let identity = &self.agent.0.setup.identity;
        match sessions.begin(self.id(), &identity.agent, &identity.metadata).await {
            Ok(_) | Err(legwork_session::Error::Store(store::Error::Exists { .. })) => {}
            // Whoever works in it has begun it, or is about to.
            Err(legwork_session::Error::Store(store::Error::Held { .. })) => {}
            Err(error) => return Err(error.into()),
        }
        self.stored.follow_up(task).await
    }

    /// Runs the agent on a task in this session; await it. The agent needs a store, or the run
    /// a state ([`RunRequest::on_state`]).
    pub fn run(&self, input: impl Into<Message>) -> RunRequest {
        let task = Task::Start(vec![input.into()]);
        RunRequest::new(self.agent.clone(), task, Some(self.stored.id().clone()))
    }

    /// Plans to take back what it did, by the undo of the agent's tools; nothing is done yet.
    ///
    /// ```
    /// # use legwork_agent::undo::UndoFrom;
    /// # async fn of(session: legwork_agent::Session) -> Result<(), legwork_agent::Error> {
    /// let plan = session.undo(UndoFrom::Step(3)).await?;
    /// for (call, stays) in plan.left() {
    ///     println!("{} stays: {}", call.call.name, stays.unwrap_or("its tool has no undo"));
    /// }
    /// for undone in plan.run().await?.calls {
    ///     println!("{}", undone.did);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`StoredSession::undo_by`], and when the tools of the agent cannot be listed.
    pub async fn undo(&self, from: UndoFrom) -> Result<UndoPlan, Error> {
        let (tools, opened) = undo::tools_of(&self.agent, self.stored.id()).await?;
        self.stored.plan_undo(from, &|call| tools.undoes(call), opened).await
    }

    /// Goes on where it stands; await it.
    pub fn resume(&self) -> RunRequest {
        self.agent.resume(self.stored.id().clone())
    }
}

impl Deref for Session {
    type Target = StoredSession;

    fn deref(&self) -> &StoredSession {
        &self.stored
    }
}
