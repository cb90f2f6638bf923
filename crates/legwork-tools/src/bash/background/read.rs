//! The `bash_output` tool: what a command in the background prints, and its end.

use std::sync::Arc;
use std::time::Duration;

use legwork_port::core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
use serde::Deserialize;
use serde_json::json;

use super::{Background, TOOL, Unknown};
use crate::arguments::{answered, whole};

/// Seconds to wait for something new when the call does not say: who has nothing to do but
/// wait shall not ask again and again.
const WAIT: u64 = 10;
/// Most seconds a call may wait.
const WAIT_MAX: u64 = 60;
/// Beyond that, before the executor drops it.
const SLACK: Duration = Duration::from_secs(10);

const DESCRIPTION: &str = "Gives what a command in the background printed since it was last read, \
    and whether it still runs. Waits if there is nothing new. Of long output the beginning and \
    the end are kept. With end it is ended.";

/// What the model may ask for; the schema says the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
    #[serde(default, deserialize_with = "whole")]
    wait: Option<u64>,
    end: Option<bool>,
}

fn spec() -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "description": "The id that bash gave, such as bg7." },
            "wait": {
                "type": "integer",
                "minimum": 0,
                "maximum": WAIT_MAX,
                "description": format!(
                    "Seconds to wait for something new; {WAIT} by default. It returns as soon as \
                     there is something, or the command ends."
                )
            },
            "end": {
                "type": "boolean",
                "description": "End the command, with all that it started."
            }
        },
        "required": ["id"],
        "additionalProperties": false
    });
    // What was read is not given again, so this is not read-only. To do it again does no harm: it
    // goes on where the last one stopped, and what ended once does not end twice.
    ToolSpec::new(TOOL, DESCRIPTION, parameters)
        .effect(EffectClass::Idempotent)
        .resource("id")
        .timeout(Duration::from_secs(WAIT_MAX) + SLACK)
}

/// Reads what commands in the background print, and ends them.
///
/// A call that is dropped or cancelled ends only the reading, and takes nothing.
#[derive(Clone, Debug)]
pub struct BashOutput {
    background: Background,
    spec: Arc<ToolSpec>,
}

impl BashOutput {
    /// A tool that reads of the commands that a `bash` with the same background started.
    #[must_use]
    pub fn new(background: &Background) -> Self {
        Self { background: background.clone(), spec: Arc::new(spec()) }
    }

    async fn read(&self, cx: &ToolContext, asked: Arguments) -> Result<String, Unknown> {
        let command = self.background.find(&cx.session, &asked.id)?;
        if asked.end == Some(true) {
            command.ask_to_end();
            let most = Duration::from_secs(WAIT_MAX);
            // A grace may be longer than the wait: then the result says that it still runs.
            let _ = tokio::time::timeout(most, command.ended()).await;
        } else {
            let wait = asked.wait.unwrap_or(WAIT).min(WAIT_MAX);
            command.changed(Duration::from_secs(wait)).await;
        }
        let (text, ending) = command.read();
        if let Some(ending) = ending {
            ending.attach(cx);
        }
        Ok(text)
    }
}

impl Tool for BashOutput {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(answered(call, cx, |arguments| self.read(cx, arguments)))
    }
}
