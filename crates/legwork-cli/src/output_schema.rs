//! The output of `legwork run --output-schema`: a value in place of a text.

use std::path::Path;
use std::sync::Arc;

use legwork::agent::Builder;
use legwork::core::AgentState;
use legwork::output::Output;
use legwork::output::reader::Options;
use legwork::output::schema::Unfit;
use legwork::port::OutputReader;
use serde_json::Value;

use crate::error::Error;
use crate::task::regular_text;

const HINT: &str = "name a file that holds a JSON Schema, such as {\"type\": \"object\", \
                    \"properties\": {\"name\": {\"type\": \"string\"}}, \"required\": [\"name\"]}";

/// The output whose JSON Schema a file holds.
pub(crate) fn of_file(path: &Path) -> Result<Output<Value>, Error> {
    let refused = |problem: String| {
        Error::usage(format!("{} is no output schema: {problem}", path.display()), HINT)
    };
    let text = regular_text(path, HINT)?;
    let schema = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    Output::dynamic(schema).map_err(|error| refused(error.to_string()))
}

/// The output that a session was begun with, if it was.
pub(crate) fn of_session(state: &AgentState) -> Option<Output<Value>> {
    let wanted = state.wanted_output()?;
    let output = Output::dynamic((*wanted.schema).clone()).ok()?;
    Some(output.named(Arc::clone(&wanted.name)))
}

/// The agent, each of its executions ending with the output.
pub(crate) fn wanted(agent: Builder, output: Output<Value>) -> Builder {
    agent.output(move |model| {
        let reader = output.reader(model, Options::default())?;
        Ok::<_, Unfit>(Arc::new(reader) as Arc<dyn OutputReader>)
    })
}
