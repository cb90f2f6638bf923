//! The tools that ask nothing of the client.

use std::time::Duration;

use legwork_core::ToolSpec;
use legwork_mcp_server::Error;
use legwork_mcp_server::client::{Client, Level};
use legwork_mcp_server::content::{Content, Contents};
use legwork_mcp_server::service::{Call, Change, Reply};
use serde_json::json;
use tokio::sync::broadcast;
use tokio::time::sleep;

use crate::{AUDIO, IMAGE};

/// The time between two notifications, so that the suite sees them arrive one by one.
const PAUSE: Duration = Duration::from_millis(50);

const TOOLS: &[(&str, &str)] = &[
    ("test_simple_text", "Returns a text"),
    ("test_image_content", "Returns an image"),
    ("test_audio_content", "Returns a sound"),
    ("test_embedded_resource", "Returns a resource with its contents"),
    ("test_multiple_content_types", "Returns a text, an image and a resource"),
    ("test_tool_with_logging", "Logs three messages while it works"),
    ("test_logging_tool", "Logs one message"),
    ("test_error_handling", "Fails"),
    ("test_tool_with_progress", "Reports its progress three times"),
    ("test_trigger_tool_change", "Announces that the list of tools changed"),
    ("test_trigger_prompt_change", "Announces that the list of prompts changed"),
];

/// The tools of this module; none of them takes arguments.
pub(crate) fn specs() -> Vec<ToolSpec> {
    let schema = json!({"type": "object", "properties": {}});
    let spec = |(name, what): &(&str, &str)| ToolSpec::new(*name, *what, schema.clone());
    TOOLS.iter().map(spec).collect()
}

pub(crate) async fn call(
    call: &Call,
    client: &Client,
    changes: &broadcast::Sender<Change>,
) -> Result<Reply, Error> {
    Ok(match call.name.as_str() {
        "test_simple_text" => Reply::text("This is a simple text response for testing."),
        "test_image_content" => Reply::of([image()]),
        "test_audio_content" => Reply::of([Content::audio("audio/wav", AUDIO)]),
        "test_embedded_resource" => Reply::of([embedded()]),
        "test_multiple_content_types" => {
            Reply::of([Content::text("Multiple content types test:"), image(), mixed()])
        }
        "test_tool_with_logging" => log_steps(client).await,
        "test_logging_tool" => {
            client.log(Level::Info, "The tool runs").await;
            Reply::text("The tool logged a message")
        }
        "test_error_handling" => {
            Reply::failed("This tool intentionally returns an error for testing")
        }
        "test_tool_with_progress" => report_steps(client).await,
        "test_trigger_tool_change" => announce(changes, Change::Tools),
        "test_trigger_prompt_change" => announce(changes, Change::Prompts),
        name => return Err(Error::invalid(format!("there is no tool {name:?}"))),
    })
}

fn image() -> Content {
    Content::image("image/png", IMAGE)
}

fn embedded() -> Content {
    let text = "This is an embedded resource content.";
    Content::resource(Contents::text("test://embedded-resource", "text/plain", text))
}

fn mixed() -> Content {
    let text = json!({"test": "data", "value": 123}).to_string();
    Content::resource(Contents::text("test://mixed-content-resource", "application/json", text))
}

async fn log_steps(client: &Client) -> Reply {
    client.log(Level::Info, "Tool execution started").await;
    sleep(PAUSE).await;
    client.log(Level::Info, "Tool processing data").await;
    sleep(PAUSE).await;
    client.log(Level::Info, "Tool execution completed").await;
    Reply::text("The tool logged three messages")
}

async fn report_steps(client: &Client) -> Reply {
    client.progress(0.0, Some(100.0), Some("started")).await;
    sleep(PAUSE).await;
    client.progress(50.0, Some(100.0), Some("half done")).await;
    sleep(PAUSE).await;
    client.progress(100.0, Some(100.0), Some("done")).await;
    Reply::text("The tool reported its progress")
}

fn announce(changes: &broadcast::Sender<Change>, change: Change) -> Reply {
    // Without a client that listens there is nobody to notify.
    let _ = changes.send(change);
    Reply::text("The change was announced")
}
