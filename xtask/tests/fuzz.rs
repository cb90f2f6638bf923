//! Each target of `cargo xtask fuzz`, fed a few thousand inputs.
#![allow(clippy::print_stdout, reason = "a test says what it skips")]

#[path = "../examples/fuzz/inputs.rs"]
mod inputs;
#[path = "../examples/fuzz/targets/mod.rs"]
mod targets;

use inputs::Inputs;
use targets::TARGETS;

#[test]
fn s13_10_no_target_breaks_on_a_few_thousand_inputs() {
    for target in TARGETS {
        let inputs = Inputs::of(target);
        for seed in 0..2_000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let input = inputs.next(&mut random);
            (target.run)(&input, &mut random);
        }
        println!("{} holds", target.name);
    }
}
