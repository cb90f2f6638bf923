//! Before each step.

use legwork_core::tool::ToolSelection;

use super::point::{constructor, point, prepares, stops};

point! {
    /// A step that is about to begin.
    StepStart, StepStart, |_| true
}
stops!(StepStart);
prepares!(StepStart);

impl StepStart {
    /// The same with these tools shown to the model in this step; none = all of them.
    #[must_use]
    pub fn with_tools(self, selection: Option<ToolSelection>) -> Self {
        Self { state: self.state.with_tool_selection(selection), ..self }
    }
}

constructor! {
    /// A hook that runs before each step.
    step_start, StepStart
}
