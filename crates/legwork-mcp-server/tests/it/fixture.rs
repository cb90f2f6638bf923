//! A client that writes and reads lines, and an agent for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use legwork_agent::Agent;
use legwork_agent::capability::ask_user::AskUser;
use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Ask, Tools, ToolsetExt as _};
use legwork_core::tool::{InputRequest, Supplied};
use legwork_core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_mcp_server::{Agents, Server};
use legwork_port::{BoxFuture, Tool, ToolContext};
use legwork_testkit::{Gate, ScriptedModel, Turn};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::io::{ReadHalf, WriteHalf, duplex, split};
use tokio::task::JoinHandle;

/// What the tools did.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) notes: Arc<Mutex<Vec<String>>>,
    /// Holds the tool `wait`.
    pub(crate) gate: Gate,
}

impl World {
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap().clone()
    }
}

/// A tool that notes its arguments.
struct Noting(ToolSpec, World);

impl Tool for Noting {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::new(self.0.clone())
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            if &*call.name == "wait" {
                self.1.gate.pass().await;
            }
            if &*call.name == "paint" {
                return paint(cx.supplied());
            }
            let note = format!("{} {}", call.name, call.arguments);
            self.1.notes.lock().unwrap().push(note.clone());
            ToolOutcome::text(format!("did {note}"))
        })
    }
}

/// Asks which colour, before it paints.
fn paint(supplied: &[Supplied]) -> ToolOutcome {
    let Some(one) = supplied.first() else {
        let colour = json!({"type": "string", "enum": ["red", "blue"]});
        let schema =
            json!({"type": "object", "properties": {"colour": colour}, "required": ["colour"]});
        return InputRequest::new("Which colour\u{202e}?").with_schema(schema).into();
    };
    ToolOutcome::text(format!("painted {}", one.value))
}

fn noting(name: &'static str, effect: EffectClass, world: &World) -> Arc<dyn Tool> {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let mut spec = ToolSpec::new(name, format!("Does {name}."), schema);
    spec.effect = effect;
    Arc::new(Noting(spec, world.clone()))
}

/// An agent that looks and waits without asking, and sends with approval.
pub(crate) fn agent(model: &ScriptedModel, world: &World, store: &MemoryStore) -> Agent {
    let send = noting("send", EffectClass::default(), world);
    Agent::builder(model.clone())
        .id("clerk")
        .tool(noting("look", EffectClass::ReadOnly, world))
        .tool(noting("wait", EffectClass::ReadOnly, world))
        .tool(noting("paint", EffectClass::default(), world))
        .toolset(Tools::new("asked", [send]).approval_required(Ask::always().because("it sends")))
        .capability(AskUser)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap()
}

/// What a client of a test can do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// The revision of 2025, with a handshake.
    Legacy,
    /// That of 2026, without.
    Modern,
}

pub(crate) const BOTH: [Era; 2] = [Era::Legacy, Era::Modern];

/// A client.
pub(crate) struct Peer {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    to: WriteHalf<DuplexStream>,
    era: Era,
    capabilities: Value,
    last: u64,
    /// What came that was no answer.
    pub(crate) others: VecDeque<Value>,
    served: JoinHandle<()>,
}

impl Peer {
    /// A client that shows forms and polls tasks, of a server.
    pub(crate) async fn of(server: Server, era: Era) -> Self {
        let tasks = json!({"io.modelcontextprotocol/tasks": {}});
        Self::able(server, era, json!({"elicitation": {}, "extensions": tasks})).await
    }

    /// A client with these capabilities.
    pub(crate) async fn able(server: Server, era: Era, capabilities: Value) -> Self {
        let (ours, theirs) = duplex(1 << 16);
        let (from, to) = split(theirs);
        let served = tokio::spawn(async move { server.serve(from, to).await.unwrap() });
        let (from, to) = split(ours);
        let lines = BufReader::new(from).lines();
        let others = VecDeque::new();
        let mut peer = Self { lines, to, era, capabilities, last: 0, others, served };
        if era == Era::Legacy {
            let params = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": peer.capabilities.clone(),
                "clientInfo": {"name": "tester", "version": "1"},
            });
            peer.result("initialize", params).await;
            peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        }
        peer
    }

    /// A client of an agent that says this.
    pub(crate) async fn with(
        turns: impl IntoIterator<Item = Turn>,
        era: Era,
    ) -> (Self, World, MemoryStore) {
        let (world, store) = (World::default(), MemoryStore::new());
        let turns: Vec<_> = turns.into_iter().collect();
        let agent = agent(&ScriptedModel::new(turns), &world, &store);
        (Self::of(Server::new(Agents::new(agent)), era).await, world, store)
    }

    /// Closes the input of the server, and waits for its end.
    pub(crate) async fn ends(self) {
        let Self { lines, to, served, .. } = self;
        drop((lines, to));
        served.await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn read(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap();
        serde_json::from_str(&line.unwrap_or_else(|| panic!("the server ended"))).unwrap()
    }

    /// Sends a request; gives its id.
    pub(crate) async fn asks(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let mut params = params;
        if self.era == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                self.capabilities.clone();
            params["_meta"]["io.modelcontextprotocol/clientInfo"] =
                json!({"name": "tester", "version": "1"});
        }
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    /// Waits for the answer to a request; keeps what comes before.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.read().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.others.push_back(message);
        }
    }

    /// Waits for a request of the server.
    pub(crate) async fn hears(&mut self, method: &str) -> Value {
        loop {
            let kept = self.others.iter().position(|message| message["method"] == method);
            if let Some(message) = kept.and_then(|at| self.others.remove(at)) {
                return message;
            }
            let message = self.read().await;
            self.others.push_back(message);
        }
    }

    /// The answer to a request.
    pub(crate) async fn asked(&mut self, method: &str, params: Value) -> Value {
        let id = self.asks(method, params).await;
        self.answer(id).await
    }

    /// The result of a request.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.asked(method, params).await;
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// The result of a call.
    pub(crate) async fn calls(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Calls, and has a person answer each form that comes with `action` and `content`; gives the
    /// result, and the messages of the forms.
    pub(crate) async fn calls_and_says(
        &mut self,
        tool: &str,
        arguments: Value,
        answer: Value,
    ) -> (Value, Vec<String>) {
        let mut shown = Vec::new();
        let mut params = json!({"name": tool, "arguments": arguments});
        let mut id = self.asks("tools/call", params.clone()).await;
        loop {
            let message = self.read().await;
            if message["method"] == "elicitation/create" {
                shown.push(message["params"]["message"].as_str().unwrap().to_owned());
                let response = json!({"jsonrpc": "2.0", "id": message["id"], "result": answer});
                self.send(&response).await;
                continue;
            }
            if message["id"] != id {
                self.others.push_back(message);
                continue;
            }
            let result = message["result"].clone();
            if result["resultType"] != "input_required" {
                return (message, shown);
            }
            let requests = result["inputRequests"].as_object().unwrap().clone();
            let text = |one: &Value| one["params"]["message"].as_str().unwrap().to_owned();
            shown.extend(requests.values().map(text));
            let answers = requests.keys().map(|key| (key.clone(), answer.clone()));
            params["inputResponses"] = Value::Object(answers.collect());
            params["requestState"] = result["requestState"].clone();
            id = self.asks("tools/call", params.clone()).await;
        }
    }
}

/// The text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}
