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

use inputs::Inputs;
use targets::TARGETS;

/// Inputs that each target is fed; fewer where each makes files.
const INPUTS: u64 = 2_000;

#[test]
fn s13_10_no_target_breaks_on_a_few_thousand_inputs() {
    feed::keep_panics();
    for target in TARGETS {
        let inputs = Inputs::of(target);
        for seed in 0..INPUTS.div_ceil(target.one_of) {
            let fed = feed::feed(target, &inputs, seed);
            let again = format!("again: cargo xtask fuzz {} --seed {seed} --runs 1", target.name);
            if let Err(problem) = fed {
                drop(std::panic::take_hook());
                panic!("{problem}\n{again}");
            }
        }
        println!("{} holds", target.name);
    }
}
