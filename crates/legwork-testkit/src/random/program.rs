//! A program: what an agent is, what its model and tools do, and what happens to its runs.
//!
//! All of it is plain data without meaning of its own: a part may be left out, and what
//! stays is a program again. So a failing one can be made small.

mod act;
mod answer;
mod part;

pub use act::{Act, By, Go, Meanwhile, PostPlan, Reply, Start, Stuck, To};
pub use answer::{AgentPlan, CallIds, CallPlan, Does, ToolPlan, Trouble, TurnPlan, UsagePlan};
pub use part::{AgentPart, CriterionPlan, Goes, HookDoes, HookPlan, PartPlan};

/// A whole scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The root, and the subagents that it and those before each may spawn.
    pub agents: Vec<AgentPlan>,
    /// Tokens that an answer may have.
    pub max_output: u64,
    /// The hooks, in the order they are given.
    pub hooks: Vec<HookPlan>,
    /// How many turns others get at each place where something takes time, in a circle.
    pub pace: Vec<usize>,
    /// The criteria that vote in addition to the guards.
    pub criteria: Vec<CriterionPlan>,
    /// Which other parts of the agent go wrong.
    pub parts: Vec<PartPlan>,
    /// Whether there is an observer: then answers are streamed.
    pub watched: bool,
    /// What happens, one after the other.
    pub acts: Vec<Act>,
}
