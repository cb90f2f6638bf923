//! The description of `bash` for the model.

use std::time::Duration;

use legwork_port::core::tool::ExecutionMode;
use legwork_port::core::{EffectClass, OnDoubt, ToolSpec};
use serde_json::json;

use super::background::{Background, TOOL};
use super::{BACKGROUND_MAX, LIMIT, LIMIT_MAX};
use crate::process;
use crate::sandbox::Sandbox;

/// Beyond what a call can take by itself, before the executor drops it.
const SLACK: Duration = Duration::from_secs(10);

const DESCRIPTION: &str = "Runs a command with bash in the root of the workspace and gives its \
    output, standard output and standard error in the order they came. Each call is a new shell \
    without a terminal or input; processes left in the background are killed when it ends. Of \
    long output the beginning and the end are kept.";

/// What a `bash` is that runs behind `sandbox`; with a background, commands may be started
/// there.
pub(super) fn spec(
    sandbox: &Sandbox,
    grace: Duration,
    background: Option<&Background>,
) -> ToolSpec {
    let walls = match sandbox {
        Sandbox::By(walls) => format!(" The command runs in a sandbox: {}.", walls.rules()),
        Sandbox::Off => String::new(),
    };
    let later = match background {
        Some(_) => format!(
            " For what runs long, such as a server or a watcher, background starts it only; \
             {TOOL} reads what it prints and ends it."
        ),
        None => String::new(),
    };
    let mut parameters = json!({
        "type": "object",
        "properties": {
            "command": { "type": "string", "description": "The command, as one would type it." },
            "timeout": {
                "type": "integer",
                "minimum": 1,
                "maximum": LIMIT_MAX,
                "description":
                    format!("Seconds it may run before it is ended; {LIMIT} by default.")
            }
        },
        "required": ["command"],
        "additionalProperties": false
    });
    if background.is_some() {
        in_background(&mut parameters);
    }
    // What the command was started for may need what an earlier call did, so
    // calls run one after the other. The limit is ours to keep; the one in the
    // spec comes after it.
    ToolSpec::new("bash", format!("{DESCRIPTION}{later}{walls}"), parameters)
        .effect(EffectClass::Once(OnDoubt::Ask))
        .mode(ExecutionMode::Sequential)
        .timeout(Duration::from_secs(LIMIT_MAX) + grace + process::KILLING + SLACK)
}

/// Adds to the schema what only a background needs.
fn in_background(parameters: &mut serde_json::Value) {
    let Some(properties) = parameters.get_mut("properties").and_then(|all| all.as_object_mut())
    else {
        return;
    };
    let limit = json!({
        "type": "integer",
        "minimum": 1,
        "maximum": BACKGROUND_MAX,
        "description": format!(
            "Seconds it may run before it is ended; {LIMIT} by default, at most {LIMIT_MAX}. In \
             the background {BACKGROUND_MAX} by default."
        )
    });
    let background = json!({
        "type": "boolean",
        "description": format!(
            "Start it and return at once, with an id for {TOOL}. It is ended with this run at \
             the latest. In a sandbox without network no other command reaches what it serves: \
             try it out within the same command."
        )
    });
    properties.insert("timeout".to_owned(), limit);
    properties.insert("background".to_owned(), background);
}
