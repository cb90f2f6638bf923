//! Parts of random programs that can be left out.

use super::program::{Act, Goes, HookDoes, Program, Start};

/// A part of random programs that can be left out, to look for something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Hooks and toolsets that never return.
    Hangs,
    /// Tasks given to a session with subagents that has had one.
    FurtherTasks,
}

impl Program {
    /// The same program without a feature.
    #[must_use]
    pub fn without(mut self, feature: Feature) -> Self {
        match feature {
            Feature::Hangs => {
                self.hooks.retain(|hook| hook.does != HookDoes::Stall);
                self.parts.retain(|plan| plan.goes != Goes::Hangs);
            }
            Feature::FurtherTasks if self.agents.len() > 1 => {
                for act in self.acts.iter_mut().skip(1) {
                    if let Act::Go(go) = act {
                        go.start = Start::Resume;
                    }
                }
            }
            Feature::FurtherTasks => {}
        }
        self
    }
}
