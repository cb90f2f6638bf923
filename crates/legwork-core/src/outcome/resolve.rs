//! How votes are resolved to an outcome.

use std::sync::Arc;

use super::ballot::{Ballot, Cast};
use crate::outcome::{ContinuationOutcome, Decision, StopReason, StopSignal, Vote};

/// Resolves votes to an outcome.
///
/// Any forbid stops, else any request goes on, else any stop stops, else any allow goes on, else
/// it stops. The order of the votes does not matter. Of several signals the one whose reason has the
/// highest priority wins, of equals the first by name.
pub fn resolve(votes: &[Vote]) -> ContinuationOutcome {
    outcome(&Ballot::of(votes))
}

/// The outcome of a ballot; it is the outcome before, shared, if both are equal.
///
/// Most steps go on for the reason of the one before.
pub(crate) fn outcome_after(
    ballot: &Ballot<'_>,
    before: Option<&Arc<ContinuationOutcome>>,
) -> Arc<ContinuationOutcome> {
    if let Some(before) = before.filter(|before| is_request_as_before(ballot, before)) {
        return Arc::clone(before);
    }
    let outcome = outcome(ballot);
    match before.filter(|before| ***before == outcome) {
        Some(before) => Arc::clone(before),
        None => Arc::new(outcome),
    }
}

/// Whether one vote alone is a request, and was before.
fn is_request_as_before(ballot: &Ballot<'_>, before: &ContinuationOutcome) -> bool {
    let ContinuationOutcome { go_on, by, signal, votes } = before;
    let Some(only) = ballot.only().filter(|_| *go_on && signal.is_none()) else { return false };
    let is_same = |vote: &Vote| vote.by == only.by && vote.decision == Decision::Request;
    *only.decision == Decision::Request
        && by == only.by
        && matches!(&**votes, [vote] if is_same(vote))
}

pub(crate) fn outcome(ballot: &Ballot<'_>) -> ContinuationOutcome {
    let Some(winner) = winner(ballot) else {
        // The source is journaled, so it stays as it is.
        let none = StopSignal::new(StopReason::Unknown, "nobody", "nothing asked to continue");
        return ContinuationOutcome::stop(none);
    };
    let mut rest: Vec<_> = ballot.iter().filter(|cast| *cast.decision != Decision::Allow).collect();
    rest.sort_by(|a, b| a.by.cmp(b.by).then_with(|| rank(a).cmp(&rank(b))));
    let (go_on, signal) = match &*winner.decision {
        Decision::Forbid(signal) | Decision::Stop(signal) => (false, Some(signal.clone())),
        Decision::Request | Decision::Allow => (true, None),
    };
    let votes = rest.into_iter().map(Cast::to_vote).collect();
    ContinuationOutcome { go_on, by: winner.by.to_owned(), signal, votes }
}

/// Whether votes resolve to going on.
pub(crate) fn goes_on(ballot: &Ballot<'_>) -> bool {
    let winner = winner(ballot).map(|cast| &*cast.decision);
    matches!(winner, Some(Decision::Request | Decision::Allow))
}

/// The vote that decides.
fn winner<'b, 'a>(ballot: &'b Ballot<'a>) -> Option<&'b Cast<'a>> {
    let forbids = |cast: &Cast<'_>| matches!(*cast.decision, Decision::Forbid(_));
    let stops = |cast: &Cast<'_>| matches!(*cast.decision, Decision::Stop(_));
    let asks = |cast: &Cast<'_>| matches!(*cast.decision, Decision::Request);
    let wanted = |cast: &&Cast<'_>| match &*cast.decision {
        _ if ballot.iter().any(forbids) => forbids(cast),
        _ if ballot.iter().any(asks) => asks(cast),
        _ if ballot.iter().any(stops) => stops(cast),
        _ => true,
    };
    if let Some(only) = ballot.only() {
        return Some(only);
    }
    ballot.iter().filter(wanted).min_by(|a, b| rank(a).cmp(&rank(b)))
}

/// The order of votes; votes of the same rank are equal.
fn rank<'c>(cast: &'c Cast<'_>) -> impl Ord + 'c {
    let (kind, signal) = match &*cast.decision {
        Decision::Forbid(signal) => (0, Some(signal)),
        Decision::Request => (1, None),
        Decision::Stop(signal) => (2, Some(signal)),
        Decision::Allow => (3, None),
    };
    let priority = signal.map(|signal| signal.reason.priority());
    let words = signal.map(|s| (s.reason.as_str(), s.source.as_str(), s.message.as_str()));
    let limit = signal.and_then(|signal| signal.limit.as_ref());
    let numbers = limit.map(|l| (l.dimension.as_str(), l.limit, l.used, l.wanted));
    let error = signal.and_then(|signal| signal.error.as_ref());
    let error = error.map(|e| (e.kind.as_str(), e.message.as_str(), e.status, e.code.as_deref()));
    (priority, cast.by, kind, words, numbers, error)
}
