//! One session of a store, by its id.

use std::fmt;
use std::sync::Arc;

use legwork_core::event::MetadataSet;
use legwork_core::inbox::{Answer, Cursor, Item, Label};
use legwork_core::journal::Journal;
use legwork_core::settings::SessionSettings;
use legwork_core::state::Refusal;
use legwork_core::undo::PastCall;
use legwork_core::{AgentState, Mask, Message, Seq, SessionId};
use legwork_memory::{RandomIds, SystemClock};
use legwork_port::store::{Range, Removal};
use legwork_port::{Ids as _, Store, Undo};
use legwork_runtime::Error;

use serde_json::Value;

use legwork_session::copy::{Copied, copy};
use legwork_session::import::import;
use legwork_session::{Back, Beginning, Delivery, Sessions, inbox};

use crate::agent::request::Run;
use crate::agent::subagent;
use crate::agent::undo::{self, Opened, UndoFrom, UndoPlan, Undoes};
use crate::agent::waiting::{self, Waiting};

/// A session in a store: look at it, speak to it, answer what waits in it. It takes no agent.
///
/// ```
/// # use std::sync::Arc;
/// # use legwork_agent::StoredSession;
/// # use legwork_core::inbox::Answer;
/// # use legwork_port::Store;
/// # async fn of(store: Arc<dyn Store>) -> Result<(), legwork_agent::Error> {
/// let session = StoredSession::new(store, "a1b2c3d4");
/// for waiting in session.pending().await? {
///     session.answer(Answer::approve(&waiting.pending).by("anna")).await?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct StoredSession {
    sessions: Arc<Sessions>,
    id: SessionId,
}

impl StoredSession {
    /// A session of a store, by its id.
    pub fn new(store: Arc<dyn Store>, id: impl Into<SessionId>) -> Self {
        let clock = Arc::new(SystemClock::default());
        let sessions = Sessions::new(store, clock, Vec::new(), Mask::default());
        Self::of(Arc::new(sessions), id.into())
    }

    pub(super) fn of(sessions: Arc<Sessions>, id: SessionId) -> Self {
        Self { sessions, id }
    }

