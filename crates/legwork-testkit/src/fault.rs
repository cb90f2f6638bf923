//! A store in which operations go wrong: fail, conflict, take long, or never end.
//!
//! ```
//! use std::sync::Arc;
//! use legwork_agent::{Agent, memory::MemoryStore};
//! use legwork_testkit::fault::{Fault, FaultyStore, Operation};
//! use legwork_testkit::{ScriptedModel, Turn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let durable = Arc::new(MemoryStore::new());
//! let store = FaultyStore::over(durable.clone()).fault(Operation::Append, 2, Fault::FailAfter);
//! let make = |store| Agent::builder(ScriptedModel::new([Turn::text("hi")])).store_in(store).build();
//! let agent = make(Arc::new(store)).unwrap();
//! assert!(agent.run("hello").in_session("s").await.is_err());
//! // What the store wrote before it failed is there, and the session goes on from it.
//! let agent = make(durable).unwrap();
//! assert_eq!(agent.session("s").last_run().await.unwrap().text(), "hi");
//! # }
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_core::{Fence, Seq, SessionId};
use legwork_port::store::{
    Appended, Batch, Error, Holder, Loaded, Loss, Page, Query, Range, Removal,
};
use legwork_port::{BoxFuture, Cancellation, Claim, Store};

use crate::polls;

/// How often other tasks are polled before an operation that never ends counts as hanging: what
/// runs at the same time goes on meanwhile.
const BEFORE_A_HANG: usize = 12;

/// An operation of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Taking a claim.
    Claim,
    /// Appending to a journal.
    Append,
    /// Renewing a claim.
    Renew,
    /// Releasing a claim.
    Release,
    /// Reading a journal.
    Read,
    /// Listing sessions.
    Sessions,
    /// Posting to an inbox.
    Post,
    /// Reading an inbox.
    Inbox,
    /// Removing sessions.
    Remove,
}

/// What goes wrong with an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It fails, and nothing was done.
    FailBefore,
    /// It is done, and returns an error all the same.
    FailAfter,
    /// It is refused as a conflict, and nothing was done: an append because the journal moved
    /// on, a renewal because the claim was lost, all else because the claim is held.
    Conflict,
    /// It is refused because the claim was lost, and nothing was done.
    Lost,
    /// It is done after other tasks were polled so many times.
    Slow(usize),
    /// It is done, and returns after other tasks were polled so many times.
    SlowAfter(usize),
    /// It panics, and nothing was done.
    Panic,
    /// It never returns and is not done, as if the process died before it.
    HangBefore,
    /// It is done and never returns, as if the process died after it.
    HangAfter,
}

/// A store over another one, in which chosen operations go wrong; clones share the counts.
#[derive(Clone)]
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    hung: Cancellation,
}

#[derive(Default)]
struct State {
    counts: BTreeMap<Operation, usize>,
    faults: BTreeMap<(Operation, usize), Fault>,
    pace: Vec<usize>,
    paced: usize,
    renew_every: Option<Duration>,
}

impl FaultyStore {
    /// A store that passes everything on to another one, without a fault.
    pub fn over(inner: Arc<dyn Store>) -> Self {
        Self { inner, shared: Arc::default() }
    }

    /// The same with a fault at the nth operation of a kind; the first is 1.
    #[must_use]
    pub fn fault(self, operation: Operation, nth: usize, fault: Fault) -> Self {
        self.state(|state| state.faults.insert((operation, nth), fault));
        self
    }

    /// The same, with this interval for the renewal of claims.
    #[must_use]
    pub fn renewed_every(self, time: Duration) -> Self {
        self.state(|state| state.renew_every = Some(time));
        self
    }

    /// The same, each append done after other tasks were polled some times: as often as these
    /// numbers say, over and over.
    #[must_use]
    pub fn paced(self, turns: impl IntoIterator<Item = usize>) -> Self {
        let turns = turns.into_iter().collect();
        self.state(|state| state.pace = turns);
        self
    }

    /// How many operations of a kind there were.
    pub fn count(&self, operation: Operation) -> usize {
        self.state(|state| state.counts.get(&operation).copied().unwrap_or(0))
    }

    /// Cancelled when an operation hangs: drop what waits for it, as a crash would.
    pub fn hung(&self) -> &Cancellation {
        &self.shared.hung
    }

