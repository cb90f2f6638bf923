//! The output of an execution, as data: what is wanted of the model, and why an answer of it was
//! rejected.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::inference::{FinishReason, Response};
use crate::message::Part;
use crate::string_enum::string_enum;

string_enum! {
    /// How a model is asked for an output.
    Mode {
        /// It calls a tool whose arguments are the value.
        ToolCall = "tool_call",
        /// The provider holds the answer to the schema.
        NativeSchema = "native_schema",
        /// The provider holds the answer to be some JSON object; the schema is in the prompt.
        JsonObject = "json_object",
        /// The prompt asks for a fenced block of JSON.
        Fenced = "fenced",
        /// The prompt asks for JSON in the text.
        Prompted = "prompted",
    }
}

string_enum! {
    /// The stage at which an answer was rejected as output.
    Stage {
        /// The answer broke off: its value is not read, because it may lack something.
        Incomplete = "incomplete",
        /// The model declined to answer.
        Refused = "refused",
        /// There is no JSON value in the answer.
        Extraction = "extraction",
        /// The value does not fit the schema.
        Schema = "schema",
        /// The value fits the schema, but not the type.
        Deserialization = "deserialization",
        /// A validator refuses the value.
        Validation = "validation",
        /// The value cannot be made into what is wanted.
        Transformation = "transformation",
        /// The output tool that the model called did not succeed.
        Tool = "tool",
    }
}

/// The output that the executions of an agent end with, a part of its definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wanted {
    /// The name: that of the tool by which a model gives it.
    pub name: Arc<str>,
    /// How the model is asked for it.
    pub mode: Mode,
    /// The JSON Schema of the value.
    pub schema: Arc<Value>,
    /// The JSON Schema that goes with each request as the format of the answer, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Arc<Value>>,
    /// How many rejected answers in a row the model may correct.
    pub repairs: u32,
}

/// Why an answer was rejected as output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The stage that failed.
    pub stage: Stage,
    /// What is wrong, in words for the model.
    pub problem: String,
}

impl Rejection {
    /// A rejection at a stage.
    pub fn new(stage: Stage, problem: impl Into<String>) -> Self {
        Self { stage, problem: problem.into() }
    }

    /// Why a response is not read: the model declined to answer, or the answer was filtered or cut
    /// off at its maximum length.
    pub fn unread(response: &Response) -> Option<Self> {
        let refusal = response.message.parts.iter().find_map(|part| match part {
            Part::Refusal(text) => Some(text.text.as_str()),
            _ => None,
        });
        match (refusal, &response.finish) {
            (Some(words), _) => Some(Self::new(Stage::Refused, words)),
            (None, FinishReason::ContentFilter) => {
                Some(Self::new(Stage::Refused, "the answer was filtered"))
            }
            (None, FinishReason::Length) => {
                let problem = "the answer was cut off at its maximum length: give a shorter one";
                Some(Self::new(Stage::Incomplete, problem))
            }
            _ => None,
        }
    }
}
