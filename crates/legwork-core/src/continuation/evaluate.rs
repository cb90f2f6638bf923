//! Evaluates the criteria: at the end of a step, before a step, and before calls.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::continuation::{ContinuationOutcome, Criterion, Decision, Error, Kind, StopSignal};
use crate::error::{ErrorKind, ErrorRecord, ErrorSource, panic_message};
use crate::outcome::{Ballot, goes_on, outcome, outcome_after};
use crate::progress::Progress;
use crate::time::Micros;

/// The outcome of the current step of a state, by the criteria and the votes of hooks.
///
/// First the votes of hooks and of ordinary criteria are resolved. If they resolve to going on,
/// the limits are evaluated too and all votes are resolved together. A criterion that fails
/// forbids, with its error. The order of criteria and votes does not matter.
///
/// An outcome equal to that of the step before is the same one, shared.
pub fn evaluate<S: Progress>(
    criteria: &[Arc<dyn Criterion<S>>],
    state: &S,
) -> Arc<ContinuationOutcome> {
    let mut ballot = Ballot::of(state.votes());
    ask(criteria, Kind::Ordinary, state, &mut ballot);
    if goes_on(&ballot) {
        ask(criteria, Kind::Limit, state, &mut ballot);
    }
    outcome_after(&ballot, state.last_step_result().map(|result| &result.outcome))
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
    let mut ballot = Ballot::of(state.votes().iter().filter(|vote| forbids(&vote.decision)));
    if let Some(signal) = state.stop_signal() {
        ballot.cast("signals", Cow::Owned(Decision::Forbid(signal.clone())));
    }
    ask_what_forbids(criteria, Kind::Limit, state, ballot)
}

/// The signal that forbids to run the calls of the turn, if any does; none has begun.
pub fn forbids_calls<S>(criteria: &[Arc<dyn Criterion<S>>], state: &S) -> Option<StopSignal> {
    ask_what_forbids(criteria, Kind::Calls, state, Ballot::default())
}

fn ask_what_forbids<'a, S>(
    criteria: &'a [Arc<dyn Criterion<S>>],
    kind: Kind,
    state: &S,
    mut ballot: Ballot<'a>,
) -> Option<StopSignal> {
    for (by, decision) in votes(criteria, kind, state) {
        if forbids(&decision) {
            ballot.cast(by, Cow::Owned(decision));
        }
    }
    // Without a vote the outcome is a stop; here it means that nothing forbids.
    if ballot.is_empty() { None } else { outcome(&ballot).signal }
}

fn forbids(decision: &Decision) -> bool {
    matches!(decision, Decision::Forbid(_))
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
    state: &S,
    ballot: &mut Ballot<'a>,
) {
    for (by, decision) in votes(criteria, kind, state) {
        ballot.cast(by, Cow::Owned(decision));
    }
}

/// The votes of the criteria of a kind, each with its name.
fn votes<'a, S>(
    criteria: &'a [Arc<dyn Criterion<S>>],
    kind: Kind,
    state: &S,
) -> impl Iterator<Item = (&'a str, Decision)> {
    let asked = criteria.iter().filter(move |criterion| criterion.kind() == kind);
    asked.filter_map(|criterion| Some((criterion.name(), vote(&**criterion, state)?)))
}

/// What a criterion decides; a panic is an error of it, too.
fn decided<S>(criterion: &dyn Criterion<S>, state: &S) -> Result<Option<Decision>, Error> {
    let decided = catch_unwind(AssertUnwindSafe(|| criterion.decide(state)));
    decided.unwrap_or_else(|panic| Err(Error::Panicked(panic_message(&*panic))))
}

/// How a criterion votes; an error of it forbids to go on.
fn vote<S>(criterion: &dyn Criterion<S>, state: &S) -> Option<Decision> {
    decided(criterion, state).unwrap_or_else(|error| {
        let source = ErrorSource::Criterion(criterion.name().to_owned());
        let retryable = error.is_retryable();
        let error = ErrorRecord::new(source, ErrorKind::Criterion, error.to_string());
        let error = ErrorRecord { retryable, ..error };
        Some(Decision::Forbid(StopSignal::error(criterion.name(), error)))
    })
}
