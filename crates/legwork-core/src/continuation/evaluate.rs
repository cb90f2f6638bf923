//! Asking the criteria: at the end of a step in two rounds, before a step and before calls.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::continuation::{
    ContinuationOutcome, Criterion, Decision, Kind, StopSignal, Vote, resolve,
};
use crate::error::{ErrorKind, ErrorRecord, ErrorSource, panic_message};
use crate::outcome::goes_on;
use crate::progress::Progress;
use crate::time::Micros;

/// The outcome for a state with its step pending, votes of hooks included.
///
/// First all ordinary criteria and votes are resolved. Only if that says to go on are the
/// limits asked, and all resolved together. A criterion that fails forbids, with its
/// error. The order of criteria and votes does not matter.
pub fn evaluate<S: Progress>(criteria: &[Arc<dyn Criterion<S>>], state: &S) -> ContinuationOutcome {
    // As a rule one criterion votes: room for more would be kept with the outcome.
    let mut votes = Vec::with_capacity(state.votes().len() + 1);
    votes.extend_from_slice(state.votes());
    votes.extend(ask(criteria, Kind::Ordinary, state));
    if goes_on(&votes) {
        votes.extend(ask(criteria, Kind::Limit, state));
    }
    resolve(votes)
}

/// What forbids to begin a step now, if anything does; no step is under way.
///
/// Asked are the limits, at once, the signals that were raised, and forbidding votes of
/// hooks. The one of the highest priority is given, the first by name among equals. A
/// signal that was raised before is given as it is: it need not be raised again.
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
    // Nobody's vote is no reason to stop here.
    if forbids.is_empty() { None } else { resolve(forbids).signal }
}

/// What forbids the calls of the turn to run, if anything does; none of them began.
pub fn forbids_calls<S>(criteria: &[Arc<dyn Criterion<S>>], state: &S) -> Option<StopSignal> {
    let forbids = |vote: &Vote| matches!(vote.decision, Decision::Forbid(_));
    let forbids: Vec<_> = ask(criteria, Kind::Calls, state).filter(forbids).collect();
    if forbids.is_empty() { None } else { resolve(forbids).signal }
}

/// How long a step may go on until the first of the criteria forbids to; none if none does for
/// time.
pub fn time_left<S>(criteria: &[Arc<dyn Criterion<S>>], state: &S) -> Option<Micros> {
    criteria.iter().filter_map(|criterion| left_by(&**criterion, state)).min()
}

/// Which of the criteria forbids a step to go on, its time being up.
pub fn time_up<S>(criteria: &[Arc<dyn Criterion<S>>], state: &S) -> Option<StopSignal> {
    let up =
        |criterion: &&Arc<dyn Criterion<S>>| left_by(&***criterion, state) == Some(Micros::ZERO);
    criteria.iter().filter(up).find_map(|criterion| match criterion.decide(state).ok()?? {
        Decision::Forbid(signal) => Some(signal),
        _ => None,
    })
}

/// One that panics has nothing to say of time; asked for its vote, it forbids.
fn left_by<S>(criterion: &dyn Criterion<S>, state: &S) -> Option<Micros> {
    catch_unwind(AssertUnwindSafe(|| criterion.time_left(state))).ok().flatten()
}

fn ask<'a, S>(
    criteria: &'a [Arc<dyn Criterion<S>>],
    kind: Kind,
    state: &'a S,
) -> impl Iterator<Item = Vote> + 'a {
    let asked = criteria.iter().filter(move |criterion| criterion.kind() == kind);
    asked.filter_map(|criterion| {
        // One that panics failed, like one that says so.
        let decided = catch_unwind(AssertUnwindSafe(|| criterion.decide(state)));
        let decision = match decided.unwrap_or_else(|panic| Err(panicked(&*panic))) {
            Ok(decision) => decision?,
            Err(error) => {
                let source = ErrorSource::Criterion(criterion.name().to_owned());
                let error = ErrorRecord::new(source, ErrorKind::Criterion, error);
                Decision::Forbid(StopSignal::error(criterion.name(), error))
            }
        };
        Some(Vote { by: criterion.name().to_owned(), decision })
    })
}

fn panicked(panic: &(dyn Any + Send)) -> String {
    format!("it panicked: {}", panic_message(panic))
}
