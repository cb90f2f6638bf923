//! What a step has committed, kept for whoever drops the step at a poll.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use legwork_core::inbox::Cursor;
use legwork_core::state::NextEntry;
use legwork_core::{AgentState, Entry, Seq, Stamp, Summary};
use legwork_port::store::{Appended, Batch, Error};
use legwork_port::{BoxFuture, Claim, Clock, unwind};

/// What a step that may be dropped has committed.
///
/// A store may finish an append whose future was dropped, so an append that is under way is
/// kept, too, and awaited before the next one.
#[derive(Default)]
pub struct Kept(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// Whether a step is under way that may be dropped.
    on: bool,
    /// The state as it was last committed in this step, or as the step began.
    committed: Option<AgentState>,
    under_way: Option<UnderWay>,
    /// When the caller had the state since: no time is spent on its step.
    left: Option<Stamp>,
    /// The state that was put in the place of that of a dropped step.
    put_back: Option<AgentState>,
    /// The summary that the store was given last under this claim.
    summary: Option<Arc<Summary>>,
    /// The last entry that an append made durable; none before the first.
    durable: Option<Seq>,
    /// The last item in the inbox, as the store said last.
    inbox: Cursor,
}

struct UnderWay {
    append: BoxFuture<'static, Result<Appended, Error>>,
    state: AgentState,
    next: Option<NextEntry>,
}

/// What is appended of a state.
pub struct Append {
    /// The entry that it comes after.
    pub expected: Seq,
    /// What is appended.
    pub entries: Arc<Vec<Arc<Entry>>>,
    /// The last of them, if it is not applied to the state yet.
    pub next: Option<NextEntry>,
    /// Whether it is refused when there are items in the inbox that were not taken up.
    pub items: NewItems,
}

/// What is done about items in the inbox that were not taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewItems {
    /// They wait.
    Wait,
    /// Nothing is written: they are taken up first.
    First,
}

/// What came of an append that was under way when its step was dropped.
pub struct Landed {
    state: AgentState,
    /// The last entry, which is not applied to the state.
    next: Option<NextEntry>,
    /// The state that stood in its place meanwhile.
    pub put_back: Option<AgentState>,
}

impl Landed {
    /// The state that is durable, with what was appended of it as uncommitted.
    pub fn state(&self) -> AgentState {
        let state = self.state.clone();
        self.next.iter().cloned().fold(state, AgentState::with_next)
    }
}

impl Kept {
    /// Begins a step that may be dropped: then the state is set to what was committed last.
    pub fn begin<'a>(&'a self, state: &'a mut AgentState, clock: &'a dyn Clock) -> Droppable<'a> {
        let mut inner = self.lock();
        (inner.on, inner.committed) = (true, Some(state.clone()));
        drop(inner);
        Droppable { kept: self, state, clock }
    }

    /// The caller has the state from now on.
    pub fn leave(&self, now: Stamp) {
        self.lock().left = Some(now);
    }

    /// Since when the caller had the state; given once.
    pub fn left(&self) -> Option<Stamp> {
        self.lock().left.take()
    }

    /// Whether an append is under way.
    pub fn is_appending(&self) -> bool {
        self.lock().under_way.is_some()
    }

    /// The state as it was last committed, if a step is under way that may be dropped.
    pub fn committed(&self) -> Option<AgentState> {
        self.lock().committed.clone()
    }

    /// The last entry that an append made durable; none before the first.
    pub fn durable(&self) -> Option<Seq> {
        self.lock().durable
    }

    /// Whether the inbox has items that a state has not taken up, as the store said last.
    pub fn knows_items_for(&self, state: &AgentState) -> bool {
        self.lock().inbox > state.facts().inbox_cursor
    }

    /// Begins to append entries of a state; [`Kept::land`] does it. None is under way when it is
    /// called.
    pub fn begin_append(&self, claim: &Arc<Box<dyn Claim>>, append: Append, state: &AgentState) {
        let Append { expected, entries, next, items } = append;
        let seen = (items == NewItems::First).then_some(state.facts().inbox_cursor);
        let summary = self.new_summary(state);
        let (claim, state) = (Arc::clone(claim), state.clone());
        let append = Box::pin(async move {
            let mut batch = Batch::of(&entries);
            (batch.summary, batch.seen) = (summary.as_deref(), seen);
            let appended = unwind::run(|| claim.append(expected, batch)).await;
            appended.unwrap_or_else(|message| Err(Error::Panicked { message }))
        });
        self.lock().under_way = Some(UnderWay { append, state, next });
    }

    /// The summary of a state, if it is not what the store was given last.
    fn new_summary(&self, state: &AgentState) -> Option<Arc<Summary>> {
        let (summary, inner) = (state.summary(), self.lock());
        let known = inner
            .summary
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, summary) || known.says_the_same(summary));
        (!known).then(|| Arc::clone(summary))
    }

    /// Does the append that is under way, if there is one, and keeps its state.
    ///
    /// # Errors
    /// Why the store did not take it.
    pub async fn land(&self) -> Result<Option<Landed>, Error> {
        poll_fn(|cx| {
            let mut inner = self.lock();
            let Some(under_way) = &mut inner.under_way else { return Poll::Ready(Ok(None)) };
            let Poll::Ready(appended) = under_way.append.as_mut().poll(cx) else {
                return Poll::Pending;
            };
            let landed = inner.under_way.take().map(|UnderWay { state, next, .. }| (state, next));
            let put_back = inner.put_back.take();
            match &appended {
                Ok(appended) => inner.inbox = appended.inbox,
                Err(Error::NewItems { inbox: last, .. }) => inner.inbox = *last,
                Err(_) => {}
            }
            let Some((state, next)) = landed.filter(|_| appended.is_ok()) else {
                return Poll::Ready(appended.map(|_| None));
            };
            inner.durable = Some(next.as_ref().map_or(state.version(), |next| next.entry().seq));
            inner.summary = Some(Arc::clone(state.summary()));
            let landed = Landed { state, next, put_back };
            // Where no step may be dropped, the state has one owner: a change makes no copy.
            inner.committed = inner.on.then(|| landed.state().committed());
            Poll::Ready(Ok(Some(landed)))
        })
        .await
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A step that may be dropped.
pub struct Droppable<'a> {
    kept: &'a Kept,
    state: &'a mut AgentState,
    clock: &'a dyn Clock,
}

impl Drop for Droppable<'_> {
    fn drop(&mut self) {
        let mut inner = self.kept.lock();
        inner.on = false;
        if let Some(committed) = inner.committed.take() {
            *self.state = committed;
        }
        inner.left = Some(self.clock.now());
        inner.put_back = inner.under_way.is_some().then(|| self.state.clone());
    }
}
