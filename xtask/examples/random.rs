//! Plays random programs: `random FIRST RUNS SECONDS`, on all cores.
//!
//! `cargo xtask random` builds and starts it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command talks on the terminal")]

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use legwork_testkit::random;

/// Which programs are played.
struct Plan {
    first: u64,
    runs: u64,
    until: Option<Instant>,
}

fn main() -> ExitCode {
    let numbers: Option<Vec<u64>> = std::env::args().skip(1).map(|arg| arg.parse().ok()).collect();
    let Some(&[first, runs, seconds]) = numbers.as_deref() else {
        eprintln!("random: takes the first seed, how many runs, and how many seconds (0: no end)");
        return ExitCode::from(2);
    };
    let started = Instant::now();
    let until = (seconds > 0).then(|| started + Duration::from_secs(seconds));
    let (played, failure) = play(&Plan { first, runs, until });
    let rate = played as f64 / started.elapsed().as_secs_f64();
    println!("{played} programs from seed {first} on, {rate:.0} a second");
    match failure {
        None => ExitCode::SUCCESS,
        Some(failure) => {
            println!("\n{failure}\nagain: cargo xtask random --seed {}", failure.seed);
            ExitCode::FAILURE
        }
    }
}

/// Plays until one fails, all were played, or the time is over.
fn play(plan: &Plan) -> (u64, Option<Box<random::Failure>>) {
    let (next, played) = (AtomicU64::new(0), AtomicU64::new(0));
    let (failed, failure) = (AtomicBool::new(false), Mutex::new(None));
    let work = || {
        while !failed.load(Ordering::Relaxed) && plan.until.is_none_or(|at| Instant::now() < at) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= plan.runs {
                return;
            }
            if let Err(found) = random::check(plan.first.wrapping_add(number)) {
                failed.store(true, Ordering::Relaxed);
                if let Ok(mut place) = failure.lock() {
                    place.get_or_insert(found);
                }
            }
            let count = played.fetch_add(1, Ordering::Relaxed) + 1;
            if count.is_multiple_of(10_000) {
                println!("{count} programs hold");
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    (played.into_inner(), failure.into_inner().ok().flatten())
}
