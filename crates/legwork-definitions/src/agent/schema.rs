//! What a JSON Schema can say about definitions.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::AgentDefinition;
use super::read::{DESCRIPTION, MODEL};
use crate::limits::{MAX_COUNT, MAX_USD};
use crate::name::{NAME, SERVER, TOOL};

impl AgentDefinition {
    /// The JSON Schema of its YAML and JSON form; the front matter of Markdown is the same
    /// without `instructions`.
    ///
    /// It accepts whatever [`parse`](Self::parse) accepts. What it cannot refuse: a capability that
    /// is there by name and as a table, amounts finer than a millionth, values deeper than 16 levels, files larger than 1 MiB.
    pub fn schema() -> Schema {
        SchemaGenerator::default().into_root_schema_for::<Self>()
    }
}

impl JsonSchema for AgentDefinition {
    fn schema_name() -> Cow<'static, str> {
        "AgentDefinition".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "Legwork agent",
            "description": "An agent as YAML or JSON. Markdown has the same fields as YAML front \
                            matter, but instructions, which are its body.",
            "type": "object",
            "additionalProperties": false,
            "required": ["name", "description"],
            "properties": {
                "name": {
                    "description": "The name: a-z, 0-9, - and _, at most 64.",
                    "type": "string",
                    "pattern": NAME,
                },
                "description": {
                    "description": "What it is for, for people and for agents that hand work to it.",
                    "type": "string",
                    "maxLength": DESCRIPTION,
                    "pattern": "\\S",
                },
                "model": {
                    "description": "provider:name; left out, the model of whoever starts it.",
                    "type": "string",
                    "maxLength": MODEL,
                    "pattern": "^[!-9;-~]+:[!-~]+$",
                },
                "capabilities": {
                    "description": "What it installs, in this order.",
                    "type": "array",
                    "uniqueItems": true,
                    "items": {
                        "anyOf": [
                            { "type": "string", "pattern": NAME },
                            {
                                "type": "object",
                                "additionalProperties": false,
                                "required": ["name"],
                                "properties": {
                                    "name": { "type": "string", "pattern": NAME },
                                    "settings": {
                                        "description": "What only the capability understands.",
                                    },
                                },
                            },
                        ],
                    },
                },
                "tools": names("Exactly these tools; left out, all; an empty list, none.", TOOL),
                "denied_tools": names("Never these tools, whatever tools says.", TOOL),
                "mcp": names(
                    "The tools of exactly these MCP servers; left out, all; an empty list, none.",
                    SERVER,
                ),
                "skills": names("The skills that it knows.", NAME),
                "budget": budget(),
                "metadata": {
                    "description": "Whatever else others want to know of it.",
                    "type": "object",
                },
                "instructions": { "description": "The system prompt.", "type": "string" },
            },
        })
    }
}

fn names(description: &str, pattern: &str) -> Schema {
    json_schema!({
        "description": description,
        "type": "array",
        "uniqueItems": true,
        "items": { "type": "string", "pattern": pattern },
    })
}

fn budget() -> Schema {
    json_schema!({
        "description": "What it may use; what is left out is not limited here.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "usd": {
                "description": "US dollars, to the millionth.",
                "type": "number",
                "minimum": 0,
                "maximum": MAX_USD as u64,
            },
            "steps": count("Steps."),
            "tool_calls": count("Tool calls."),
            "input_tokens": count("Input tokens."),
            "output_tokens": count("Output tokens."),
            "tokens": count("Input and output tokens together."),
            "time": {
                "description": "Active time, such as 90s, 5m or 1h 30m.",
                "type": "string",
                "pattern": "^ *[0-9][0-9A-Za-z. ]*$",
            },
        },
    })
}

fn count(description: &str) -> Schema {
    json_schema!({
        "description": description, "type": "integer", "minimum": 0, "maximum": MAX_COUNT,
    })
}