    /// Its id.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// All of its entries that this version can read. Needs no claim.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn journal(&self) -> Result<Journal, Error> {
        Ok(self.sessions.store.read(&self.id, Range::ALL).await?.journal)
    }

    /// Its state. Needs no claim.
    ///
    /// # Errors
    /// When the store cannot be read, or there is no such session.
    pub async fn state(&self) -> Result<AgentState, Error> {
        let journal = self.journal().await?;
        if journal.version() == Seq::ZERO {
            return Err(self.sessions.no_session(&self.id).into());
        }
        Ok(journal.fold(&self.id))
    }

    /// What came of its last run, as the journal has it. Needs no claim.
    ///
    /// # Errors
    /// As [`StoredSession::state`].
    pub async fn last_run(&self) -> Result<Run, Error> {
        Ok(self.state().await?.into())
    }

    /// Leaves an item in its inbox; the same key again changes nothing.
    ///
    /// # Errors
    /// When the item is nested too deeply to be journaled, a message holds a tool call or a
    /// result, or the store cannot be written.
    pub async fn post(&self, key: &str, item: Item) -> Result<Cursor, Error> {
        Ok(inbox::post(&self.sessions, &self.id, key, &item).await?)
    }

    /// Says something to be heard by the very next inference.
    ///
    /// As with all that is said to a session, it is durable when this returns. A session that
    /// nobody runs takes it up at once; else it waits in the inbox. It may be said before the
    /// session began.
    ///
    /// # Errors
    /// As [`StoredSession::post`], and when the agent keeps no sessions.
    pub async fn steer(&self, message: impl Into<Message>) -> Result<Delivery, Error> {
        self.deliver(Item::Steer(Arc::new(message.into()))).await
    }

    /// Says something for when the agent would otherwise stop; on resuming a session that
    /// ended it is the task of a new execution. Delivered as by [`StoredSession::steer`].
    ///
    /// # Errors
    /// As [`StoredSession::steer`].
    pub async fn follow_up(&self, message: impl Into<Message>) -> Result<Delivery, Error> {
        self.deliver(Item::FollowUp(Arc::new(message.into()))).await
    }

    /// Stops the execution under way, for a reason in words: one that runs ends before its
    /// next step, one that waits when it is resumed. Delivered as by [`StoredSession::steer`].
    ///
    /// # Errors
    /// When there is no such session or no execution is under way; else as
    /// [`StoredSession::post`].
    pub async fn stop(&self, why: impl Into<String>) -> Result<Delivery, Error> {
        self.deliver(Item::Stop(why.into())).await
    }

    /// The calls that wait for an answer, here and in the sessions of subagents below. Needs no
    /// claim.
    ///
    /// # Errors
    /// As [`StoredSession::state`].
    pub async fn pending(&self) -> Result<Vec<Waiting>, Error> {
        let store = &*self.sessions.store;
        Ok(waiting::below(store, self.state().await?).await?)
    }

    /// Answers a call that waits, also one of a subagent below: resume this session then.
    /// Delivered as by [`StoredSession::steer`].
    ///
    /// # Errors
    /// When there is no such session or the answer is refused ([`Refusal`]); else as
    /// [`StoredSession::post`]. What a run refuses that holds the claim stands in the journal.
    pub async fn answer(&self, answer: Answer) -> Result<Delivery, Error> {
        let session = waiting::addressee(&self.id, &answer);
        Ok(self.sessions.deliver(&session, Item::Answer(answer)).await?)
    }

    /// Plans to take back what it did, and its subagents below; nothing is done yet. Who takes
    /// a call back, `undoes` says.
    ///
    /// # Errors
    /// When there is no such session or step, somebody works in it, or its journal cannot be
    /// read or may not be written.
    pub async fn undo_by(
        &self,
        from: UndoFrom,
        undoes: impl Fn(&PastCall) -> Option<Arc<dyn Undo>> + Send + Sync,
    ) -> Result<UndoPlan, Error> {
        self.plan_undo(from, &undoes, Opened::default()).await
    }

    pub(super) async fn plan_undo(
        &self,
        from: UndoFrom,
        undoes: &Undoes<'_>,
        opened: Opened,
    ) -> Result<UndoPlan, Error> {
        undo::plan(&self.sessions, &self.id, from, undoes, opened).await
    }

    /// Labels an entry; without text the label is taken away. Delivered as by
    /// [`StoredSession::steer`].
    ///
    /// # Errors
    /// When there is no such session or entry; else as [`StoredSession::post`].
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
        let store = &*self.sessions.store;
        if let Some(parent) = subagent::parent_of(store, &self.id).await? {
            return Err(Refusal::BelongsTo { parent }.into());
        }
        let all = subagent::with_subagents(store, &self.id).await?;
        Ok(store.remove(&all).await?)
    }

    /// Moves the head to an entry between steps: the next run goes on from there.
    ///
    /// What was used stays used. The entries behind the new head stay in the tree. Delivered
    /// as by [`StoredSession::steer`]; a run refuses it while its execution is under way.
    ///
    /// # Errors
    /// When there is no such session or entry, a step is under way at either place, or the
    /// session is a subagent's; else as [`StoredSession::post`].
    pub async fn move_head(&self, to: Seq) -> Result<Delivery, Error> {
        self.deliver(Item::MoveHead(to)).await
    }

    /// Leaves a task for a worker; begins the session if it is new, and ends a suspension. See [`Session::submit`](crate::Session::submit), which knows its agent.
    ///
    /// # Errors
    /// When no sessions are kept, the task holds a tool call or a result, or the store cannot be
    /// used.
    pub async fn submit_to(
        &self,
        beginning: &Beginning,
        task: impl Into<Message>,
    ) -> Result<Delivery, Error> {
        if !self.sessions.keeps {
            return Err(Error::NoStore(self.id.clone()));
        }
        match self.sessions.begin(&self.id, beginning).await {
            Ok(_) => {}
            // Whoever works in it has begun it, or is about to.
            Err(legwork_session::Error::Store(error)) if error.is_conflict() => {}
            Err(error) => return Err(error.into()),
        }
        self.deliver(Item::Task(Arc::new(task.into()))).await
    }

    /// Makes a new session that goes on from an entry of this one: the same conversation up to
    /// there, in a journal of its own. Needs no claim; this session may run meanwhile.
    ///
    /// Calls that are open at the entry are answered as skipped. Labels, the inbox, queued
    /// messages, approvals and what was used are not copied. The fork is idle until it is run or
    /// resumed.
    ///
    /// # Errors
    /// When there is no such session or entry, or its journal cannot be read.
    pub async fn fork(&self, at: Seq) -> Result<Self, Error> {
        self.fork_into(at, RandomIds.session()).await
    }

    /// The same into a session of this id.
    ///
    /// # Errors
    /// As [`StoredSession::fork`], and when there is a session of this id.
    pub async fn fork_into(&self, at: Seq, id: impl Into<SessionId>) -> Result<Self, Error> {
        let id = id.into();
        self.sessions.fork(&self.id, at, &id).await?;
        Ok(Self { sessions: Arc::clone(&self.sessions), id })
    }

    /// Copies it to another store, under its id: its journal, at once, and what waits in its inbox.
    /// What an earlier copy left there is not written again.
    ///
    /// # Errors
    /// When there is no such session, it is in use, its journal cannot be read, the other store has
    /// another session of its id, or a store fails.
    pub async fn copy_to(&self, other: &dyn Store) -> Result<Copied, Error> {
        Ok(copy(&*self.sessions.store, other, &self.id).await?)
    }

    /// Writes journals from outside of a store as sessions of it, each under its id: all of them or
    /// none. The caller has checked that they are sound (`legwork_core::journal::check`). If the
    /// process is killed meanwhile, the same import goes on with those that are missing.
    ///
    /// # Errors
    /// When an id is invalid, all sessions are there already, one is there with another journal or
    /// is in use, one is its own parent, or the store fails.
    ///
    /// # Cancel safety
    /// A dropped import may leave some of the sessions, as a killed one does.
    pub async fn import(store: &dyn Store, journals: &[(SessionId, Journal)]) -> Result<(), Error> {
        Ok(import(store, journals).await?)
    }

    /// Moves the head back: [`StoredSession::move_head`] to before the last steps or task.
    ///
    /// # Errors
    /// When there are not so many steps, or no task, on the path to the head; else as
    /// [`StoredSession::move_head`].
    pub async fn rewind(&self, back: Back) -> Result<Delivery, Error> {
        let journal = self.journal().await?;
        let to = back.target(&self.state().await?, &journal)?;
        self.move_head(to).await
    }

    /// Gives it a title; none takes it away. Delivered as by [`StoredSession::steer`].
    ///
    /// # Errors
    /// When there is no such session; else as [`StoredSession::post`].
    pub async fn title(&self, title: Option<String>) -> Result<Delivery, Error> {
        self.deliver(Item::Title(title)).await
    }

    /// Suspends it, for a reason in words: a run rests before its next step, and no worker takes
    /// the session up until it is resumed or given a task. Delivered as by
    /// [`StoredSession::steer`].
    ///
    /// # Errors
    /// When there is no such session; else as [`StoredSession::post`].
    pub async fn suspend(&self, reason: impl Into<String>) -> Result<Delivery, Error> {
        self.deliver(Item::Suspend(reason.into())).await
    }

    /// Sets its model, instructions or limits: they apply from the next step on, whichever
    /// definition its agent has by then, until they are set again or reset. Delivered as by
    /// [`StoredSession::steer`].
    ///
    /// ```
    /// # use legwork_agent::{Error, StoredSession};
    /// # use legwork_core::Budget;
    /// # use legwork_core::settings::SessionSettings;
    /// # async fn of(session: StoredSession) -> Result<(), Error> {
    /// let more = SessionSettings::new().limits(Budget::unlimited().steps(200));
    /// session.set(more.model("openai:gpt-5")).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When there is no such session, nothing is set, or it is a subagent's and a limit is set;
    /// else as [`StoredSession::post`]. An agent that has no model of the name fails its next
    /// step, and names those that it has.
    pub async fn set(&self, settings: SessionSettings) -> Result<Delivery, Error> {
        self.deliver(Item::Set(settings)).await
    }

    /// Sets a metadata value of its conversation; none removes the key. Delivered as by
    /// [`StoredSession::steer`].
    ///
    /// # Errors
    /// When there is no such session, or the value is nested too deeply; else as
    /// [`StoredSession::post`].
    pub async fn set_metadata(
        &self,
        key: impl Into<String>,
        value: Option<Value>,
    ) -> Result<Delivery, Error> {
        self.deliver(Item::SetMetadata(MetadataSet { key: key.into(), value })).await
    }

    async fn deliver(&self, item: Item) -> Result<Delivery, Error> {
        Ok(self.sessions.deliver(&self.id, item).await?)
    }
}

impl fmt::Debug for StoredSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StoredSession").field(&self.id).finish()
    }
}
