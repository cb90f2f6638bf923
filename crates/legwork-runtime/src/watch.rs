//! Work that is watched: active time is charged while it runs, and it is cut off when none is left.

use std::future::{Future, poll_fn};
use std::ops::Range;
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::future::{Either, maybe_done, select};
use legwork_core::continuation::{time_left, time_up};
use legwork_core::state::BEAT;
use legwork_core::{AgentState, Micros};
use legwork_session::NewItems;

use crate::context::StepContext;
use crate::error::Halt;

/// What ended a wait for work.
pub(crate) enum Watched<T> {
    /// The work is done.
    Done(T),
    /// No time is left for it.
    TimeUp,
}

/// The waits of an inference between its attempts: they are no time at work.
#[derive(Default)]
pub(crate) struct Waits(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// The last wait, as far as it is not taken off yet; none before an attempt failed.
    last: Option<Range<Micros>>,
    /// What is left to be taken off of those before.
    before: Micros,
}

impl Waits {
    /// An attempt failed now; the next one begins after this long.
    pub(crate) fn begin(&self, now: Micros, length: Micros) {
        let mut inner = self.lock();
        let passed = inner.last.take().map_or(Micros::ZERO, |last| last.end.since(last.start));
        inner.before = inner.before.plus(passed);
        inner.last = Some(now..now.plus(length));
    }

    /// When the next attempt begins, or began; none before one failed.
    pub(crate) fn end(&self) -> Option<Micros> {
        self.lock().last.as_ref().map(|last| last.end)
    }

    /// How long the wait under way still takes: nothing is worked meanwhile.
    fn left(&self, state: &AgentState) -> Micros {
        let now = state.now().mono;
        self.lock().last.as_ref().map_or(Micros::ZERO, |last| last.end.since(now.max(last.start)))
    }

    /// The state at the present time, without what passed of the waits until then.
    fn take_off(&self, state: AgentState) -> AgentState {
        let mut inner = self.lock();
        let mut passed = std::mem::take(&mut inner.before);
        if let Some(last) = &mut inner.last {
            let until = state.now().mono.min(last.end).max(last.start);
            passed = passed.plus(until.since(last.start));
            last.start = until;
        }
        state.idled(passed)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What comes of some work, while other work goes on beside it.
pub(crate) async fn meanwhile<T>(
    other: &mut (impl Future<Output = ()> + Unpin),
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    poll_fn(|cx| {
        let done = work.as_mut().poll(cx);
        if done.is_pending() {
            let _ = Pin::new(&mut *other).poll(cx);
        }
        done
    })
    .await
}

impl StepContext {
    /// Waits for work of the step under way, as long as its time lasts. When the work is done,
    /// the state gets the time.
    pub(crate) async fn watch<F: Future + Unpin>(
        &self,
        state: AgentState,
        work: F,
    ) -> Result<(AgentState, Watched<F::Output>), Halt> {
        self.watch_beside(state, work, &Waits::default()).await
    }

    /// The same for work that waits for others now and then, which is no time at work.
    pub(crate) async fn watch_beside<F: Future + Unpin>(
        &self,
        mut state: AgentState,
        work: F,
        waits: &Waits,
    ) -> Result<(AgentState, Watched<F::Output>), Halt> {
        let mut work = maybe_done(work);
        loop {
            if let Some(done) = Pin::new(&mut work).take_output() {
                return Ok((state, Watched::Done(done)));
            }
            let left = time_left(&self.services.criteria, &state);
            if left == Some(Micros::ZERO) && time_up(&self.services.criteria, &state).is_some() {
                return Ok((state, Watched::TimeUp));
            }
            // A criterion whose time is up and that forbids nothing cuts nothing.
            let left = left.filter(|left| *left > Micros::ZERO);
            // What was worked before counts, too: no more than a beat is lost with the process.
            let beat = BEAT.since(state.step_time()).plus(waits.left(&state));
            let nap = left.unwrap_or(beat).min(beat).max(Micros(1_000));
            let sleep = async { self.services.sessions.clock.sleep(nap.into()).await };
            let ended = matches!(select(&mut work, pin!(sleep)).await, Either::Left(_));
            state = waits.take_off(self.tick(state));
            if !ended && state.step_time() >= BEAT {
                // What was charged for attempts of a call under way is not settled yet.
                let charged = state.with_active_time();
                let committed = self.writer.commit(&charged, None, NewItems::Wait);
                state = match meanwhile(&mut work, committed).await {
                    Ok(()) => charged.committed(),
                    Err(error) => return Err(Halt::new(charged, error)),
                };
            }
        }
    }

    /// The state with the request to stop of the time that is up, if it is.
    pub(crate) fn stop_in_time(&self, state: AgentState) -> AgentState {
        match time_up(&self.services.criteria, &state) {
            Some(signal) => state.with_stop_signal(signal),
            None => state,
        }
    }

    /// The state that a run leaves in mid-step: all of its active time is charged, and none
    /// of what passes until the next run.
    pub(crate) fn rest(&self, state: AgentState) -> AgentState {
        let state = self.tick(state);
        let counts = state.facts().at_work.is_some() || state.step_time() > Micros::ZERO;
        if state.current_step().is_some() && counts { state.with_step_left() } else { state }
    }

    /// The state of a run that waited for a person, and goes on: from now on the journal says
    /// that it is at work, so that its death costs time, as that of any other.
    pub(crate) fn goes_on(&self, state: AgentState) -> AgentState {
        if state.facts().at_work.is_some() { state } else { self.tick(state).with_active_time() }
    }
}
