//! The output of `legwork run --output-schema`: a value in place of a text.

use std::path::Path;
use std::sync::Arc;

use legwork::agent::Builder;
use legwork::core::AgentState;
use legwork::core::output::Mode as Recorded;
use legwork::output::reader::Options;
use legwork::output::schema::Unfit;
use legwork::output::{Mode, Output};
use legwork::port::OutputReader;
use serde_json::Value;

use crate::args::{self, OutputMode};
use crate::error::Error;
use crate::task::regular_text;

const HINT: &str = "name a file that holds a JSON Schema, such as {\"type\": \"object\", \
                    \"properties\": {\"name\": {\"type\": \"string\"}}, \"required\": [\"name\"]}";

/// The output that the executions of a session end with.
pub(crate) struct Wants {
    output: Output<Value>,
    /// How the model is asked for it; none = as its abilities say.
    mode: Option<Mode>,
}

/// The output that the flags of a run ask for.
pub(crate) fn of_flags(flags: &args::Run) -> Result<Option<Wants>, Error> {
    let Some(path) = &flags.output_schema else { return Ok(None) };
    let mode = flags.output_mode.map(|mode| match mode {
        OutputMode::Tool => Mode::ToolCall,
        OutputMode::Schema => Mode::NativeSchema,
        OutputMode::Object => Mode::JsonObject,
        OutputMode::Fenced => Mode::Fenced,
        OutputMode::Prompt => Mode::Prompted,
    });
    Ok(Some(Wants { output: of_file(path)?, mode }))
}

/// The output whose JSON Schema a file holds.
fn of_file(path: &Path) -> Result<Output<Value>, Error> {
    let refused = |problem: String| {
        Error::usage(format!("{} is no output schema: {problem}", path.display()), HINT)
    };
    let text = regular_text(path, HINT)?;
    let schema = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    Output::dynamic(schema).map_err(|error| refused(error.to_string()))
}

/// The output that a session was begun with, if it was; asked for in the same way.
pub(crate) fn of_session(state: &AgentState) -> Option<Wants> {
    let wanted = state.wanted_output()?;
    let output = Output::dynamic((*wanted.schema).clone()).ok()?;
    let mode = match wanted.mode {
        Recorded::ToolCall => Some(Mode::ToolCall),
        Recorded::NativeSchema => Some(Mode::NativeSchema),
        Recorded::JsonObject => Some(Mode::JsonObject),
        Recorded::Fenced => Some(Mode::Fenced),
        Recorded::Prompted => Some(Mode::Prompted),
        _ => None,
    };
    Some(Wants { output: output.named(Arc::clone(&wanted.name)), mode })
}

/// The agent, each of its executions ending with the output.
pub(crate) fn wanted(agent: Builder, wants: Wants) -> Builder {
    agent.output(move |model| {
        let mut options = Options::default();
        options.mode = wants.mode;
        let reader = wants.output.reader(model, options)?;
        Ok::<_, Unfit>(Arc::new(reader) as Arc<dyn OutputReader>)
    })
}
