//! Work that is watched: active time is charged while it runs, and it is cut off when none is left.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};

use futures_util::future::{Either, maybe_done, select};
use legwork_core::continuation::{time_left, time_up};
use legwork_core::state::BEAT;
use legwork_core::{AgentState, Micros};
use legwork_inference::Waits;
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
            let beat = BEAT.since(time_at_work(&state)).plus(waits.left(&state));
            let nap = left.unwrap_or(beat).min(beat).max(Micros(1_000));
            let sleep = async { self.services.sessions.clock.sleep(nap.into()).await };
            let ended = matches!(select(&mut work, pin!(sleep)).await, Either::Left(_));
            state = waits.take_off(self.tick(state));
            if !ended && time_at_work(&state) >= BEAT {
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

    /// Waits for work between two steps, as long as the time of an execution lasts that is not
    /// over.
    pub(crate) async fn watch_between<F: Future + Unpin>(
        &self,
        state: AgentState,
        work: F,
        waits: &Waits,
    ) -> (AgentState, Watched<F::Output>) {
        let runs = state.status().is_some_and(|status| !status.is_terminal());
        let left = time_left(&self.services.criteria, &state).filter(|_| runs);
        let done = match left {
            None => Watched::Done(work.await),
            Some(left) => {
                let sleep = async { self.services.sessions.clock.sleep(left.into()).await };
                match select(work, pin!(sleep)).await {
                    Either::Left((done, _)) => Watched::Done(done),
                    Either::Right(_) => Watched::TimeUp,
                }
            }
        };
        (waits.take_off(self.tick(state)), done)
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

/// The active time that is not charged yet; none between steps.
fn time_at_work(state: &AgentState) -> Micros {
    state.current_step().map_or(Micros::ZERO, |_| state.step_time())
}
