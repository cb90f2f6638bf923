//! Evaluates the criteria: at the end of a step, before a step, and before calls.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::continuation::{
    ContinuationOutcome, Criterion, Decision, Error, Kind, StopSignal, Vote, resolve,
};
use crate::error::{ErrorKind, ErrorRecord, ErrorSource, panic_message};
use crate::outcome::goes_on;
use crate::progress::Progress;
use crate::time::Micros;

/// The outcome of the current step of a state, by the criteria and the votes of hooks.
///
/// First the votes of hooks and of ordinary criteria are resolved. If they resolve to going on,
/// the limits are evaluated too and all votes are resolved together. A criterion that fails
/// forbids, with its error. The order of criteria and votes does not matter.
pub fn evaluate<S: Progress>(criteria: &[Arc<dyn Criterion<S>>], state: &S) -> ContinuationOutcome {
    // Usually one criterion votes, and spare capacity would be kept with the outcome.
    let mut votes = Vec::with_capacity(state.votes().len() + 1);
    votes.extend_from_slice(state.votes());
    votes.extend(ask(criteria, Kind::Ordinary, state));
    if goes_on(&votes) {
        votes.extend(ask(criteria, Kind::Limit, state));
    }
    resolve(votes)
}

/// The signal that forbids to begin a step now, if any does; there is no current step.
///
/// Considers the limits, the stop signals of the state, and forbidding votes of hooks. Returns
/// the signal with the highest priority, of equals the first by name. A stop signal of the
/// state is returned unchanged.
pub fn forbids_step<S: Progress>(
    criteria: &[Arc<dyn Criterion<S>>],
    state: &S,
) -> Option<StopSignal> {
    let raised = state
        .stop_signal()
        .cloned()
        .map(|signal| Vote { by: "signals".to_owned(), decision: Decision::Forbid(signal) });
    let votes = state.votes().iter().cloned().chain(raised);
    let votes = votes.chain(ask(criteria, Kind::Limit, state));
    let forbids = |vote: &Vote| matches!(vote.decision, Decision::Forbid(_));
    let forbids: Vec<_> = votes.filter(forbids).collect();
    // Without a vote `resolve` stops; here it means that nothing forbids the step.
    if forbids.is_empty() { None } else { resolve(forbids).signal }
}

/// The signal that forbids to run the calls of the turn, if any does; none has begun.
pub fn forbids_calls<S>(criteria: &[Arc<dyn Criterion<S>>], state: &S) -> Option<StopSignal> {
    let forbids = |vote: &Vote| matches!(vote.decision, Decision::Forbid(_));
    let forbids: Vec<_> = ask(criteria, Kind::Calls, state).filter(forbids).collect();
    if forbids.is_empty() { None } else { resolve(forbids).signal }
}

/// The time until the first criterion forbids to go on; none if none depends on time.
pub fn time_left<S>(criteria: &[Arc<dyn Criterion<S>>], state: &S) -> Option<Micros> {
    criteria.iter().filter_map(|criterion| left_by(&**criterion, state)).min()
}

/// The signal of the first criterion whose time is up.
pub fn time_up<S>(criteria: &[Arc<dyn Criterion<S>>], state: &S) -> Option<StopSignal> {
    let up =
        |criterion: &&Arc<dyn Criterion<S>>| left_by(&***criterion, state) == Some(Micros::ZERO);
    criteria.iter().filter(up).find_map(|criterion| match decided(&**criterion, state).ok()?? {
        Decision::Forbid(signal) => Some(signal),
        _ => None,
    })
}

/// The time left by a criterion; none if it panics, in which case its vote forbids.
fn left_by<S>(criterion: &dyn Criterion<S>, state: &S) -> Option<Micros> {
    catch_unwind(AssertUnwindSafe(|| criterion.time_left(state))).ok().flatten()
}

fn ask<'a, S>(
    criteria: &'a [Arc<dyn Criterion<S>>],
    kind: Kind,
    state: &'a S,
) -> impl Iterator<Item = Vote> + 'a {
    let asked = criteria.iter().filter(move |criterion| criterion.kind() == kind);
    asked.filter_map(|criterion| vote(&**criterion, state))
}

/// What a criterion decides; a panic is an error of it, too.
fn decided<S>(criterion: &dyn Criterion<S>, state: &S) -> Result<Option<Decision>, Error> {
    let decided = catch_unwind(AssertUnwindSafe(|| criterion.decide(state)));
    decided.unwrap_or_else(|panic| Err(Error::Panicked(panic_message(&*panic))))
}

/// How a criterion votes; an error of it forbids to go on.
fn vote<S>(criterion: &dyn Criterion<S>, state: &S) -> Option<Vote> {
    let decision = match decided(criterion, state) {
        Ok(decision) => decision?,
        Err(error) => {
            let source = ErrorSource::Criterion(criterion.name().to_owned());
            let retryable = error.is_retryable();
            let error = ErrorRecord::new(source, ErrorKind::Criterion, error.to_string());
            let error = ErrorRecord { retryable, ..error };
            Decision::Forbid(StopSignal::error(criterion.name(), error))
        }
    };
    Some(Vote { by: criterion.name().to_owned(), decision })
}
