//! Random programs: an agent, its world, and everything that happens to its runs.
//!
//! A [`Program`] is made from a seed. It says what models answer, what tools and hooks do,
//! which limits there are, which subagents work, when processes die, are cancelled or
//! dropped, how long no process works, what goes wrong with the store, when a session is removed,
//! and what people say meanwhile. [`check`] plays
//! it in virtual time on one thread, so that the same seed always does the same, and holds
//! everything that comes of it against the [`invariants`](crate::invariants) and those of
//! the world around: no call that must not happen twice does, what observers see is durable, what
//! a model used was charged, a refusal changes nothing, and a session at rest stays as it is.
//!
//! ```
//! use legwork_testkit::random;
//!
//! for seed in 0..20 {
//!     if let Err(failure) = random::check(seed) {
//!         panic!("{failure}");
//!     }
//! }
//! ```

mod agent;
mod drive;
mod generate;
mod hooks;
mod model;
mod parts;
mod play;
mod process;
mod program;
mod show;
mod shrink;
mod tools;
mod verdict;
mod watch;
mod world;

use std::fmt;

pub use program::{
    Act, AgentPart, AgentPlan, By, CallIds, CallPlan, CriterionPlan, Does, Go, Goes, HookDoes,
    HookPlan, Meanwhile, PartPlan, PostPlan, Program, Reply, Start, Stuck, To, ToolPlan, Trouble,
    TurnPlan, UsagePlan,
};

use crate::conformance::Violation;

/// A program that does not hold, made as small as possible.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The seed that it was made from.
    pub seed: u64,
    /// The smallest program found that fails in the same way.
    pub program: Program,
    /// The invariant that does not hold.
    pub violation: Violation,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, program, violation } = self;
        writeln!(f, "seed {seed}: {violation}")?;
        writeln!(f, "the smallest program that does so:")?;
        write!(f, "{program}")
    }
}

impl std::error::Error for Failure {}

impl Program {
    /// Plays the program and holds what comes of it against the invariants.
    ///
    /// # Errors
    /// The first thing that does not hold.
    pub fn play(&self) -> Result<(), Violation> {
        play::play(self)
    }
}

/// Plays the program of a seed; one that fails is made small first.
///
/// # Errors
/// The smallest program found that fails in the same way.
pub fn check(seed: u64) -> Result<(), Box<Failure>> {
    check_program(seed, Program::generate(seed))
}

/// Plays a program that was made from a seed; one that fails is made small first.
///
/// # Errors
/// As [`check`].
pub fn check_program(seed: u64, program: Program) -> Result<(), Box<Failure>> {
    let Err(violation) = program.play() else { return Ok(()) };
    let same =
        |smaller: &Program| smaller.play().is_err_and(|other| other.check == violation.check);
    let program = program.shrink(same);
    let violation = program.play().err().unwrap_or(violation);
    Err(Box::new(Failure { seed, program, violation }))
}
