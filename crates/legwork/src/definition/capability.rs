//! The capability to spawn agents that are defined in files.

use legwork_agent::{Builder, Capability};

use super::install::child;
use super::parts::Parts;
use super::resolve;

/// The capability to spawn agents that are defined in files, as subagents.
///
/// ```
/// use legwork::definition::{AgentDefinitions, Definitions, Parts, Location};
/// # use legwork::prelude::*;
/// # use legwork::agent::driver::{NoModel, Scripted};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agents = Definitions::load(&[Location::project(".legwork/agents")]);
/// let agent = Agent::builder(NoModel)
///     .driver(Scripted::new([]))
///     .capability(AgentDefinitions::new(Parts::new(agents)))
///     .build()?;
/// # let _ = agent;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct AgentDefinitions(Parts);

impl AgentDefinitions {
    /// The capability to spawn all agents of these parts.
    pub fn new(parts: Parts) -> Self {
        Self(parts)
    }
}

impl Capability for AgentDefinitions {
    fn name(&self) -> &str {
        "agent_definitions"
    }

    fn about(&self) -> &str {
        "Lets the agent give tasks to the agents that are defined in files."
    }

    fn install(&self, mut builder: Builder) -> Builder {
        for (_, found) in self.0.agents.iter() {
            builder = match child(&self.0, found) {
                Err(problems) => builder.problem(problems.to_string()),
                Ok((subagent, models)) => {
                    let builder = builder.subagent(subagent);
                    models.iter().fold(builder, |builder, name| {
                        match resolve::model(&self.0, name) {
                            Ok(model) => builder.further_model(model),
                            Err(problem) => builder.problem(problem.to_string()),
                        }
                    })
                }
            };
        }
        builder
    }
}
