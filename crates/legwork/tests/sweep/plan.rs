//! Which cases there are.

use crate::case::Bench;
use crate::census::{self, Call};
use crate::fault::{Commit, Fault, Side, What};
use crate::kind::Kind;
use crate::process;

/// How often a server is killed in a whole sweep.
pub(crate) const MOMENTS: u64 = 60;

/// The cases of a kill at each commit.
pub(crate) fn commits(bench: &Bench) -> Vec<Fault> {
    let (appends, posts) = bench.commits();
    let each = |commit, count| (1..=count).map(move |number| (commit, number));
    let all = each(Commit::Append, appends).chain(each(Commit::Post, posts));
    let sides = [Side::Before, Side::After];
    all.flat_map(|(commit, number)| sides.map(|side| Fault::Commit { commit, number, side }))
        .collect()
}

/// The cases of something that happens at each call by which a store of files changes the disk.
///
/// None, and a line that says so, where processes cannot be traced.
pub(crate) fn calls(kind: Kind, what: What) -> Result<Vec<Fault>, String> {
    if kind.is_remote() || !process::can_trace() {
        return Ok(Vec::new());
    }
    let fault = |Call { name, number }| Fault::Call { call: name, number, what };
    Ok(census::take(kind)?.into_iter().map(fault).collect())
}

/// The cases of a server that is killed at so many moments.
pub(crate) fn moments(kind: Kind, seed: u64, count: u64) -> Vec<Fault> {
    let count = if kind.is_remote() { count } else { 0 };
    (0..count).map(|number| Fault::Server { seed: seed.wrapping_add(number) }).collect()
}

/// So many cases, spread over all.
pub(crate) fn spread(all: &[Fault], count: usize) -> Vec<Fault> {
    let step = all.len().div_ceil(count.max(1)).max(1);
    // From the middle of the first part on.
    all.iter().skip(step / 2).step_by(step).cloned().collect()
}

#[test]
fn a_spread_takes_cases_from_all_over() {
    let all = moments(Kind::Redis, 0, 10);
    let seeds = |count| spread(&all, count).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(seeds(3), ["server-2", "server-6"]);
    assert_eq!(seeds(10).len(), 10);
    assert_eq!(seeds(100).len(), 10);
    assert!(spread(&[], 3).is_empty());
}
