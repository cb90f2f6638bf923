//! An agent inside an editor. A few lines that speak the Agent Client Protocol take the place of
//! the editor, and a script that of the model.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::acp::Server;
use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// Sends a letter, once a person allows it.
#[tool]
async fn send(to: String, cx: &ToolContext) -> ToolOutcome {
    match cx.approved() {
        true => ToolOutcome::text(format!("sent to {to}")),
        false => ToolOutcome::needs_approval("it cannot be taken back"),
    }
}

/// The other side: it shows what it is told, and allows what it is asked.
struct Editor {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    to: WriteHalf<DuplexStream>,
    last: u64,
}

impl Editor {
    async fn asks(
        &mut self,
        method: &str,
        params: Value,
    ) -> Result<Value, Box<dyn std::error::Error>> {
        self.last += 1;
        let id = self.last;
        self.says(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        loop {
            let line = self.lines.next_line().await?.ok_or("the agent is gone")?;
            let message: Value = serde_json::from_str(&line)?;
            match message["method"].as_str() {
                Some("session/request_permission") => {
                    let params = &message["params"];
                    let options = params["options"].as_array().into_iter().flatten();
                    let option = |kind| options.clone().find(|option| option["kind"] == kind);
                    let once = option("allow_once").ok_or("there is no such option")?;
                    println!("allowed: {}", params["toolCall"]["title"].as_str().unwrap_or(""));
                    let outcome = json!({"outcome": "selected", "optionId": once["optionId"]});
                    let result = json!({"outcome": outcome});
                    self.says(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
                        .await?;
                }
                Some(_) => shows(&message["params"]["update"]),
                None if message["id"] == id => return Ok(message["result"].clone()),
                None => {}
            }
        }
    }

    async fn says(&mut self, message: Value) -> std::io::Result<()> {
        self.to.write_all(format!("{message}\n").as_bytes()).await
    }
}

/// What an editor shows of an update.
fn shows(update: &Value) {
    match update["sessionUpdate"].as_str() {
        Some("agent_message_chunk") => {
            println!("agent: {}", update["content"]["text"].as_str().unwrap_or_default())
        }
        Some("tool_call_update") if update["status"] == "completed" => println!("the call is done"),
        _ => {}
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let script =
        [Line::call("send", json!({"to": "Ann"})), Line::text("The letter is on its way.")];
    let agent = Agent::builder(NoModel).driver(Scripted::new(script)).tools([send]);
    let agent = agent.id("clerk").store("memory:").build()?;

    // A program gives `tokio::io::stdin()` and `tokio::io::stdout()`.
    let (near, far) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(far);
    let serving = tokio::spawn(async move { Server::new(agent).serve(input, output).await });

    let (from, to) = tokio::io::split(near);
    let mut editor = Editor { lines: BufReader::new(from).lines(), to, last: 0 };
    let hello = json!({"protocolVersion": 1, "clientCapabilities": {}});
    editor.asks("initialize", hello).await?;
    let place = json!({"cwd": std::env::current_dir()?, "mcpServers": []});
    let session = editor.asks("session/new", place).await?["sessionId"].clone();
    let text = json!([{"type": "text", "text": "Write to Ann."}]);
    let ended =
        editor.asks("session/prompt", json!({"sessionId": session, "prompt": text})).await?;
    println!("the turn ended: {}", ended["stopReason"].as_str().unwrap_or_default());
    drop(editor);
    serving.await??;
    Ok(())
}
