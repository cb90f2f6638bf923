//! How votes are resolved to an outcome.

use crate::outcome::{ContinuationOutcome, Decision, StopReason, StopSignal, Vote};

/// Resolves votes to an outcome.
///
/// Any forbid stops, else any request goes on, else any stop stops, else any allow goes on, else
/// it stops. The order of the votes does not matter. Of several signals the one whose reason has the
/// highest priority wins, of equals the first by name.
pub fn resolve(votes: Vec<Vote>) -> ContinuationOutcome {
    let Some(winner) = winner(&votes).cloned() else {
        // The source is journaled, so it stays as it is.
        let none = StopSignal::new(StopReason::Unknown, "nobody", "nothing asked to continue");
        return ContinuationOutcome::stop(none);
    };
    let mut rest: Vec<_> =
        votes.into_iter().filter(|vote| vote.decision != Decision::Allow).collect();
    rest.sort_by(|a, b| a.by.cmp(&b.by).then_with(|| rank(a).cmp(&rank(b))));
    let (go_on, signal) = match winner.decision {
        Decision::Forbid(signal) | Decision::Stop(signal) => (false, Some(signal)),
        Decision::Request | Decision::Allow => (true, None),
    };
    ContinuationOutcome { go_on, by: winner.by, signal, votes: rest }
}

/// Whether votes resolve to going on.
pub(crate) fn goes_on(votes: &[Vote]) -> bool {
    let winner = winner(votes).map(|vote| &vote.decision);
    matches!(winner, Some(Decision::Request | Decision::Allow))
}

/// The vote that decides.
fn winner(votes: &[Vote]) -> Option<&Vote> {
    let forbids = |vote: &Vote| matches!(vote.decision, Decision::Forbid(_));
    let stops = |vote: &Vote| matches!(vote.decision, Decision::Stop(_));
    let asks = |vote: &Vote| matches!(vote.decision, Decision::Request);
    let wanted = |vote: &&Vote| match &vote.decision {
        _ if votes.iter().any(forbids) => forbids(vote),
        _ if votes.iter().any(asks) => asks(vote),
        _ if votes.iter().any(stops) => stops(vote),
        _ => true,
    };
    votes.iter().filter(wanted).min_by(|a, b| rank(a).cmp(&rank(b)))
}

/// The order of votes; votes of the same rank are equal.
fn rank(vote: &Vote) -> impl Ord + '_ {
    let (kind, signal) = match &vote.decision {
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
    (priority, vote.by.as_str(), kind, words, numbers, error)
}
