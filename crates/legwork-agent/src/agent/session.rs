//! One session of an agent, by its id.

use std::sync::Arc;

use legwork_core::inbox::{Answer, Cursor, Item, Label};
use legwork_core::journal::Journal;
use legwork_core::state::Refusal;
use legwork_core::{AgentState, Message, Seq, SessionId};
use legwork_port::store::{Range, Removal};

use legwork_runtime::Error;
use legwork_runtime::open::Task;
use legwork_session::inbox;

use crate::agent::Agent;
use crate::agent::request::{Run, RunRequest};
use crate::agent::subagent;
pub use legwork_session::Delivery;

/// One session of an agent: run it, resume it, look at it, speak to it.
#[derive(Debug, Clone)]
pub struct Session {
    agent: Agent,
    id: SessionId,
}

impl Session {
    pub(crate) fn new(agent: Agent, id: SessionId) -> Self {
        Self { agent, id }
    }

    /// Its id.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Runs the agent on a task in this session; await it. The agent needs a store, or the run
    /// a state ([`RunRequest::on_state`]).
    pub fn run(&self, input: impl Into<Message>) -> RunRequest {
        let task = Task::Start(vec![input.into()]);
        RunRequest::new(self.agent.clone(), task, Some(self.id.clone()))
    }

    /// Goes on where it stands; await it.
    pub fn resume(&self) -> RunRequest {
        self.agent.resume(self.id.clone())
    }

    /// All of its entries that this version can read. Needs no claim.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn journal(&self) -> Result<Journal, Error> {
        Ok(self.agent.services().sessions.store.read(&self.id, Range::ALL).await?.journal)
    }

    /// Its state. Needs no claim.
    ///
    /// # Errors
    /// When the store cannot be read, or there is no such session.
    pub async fn state(&self) -> Result<AgentState, Error> {
        let journal = self.journal().await?;
        if journal.version() == Seq::ZERO {
            return Err(self.agent.services().sessions.no_session(&self.id).into());
        }
        Ok(journal.fold(&self.id))
    }

    /// What came of its last run, as the journal has it. Needs no claim.
    ///
    /// # Errors
    /// As [`Session::state`].
    pub async fn last_run(&self) -> Result<Run, Error> {
        Ok(self.state().await?.into())
    }

    /// Leaves an item in its inbox; the same key again changes nothing.
    ///
    /// # Errors
    /// When the item is nested too deeply to be journaled, a message holds a tool call or a
    /// result, or the store cannot be written.
    pub async fn post(&self, key: &str, item: Item) -> Result<Cursor, Error> {
        Ok(inbox::post(&self.agent.services().sessions, &self.id, key, &item).await?)
    }

    /// Says something to be heard by the very next inference.
    ///
    /// As with all that is said to a session, it is durable when this returns. A session that
    /// nobody runs takes it up at once; else it waits in the inbox. It may be said before the
    /// session began.
    ///
    /// # Errors
    /// As [`Session::post`], and when the agent keeps no sessions.
    pub async fn steer(&self, message: impl Into<Message>) -> Result<Delivery, Error> {
        self.deliver(Item::Steer(Arc::new(message.into()))).await
    }

    /// Says something for when the agent would otherwise stop; on resuming a session that
    /// ended it is the task of a new execution. Delivered as by [`Session::steer`].
    ///
    /// # Errors
    /// As [`Session::steer`].
    pub async fn follow_up(&self, message: impl Into<Message>) -> Result<Delivery, Error> {
        self.deliver(Item::FollowUp(Arc::new(message.into()))).await
    }

    /// Stops the execution under way, for a reason in words: one that runs ends before its
    /// next step, one that waits when it is resumed. Delivered as by [`Session::steer`].
    ///
    /// # Errors
    /// When there is no such session or no execution is under way; else as
    /// [`Session::post`].
    pub async fn stop(&self, why: impl Into<String>) -> Result<Delivery, Error> {
        self.deliver(Item::Stop(why.into())).await
    }

    /// Answers something that is pending. Delivered as by [`Session::steer`].
    ///
    /// # Errors
    /// When there is no such session or nothing of that id is pending; else as
    /// [`Session::post`]. What a run refuses that holds the claim stands in the journal.
    pub async fn answer(&self, answer: Answer) -> Result<Delivery, Error> {
        self.deliver(Item::Answer(answer)).await
    }

    /// Labels an entry; without text the label is taken away. Delivered as by
    /// [`Session::steer`].
    ///
    /// # Errors
    /// When there is no such session or entry; else as [`Session::post`].
    pub async fn label(&self, label: Label) -> Result<Delivery, Error> {
        self.deliver(Item::Label(label)).await
    }

    /// Removes the session for good, and with it the sessions of all subagents below it: all
    /// of them or none.
    ///
    /// # Errors
    /// When it is a subagent's and the session that spawned it is there; when there is no such
    /// session, or somebody runs one of them; else what the store says. Nothing was removed
    /// then.
    pub async fn remove(&self) -> Result<Removal, Error> {
        let store = &*self.agent.services().sessions.store;
        if let Some(parent) = subagent::parent_of(store, &self.id).await? {
            return Err(Refusal::BelongsTo { parent }.into());
        }
        let all = subagent::with_subagents(store, &self.id).await?;
        Ok(store.remove(&all).await?)
    }

    /// Moves the head to an entry between steps: the next run goes on from there.
    ///
    /// What was used stays used. The entries behind the new head stay in the tree. Delivered
    /// as by [`Session::steer`]; a run refuses it while its execution is under way.
    ///
    /// # Errors
    /// When there is no such session or entry, a step is under way at either place, or the
    /// session is a subagent's; else as [`Session::post`].
    pub async fn move_head(&self, to: Seq) -> Result<Delivery, Error> {
        self.deliver(Item::MoveHead(to)).await
    }

    async fn deliver(&self, item: Item) -> Result<Delivery, Error> {
        Ok(self.agent.services().sessions.deliver(&self.id, item).await?)
    }
}
