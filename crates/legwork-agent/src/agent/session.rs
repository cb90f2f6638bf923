//! One session of an agent, by its id.

use std::ops::Deref;
use std::sync::Arc;

use legwork_core::{Message, Seq, SessionId};
use legwork_port::unwind;
use legwork_runtime::Error;
use legwork_runtime::open::Task;

use crate::agent::Agent;
use crate::agent::auxiliary::AuxiliaryRequest;
use crate::agent::request::RunRequest;
pub use crate::agent::stored::StoredSession;
use crate::agent::undo::{self, UndoFrom, UndoPlan};
pub use crate::agent::waiting::Waiting;
pub use legwork_session::{Back, Beginning, Delivery};

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
        let identity = &self.agent.0.setup.identity;
        let beginning = Beginning {
            agent: identity.agent.clone(),
            metadata: identity.metadata.clone(),
            definition: Some(Arc::clone(&identity.definition)),
        };
        self.stored.submit_to(&beginning, task).await
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

    /// Puts a summary in place of the beginning of the conversation, which a model makes; await it.
    ///
    /// `focus` says in words what the summary is to heed. The journal and the transcript keep
    /// everything.
    ///
    /// ```
    /// # async fn of(session: legwork_agent::Session) -> Result<(), legwork_agent::Error> {
    /// session.compact(Some("what was decided about the parser".to_owned())).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// It fails when there is no such session, it is in use, nothing can be left out
    /// ([`Error::Context`]), a hook cancels it or the model gives no summary ([`Error::NotDone`]),
    /// or what happened could not be journaled.
    pub fn compact(&self, focus: Option<String>) -> AuxiliaryRequest {
        AuxiliaryRequest::new(&self.agent, self.stored.id(), Task::Compact { focus })
    }

    /// Moves the head to an entry between steps, and records there a summary, which a model makes,
    /// of the path that is left; await it. Else as [`StoredSession::move_head`].
    ///
    /// If there is no summary, the head is not moved. It fails as [`StoredSession::move_head`] and
    /// [`Session::compact`].
    pub fn branch_with_summary(&self, to: Seq) -> AuxiliaryRequest {
        AuxiliaryRequest::new(&self.agent, self.stored.id(), Task::Branch { to })
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
