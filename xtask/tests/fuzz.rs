//! Each target of `cargo xtask fuzz`, fed a few thousand inputs.
#![allow(clippy::print_stdout, reason = "a test says what it skips")]

#[path = "../examples/fuzz/feed.rs"]
mod feed;
#[path = "../examples/fuzz/inputs.rs"]
mod inputs;
#[path = "../examples/fuzz/memory.rs"]
mod memory;
#[path = "../examples/fuzz/targets/mod.rs"]
mod targets;

use std::time::Duration;

use inputs::Inputs;
use targets::TARGETS;

/// Inputs that each target is fed; fewer where each makes files.
const INPUTS: u64 = 2_000;

#[test]
fn s13_10_no_target_breaks_on_a_few_thousand_inputs() {
    feed::keep_panics();
    for target in TARGETS {
        let inputs = Inputs::of(target);
        let (mut taken, mut time, mut bytes) = (0, Duration::ZERO, 0);
        for seed in 0..INPUTS.div_ceil(target.one_of) {
            match feed::feed(target, &inputs, seed) {
                Ok(fed) => {
                    taken += u64::from(fed.taken);
                    (time, bytes) = (time.max(fed.time), bytes.max(fed.bytes));
                }
                Err(problem) => {
                    drop(std::panic::take_hook());
                    let again = format!("cargo xtask fuzz {} --seed {seed} --runs 1", target.name);
                    panic!("{problem}\nagain: {again}");
                }
            }
        }
        println!("{} holds: {taken} taken, at most {time:?}, {bytes} bytes", target.name);
        assert!(taken > 0, "no input of {} was taken", target.name);
    }
}
