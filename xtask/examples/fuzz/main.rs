//! Feeds random and mutated inputs to what reads bytes from outside: `fuzz SEED RUNS [TARGET..]`.
//!
//! `cargo xtask fuzz` builds and starts it. A target is a file in `targets` and a line in its
//! table; it panics where something does not hold.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command talks on the terminal")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

mod inputs;
mod targets;

use inputs::Inputs;
use targets::{TARGETS, Target};

/// No input takes longer, whatever else the machine does.
const LONGEST: Duration = Duration::from_secs(5);

/// Bytes of memory that the whole may take.
const MEMORY: u64 = 500 << 20;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let numbers = args.iter().take(2).map(|arg| arg.parse().ok()).collect::<Option<Vec<u64>>>();
    let Some(&[seed, runs]) = numbers.as_deref() else {
        eprintln!("fuzz: takes a seed, how many inputs, and the names of targets");
        return ExitCode::from(2);
    };
    let names = args.get(2..).unwrap_or_default();
    if let Some(odd) = names.iter().find(|name| TARGETS.iter().all(|target| target.name != **name))
    {
        let known: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("fuzz: there is no target `{odd}`, but {}", known.join(", "));
        return ExitCode::from(2);
    }
    let chosen =
        |target: &&Target| names.is_empty() || names.iter().any(|name| target.name == name);
    let chosen: Vec<&Target> = TARGETS.iter().filter(chosen).collect();
    let each = runs.div_ceil(chosen.len() as u64);
    // What a target says when it panics is told once, with its input.
    std::panic::set_hook(Box::new(|_| {}));
    match chosen.iter().try_for_each(|target| fuzz(target, seed, each)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            println!("\n{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Feeds one target.
fn fuzz(target: &Target, first: u64, runs: u64) -> Result<(), String> {
    let inputs = Inputs::of(target);
    let (began, mut longest) = (Instant::now(), Duration::ZERO);
    for seed in (0..runs).map(|run| first.wrapping_add(run)) {
        let again = format!("again: cargo xtask fuzz {} --seed {seed} --runs 1", target.name);
        let (mut random, began) = (fastrand::Rng::with_seed(seed), Instant::now());
        let input = inputs.next(&mut random);
        let fed = catch_unwind(AssertUnwindSafe(|| (target.run)(&input, &mut random)));
        longest = longest.max(began.elapsed());
        if let Err(panic) = fed {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words =
                words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            let shown: String = String::from_utf8_lossy(&input).chars().take(2_000).collect();
            return Err(format!("{}: {words}\n{shown:?}\n{again}", target.name));
        }
        if longest > LONGEST {
            return Err(format!(
                "{}: an input takes longer than {LONGEST:?}\n{again}",
                target.name
            ));
        }
    }
    let (rate, peak) = (runs as f64 / began.elapsed().as_secs_f64(), peak());
    let megabytes = peak >> 20;
    println!(
        "{:<8} {runs} inputs, {rate:.0} a second, at most {longest:.1?}, {megabytes} MB",
        target.name
    );
    match peak > MEMORY {
        true => Err(format!("{}: {megabytes} MB of memory were taken", target.name)),
        false => Ok(()),
    }
}

/// The most memory that this process had; nothing where the system does not say.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) << 10
}