    fn state<R>(&self, look: impl FnOnce(&mut State) -> R) -> R {
        look(&mut self.shared.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Counts an operation, and returns what goes wrong with it.
    fn begin(&self, operation: Operation) -> Option<Fault> {
        self.state(|state| {
            let count = state.counts.entry(operation).or_default();
            *count += 1;
            state.faults.get(&(operation, *count)).copied()
        })
    }

    fn pace(&self) -> usize {
        self.state(|state| {
            let at = state.paced.checked_rem(state.pace.len()).unwrap_or(0);
            state.paced += 1;
            state.pace.get(at).copied().unwrap_or(0)
        })
    }

    async fn hang<T>(&self) -> T {
        self.shared.hung.cancel();
        std::future::pending().await
    }

    /// Runs an operation with its fault.
    async fn perform<T>(
        &self,
        operation: Operation,
        session: Option<&SessionId>,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        match self.begin(operation) {
            None => work.await,
            Some(Fault::Slow(turns)) => {
                polls::others(turns).await;
                work.await
            }
            Some(Fault::SlowAfter(turns)) => {
                let done = work.await;
                polls::others(turns).await;
                done
            }
            Some(Fault::FailBefore) => Err(failed(operation)),
            Some(Fault::FailAfter) => {
                work.await?;
                Err(failed(operation))
            }
            Some(Fault::Panic) => fall(),
            Some(Fault::Conflict) => Err(conflict(operation, session)),
            Some(Fault::Lost) => Err(lost(session)),
            Some(Fault::HangBefore) => {
                polls::others(BEFORE_A_HANG).await;
                self.hang().await
            }
            Some(Fault::HangAfter) => {
                work.await?;
                self.hang().await
            }
        }
    }
}

#[expect(clippy::panic, reason = "what a test asks for")]
fn fall() -> ! {
    panic!("the disk is on fire")
}

impl fmt::Debug for FaultyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = self.state(|state| state.faults.clone());
        f.debug_struct("FaultyStore").field("faults", &faults).finish_non_exhaustive()
    }
}

fn failed(operation: Operation) -> Error {
    let reason = format!("the test lets this {operation:?} fail");
    Error::Failed { store: "faulty".to_owned(), reason }
}

fn conflict(operation: Operation, session: Option<&SessionId>) -> Error {
    match operation {
        Operation::Renew => lost(session),
        Operation::Append => {
            Error::Moved { session: named(session), expected: Seq::ZERO, found: Seq::ZERO }
        }
        _ => Error::Held { session: named(session), by: Holder::Unknown },
    }
}

fn lost(session: Option<&SessionId>) -> Error {
    Error::Lost { session: named(session), cause: Loss::Claimed }
}

fn named(session: Option<&SessionId>) -> SessionId {
    session.cloned().unwrap_or_else(|| SessionId::new("any"))
}

impl Store for FaultyStore {
    fn claim<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Box<dyn Claim>, Error>> {
        let claim = async {
            let claim = self.inner.claim(session).await?;
            let (session, store) = (session.clone(), self.clone());
            Ok(Box::new(FaultyClaim { claim, session, store }) as Box<dyn Claim>)
        };
        Box::pin(self.perform(Operation::Claim, Some(session), claim))
    }

    fn is_claimed<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<bool>, Error>> {
        self.inner.is_claimed(session)
    }

    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, Error>> {
        let read = async move { self.inner.read(session, range).await };
        Box::pin(self.perform(Operation::Read, Some(session), read))
    }

    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, Error>> {
        let list = async move { self.inner.sessions(query).await };
        Box::pin(self.perform(Operation::Sessions, None, list))
    }

    fn post<'a>(
        &'a self,
        session: &'a SessionId,
        key: &'a str,
        item: &'a Item,
    ) -> BoxFuture<'a, Result<Cursor, Error>> {
        let post = async move { self.inner.post(session, key, item).await };
        Box::pin(self.perform(Operation::Post, Some(session), post))
    }

    fn inbox<'a>(
        &'a self,
        session: &'a SessionId,
        after: Cursor,
    ) -> BoxFuture<'a, Result<Vec<Posted>, Error>> {
        let read = async move { self.inner.inbox(session, after).await };
        Box::pin(self.perform(Operation::Inbox, Some(session), read))
    }

    fn watch(&self, session: &SessionId) -> Option<BoxFuture<'static, ()>> {
        self.inner.watch(session)
    }

    fn remove<'a>(&'a self, sessions: &'a [SessionId]) -> BoxFuture<'a, Result<Removal, Error>> {
        let remove = async move { self.inner.remove(sessions).await };
        Box::pin(self.perform(Operation::Remove, sessions.first(), remove))
    }
}

struct FaultyClaim {
    claim: Box<dyn Claim>,
    session: SessionId,
    store: FaultyStore,
}

impl Claim for FaultyClaim {
    fn fence(&self) -> Fence {
        self.claim.fence()
    }

    fn append<'a>(
        &'a self,
        expected: Seq,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        let append = async move {
            polls::others(self.store.pace()).await;
            self.claim.append(expected, batch).await
        };
        Box::pin(self.store.perform(Operation::Append, Some(&self.session), append))
    }

    fn renew_every(&self) -> Option<Duration> {
        self.store.state(|state| state.renew_every).or_else(|| self.claim.renew_every())
    }

    fn renew(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(self.store.perform(Operation::Renew, Some(&self.session), self.claim.renew()))
    }

    fn release(self: Box<Self>) -> BoxFuture<'static, Result<(), Error>> {
        let Self { claim, session, store } = *self;
        Box::pin(
            async move { store.perform(Operation::Release, Some(&session), claim.release()).await },
        )
    }
}
