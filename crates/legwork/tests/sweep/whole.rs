//! A whole sweep, which `cargo xtask sweep` asks for.

use std::collections::VecDeque;
use std::env;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::case::{Bench, Noticed};
use crate::fault::{Fault, What};
use crate::kind::Kind;
use crate::plan::{self, MOMENTS};
use crate::report::Report;

/// What to sweep: the name of a store, `all`, or a case as `STORE/FAULT`; none in a run of the tests.
const WANTED: &str = "LEGWORK_SWEEP";

/// How many cases of each class to take; all if it is missing.
const SAMPLE: &str = "LEGWORK_SWEEP_SAMPLE";

/// What the moments are drawn from at which servers are killed.
const SEED: &str = "LEGWORK_SWEEP_SEED";

/// How many children run at the same time.
const AT_ONCE: usize = 2;

/// Sweeps what the variables ask for; in a run of the tests there is nothing to do.
#[test]
fn sweeps_what_is_wanted() {
    let Ok(wanted) = env::var(WANTED) else { return };
    if let Some((kind, fault)) = wanted.split_once('/') {
        return single(kind.parse().unwrap(), &fault.parse().unwrap());
    }
    let kinds = match &*wanted {
        "all" => Kind::ALL.to_vec(),
        name => vec![name.parse().unwrap()],
    };
    let number = |name| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let (sample, seed) = (number(SAMPLE), number(SEED).unwrap_or_else(|| fastrand::u64(..)));
    println!("servers are killed at moments of the seed {seed}");
    let report = Mutex::new(Report::default());
    for kind in kinds {
        if let Some(bench) = Bench::open(kind).unwrap() {
            let cases = cases(kind, &bench, seed, sample.map(|count| count as usize));
            sweep(kind, bench, cases, &report);
        }
    }
    let report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("\n{report}");
    assert_eq!(report.failed(), 0, "cases failed; they stand above");
}

/// Runs one case again.
fn single(kind: Kind, fault: &Fault) {
    let Some(mut bench) = Bench::open(kind).unwrap() else { return };
    match bench.run(fault) {
        Ok(noticed) => println!("{kind}/{fault} holds; noticed: {noticed:?}"),
        Err(wrong) => panic!("{kind}/{fault}: {wrong}"),
    }
}

/// All cases of a kind of store, or so many of each class.
fn cases(kind: Kind, bench: &Bench, seed: u64, sample: Option<usize>) -> VecDeque<Fault> {
    let taken = |all: Vec<Fault>| match sample {
        None => all,
        Some(count) => plan::spread(&all, count),
    };
    let whats = [What::Kill, What::Eio, What::Enospc, What::Full];
    let calls = whats.map(|what| plan::calls(kind, what).unwrap());
    let classes = [plan::commits(bench)].into_iter().chain(calls);
    let classes = classes.chain([plan::moments(kind, seed, MOMENTS)]);
    classes.flat_map(taken).collect()
}

/// Runs cases, a few at a time, and says how far it is.
fn sweep(kind: Kind, bench: Bench, cases: VecDeque<Fault>, report: &Mutex<Report>) {
    let all = cases.len();
    println!("{kind}: {all} cases");
    let queue = Mutex::new(cases);
    let others = (1..AT_ONCE).filter_map(|_| Bench::open(kind).unwrap());
    let benches: Vec<_> = [bench].into_iter().chain(others).collect();
    thread::scope(|scope| {
        for mut bench in benches {
            let queue = &queue;
            scope.spawn(move || {
                while let Some((fault, left)) = next(queue) {
                    let start = Instant::now();
                    let result = bench.run(&fault);
                    say(kind, &fault, &result, all - left, all);
                    let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
                    report.count(kind, fault.class(), result.map_err(drop), start.elapsed());
                }
            });
        }
    });
}

/// The next case, and how many are left.
fn next(queue: &Mutex<VecDeque<Fault>>) -> Option<(Fault, usize)> {
    let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    let fault = queue.pop_front()?;
    Some((fault, queue.len()))
}

fn say(kind: Kind, fault: &Fault, result: &Result<Noticed, String>, number: usize, all: usize) {
    if let Err(wrong) = result {
        println!("FAILED {kind}/{fault}: {wrong}");
        println!("to run it again: cargo xtask sweep --case {kind}/{fault}\n");
    }
    if number.is_multiple_of(25) || number == all {
        println!("{kind}: {number} of {all} ({})", fault.class());
    }
}
