//! The output that the executions of an agent end with.

use std::fmt::Display;
use std::sync::Arc;

use legwork_core::ToolSpec;
use legwork_port::{Model, OutputReader, Tool};
use legwork_toolset::{Given, Owner, ToolExt as _};

use crate::agent::builder::Builder;

/// Makes the reader of an output for a model, or says why there is none.
pub(crate) type FitOutput =
    dyn Fn(&dyn Model) -> Result<Arc<dyn OutputReader>, String> + Send + Sync;

impl Builder {
    /// The output that each execution ends with; `fit` makes its reader for the agent's model.
    ///
    /// An execution completes only with an output that was accepted ([`Run::output`]). A program
    /// gives types with `agent.output::<T>()` of the crate `legwork`.
    ///
    /// [`Run::output`]: crate::Run::output
    #[must_use]
    pub fn output<E: Display>(
        mut self,
        fit: impl Fn(&dyn Model) -> Result<Arc<dyn OutputReader>, E> + Send + Sync + 'static,
    ) -> Self {
        self.output = Some(Arc::new(move |model| fit(model).map_err(|error| error.to_string())));
        self
    }

    /// A tool whose result is the output: once a call of it succeeds, the execution ends.
    ///
    /// The other calls of that turn run first. It is a tool like any other: its calls are
    /// validated, limited and journaled.
    ///
    /// It belongs to this agent alone: a subagent that is made of it does not have it.
    #[must_use]
    pub fn output_tool(mut self, tool: impl Tool + 'static) -> Self {
        let tool = (Arc::new(tool) as Arc<dyn Tool>).with_spec(ToolSpec::gives_output);
        self.output_tools.push(Given { tool, owner: Owner::Output });
        self
    }

    /// Fits the output to the model, and gives its reader with the tools that give it. These are
    /// offered whatever lists of names say.
    pub(super) fn fit_output(&mut self) -> (Option<Arc<dyn OutputReader>>, Vec<Given>) {
        let mut tools = std::mem::take(&mut self.output_tools);
        let reader = self.output.clone().and_then(|fit| match fit(&*self.model) {
            Ok(reader) => Some(reader),
            Err(problem) => {
                self.problems.push(format!("the output: {problem}"));
                None
            }
        });
        if let Some(reader) = &reader {
            self.definition.output = Some(Arc::clone(reader.wanted()));
            let given = |tool| Given { tool, owner: Owner::Output };
            tools.extend(reader.tool().map(given));
        }
        for name in tools.iter().map(|given| given.tool.spec().name.to_string()) {
            self.names.denied.remove(&name);
            self.names.allowed.iter_mut().for_each(|allowed| allowed.extend([name.clone()]));
        }
        (reader, tools)
    }
}
