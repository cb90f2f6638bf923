//! An agent inside an editor. A few lines that speak the Agent Client Protocol take the place of
//! the editor, and a script that of the model.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]
#![allow(clippy::indexing_slicing, reason = "a field of JSON that is not there is null")]

use legwork::acp::Server;
use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};

/// Sends a letter, once a person allows it.
#[tool]
async fn send(to: String, cx: &ToolContext) -> ToolOutcome {
    match cx.approved() {
        true => ToolOutcome::text(format!("sent to {to}")),
        false => ToolOutcome::needs_approval("it cannot be taken back"),
    }
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// The other side: it gives a task, shows what it is told, and allows what it is asked.
async fn editor(near: DuplexStream) -> Result<(), Box<dyn std::error::Error>> {
    let (from, mut to) = tokio::io::split(near);
    let mut lines = BufReader::new(from).lines();
    let hello = json!({"protocolVersion": 1, "clientCapabilities": {}});
    let mut says = Some(request(1, "initialize", hello));
    loop {
        if let Some(message) = says.take() {
            to.write_all(format!("{message}\n").as_bytes()).await?;
        }
        let line = lines.next_line().await?.ok_or("the agent is gone")?;
        let heard: Value = serde_json::from_str(&line)?;
        let (result, params) = (&heard["result"], &heard["params"]);
        says = match (heard["method"].as_str(), heard["id"].as_u64()) {
            (Some("session/request_permission"), _) => {
                let mut options = params["options"].as_array().into_iter().flatten();
                let once = options.find(|option| option["kind"] == "allow_once");
                let once = once.map(|option| &option["optionId"]);
                println!("allowed: {}", params["toolCall"]["title"]);
                let result = json!({"outcome": {"outcome": "selected", "optionId": once}});
                Some(json!({"jsonrpc": "2.0", "id": heard["id"], "result": result}))
            }
            (Some(_), _) if params["update"]["sessionUpdate"] == "agent_message_chunk" => {
                println!("the agent says: {}", params["update"]["content"]["text"]);
                None
            }
            (None, Some(1)) => {
                let place = json!({"cwd": std::env::current_dir()?, "mcpServers": []});
                Some(request(2, "session/new", place))
            }
            (None, Some(2)) => {
                let task = json!([{"type": "text", "text": "Write to Ann."}]);
                let task = json!({"sessionId": result["sessionId"], "prompt": task});
                Some(request(3, "session/prompt", task))
            }
            (None, _) => break println!("the turn ended: {}", result["stopReason"]),
            _ => None,
        };
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let call = Line::call("send", json!({"to": "Ann"}));
    let script = Scripted::new([call, Line::text("The letter is on its way.")]);
    let agent = Agent::builder(NoModel).driver(script).tools([send]);
    let agent = agent.id("clerk").store("memory:").build()?;
    // A program gives `tokio::io::stdin()` and `tokio::io::stdout()`.
    let (near, far) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(far);
    let serving = tokio::spawn(async move { Server::new(agent).serve(input, output).await });
    editor(near).await?;
    serving.await??;
    Ok(())
}
