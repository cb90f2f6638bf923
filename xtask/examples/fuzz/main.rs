//! Feeds random and mutated inputs to what reads bytes from outside: `fuzz SEED RUNS MARK
//! [TARGET..]`.
//!
//! `cargo xtask fuzz` builds, starts and watches it: the file MARK says which input is fed. A
//! target is a file in `targets` and a line in its table; it panics where something does not
//! hold.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command talks on the terminal")]

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

mod feed;
mod inputs;
mod memory;
mod targets;

use feed::feed;
use inputs::Inputs;
use targets::{TARGETS, Target};

/// Of the processor's time no input takes more.
const LONGEST: Duration = Duration::from_secs(2);

/// The stack of a thread that a program starts: what nests must not need more.
const STACK: usize = 2 << 20;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [seed, runs, mark, names @ ..] = args.as_slice() else {
        eprintln!("fuzz: takes a seed, how many inputs, a file, and the names of targets");
        return ExitCode::from(2);
    };
    if let Some(odd) = names.iter().find(|name| TARGETS.iter().all(|target| target.name != **name))
    {
        let known: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("fuzz: there is no target `{odd}`, but {}", known.join(", "));
        return ExitCode::from(2);
    }
    let (Ok(seed), Ok(runs), Ok(mark)) = (seed.parse(), runs.parse(), File::create(mark)) else {
        eprintln!("fuzz: {seed} and {runs} are whole numbers, {mark} is a file to write");
        return ExitCode::from(2);
    };
    let chosen =
        |target: &&Target| names.is_empty() || names.iter().any(|name| target.name == name);
    feed::keep_panics();
    let fed = std::thread::scope(|scope| {
        let all = || TARGETS.iter().filter(chosen).try_for_each(|to| fuzz(to, seed, runs, &mark));
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, all);
        thread.map_err(|error| error.to_string())?.join().map_err(|_| "a panic".to_owned())?
    });
    match fed {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            println!("\n{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Feeds one target.
fn fuzz(target: &Target, first: u64, runs: u64, mark: &File) -> Result<(), String> {
    let inputs = Inputs::of(target);
    let runs = runs.div_ceil(target.one_of);
    let (began, mut taken) = (Instant::now(), 0_u64);
    let (mut slowest, mut largest) = ((Duration::ZERO, 0), (0, 0));
    for seed in (0..runs).map(|run| first.wrapping_add(run)) {
        let again = format!("cargo xtask fuzz {} --seed {seed} --runs 1", target.name);
        let line = format!("{again:<80}\n");
        mark.write_all_at(line.as_bytes(), 0).map_err(|error| format!("the mark: {error}"))?;
        let fed = feed(target, &inputs, seed).map_err(|why| format!("{why}\nagain: {again}"))?;
        taken += u64::from(fed.taken);
        slowest = slowest.max((fed.time, seed));
        largest = largest.max((fed.bytes, seed));
        if fed.time > LONGEST {
            return Err(format!("{}: {:?} for one input\nagain: {again}", target.name, fed.time));
        }
    }
    let rate = runs as f64 / began.elapsed().as_secs_f64();
    let (time, slow) = slowest;
    let (kilobytes, large) = (largest.0 >> 10, largest.1);
    println!(
        "{:<11} {runs:>8} inputs, {rate:>6.0} a second, {:>3} % taken; slowest {time:.1?} \
         (seed {slow}), most memory {kilobytes} KiB (seed {large})",
        target.name,
        100 * taken / runs.max(1)
    );
    Ok(())
}
