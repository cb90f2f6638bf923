//! Agents whose runs are observed.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::{Agent, Builder, Subagent};
use legwork_core::tool::Prompt;
use legwork_core::{EffectClass, ToolCall, ToolOutcome, ToolSpec, Usage};
use legwork_otel::Telemetry;
use legwork_port::{BoxFuture, Tool, ToolContext};
use legwork_testkit::{Gate, ScriptedModel, Turn};
use serde_json::json;

use crate::receiver::Receiver;

/// What no span may say unless it is asked to.
pub(crate) const SECRET: &str = "a private matter";

/// Says a text again, fails, asks the model first, or waits.
pub(crate) struct Echo {
    spec: Arc<ToolSpec>,
    gate: Option<Gate>,
}

impl Echo {
    pub(crate) fn named(name: &str) -> Self {
        let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
        let spec = ToolSpec::new(name, "Says it again.", schema).effect(EffectClass::ReadOnly);
        Self { spec: Arc::new(spec), gate: None }
    }

    pub(crate) fn behind(self, gate: &Gate) -> Self {
        Self { gate: Some(gate.clone()), ..self }
    }
}

impl Tool for Echo {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            if let Some(gate) = &self.gate {
                gate.pass().await;
            }
            match &*call.name {
                "fails" => ToolOutcome::failed(format!("{SECRET} went wrong")),
                "asks" if cx.supplied().is_empty() => Prompt::new(SECRET).into(),
                _ => ToolOutcome::text(call.arguments.to_string()),
            }
        })
    }
}

/// A call that says something.
pub(crate) fn echo(name: &str) -> (String, serde_json::Value) {
    (name.to_owned(), json!({"text": SECRET}))
}

pub(crate) fn used(turn: Turn, input: u64, output: u64) -> Turn {
    turn.with_usage(Usage { input, output, cache_read: input / 2, ..Usage::default() })
}

/// A clerk with two tools and a helper, which has a tool, too.
pub(crate) fn clerk(telemetry: &Telemetry) -> Builder {
    let helper = ScriptedModel::new([
        used(Turn::calls([echo("echo")]), 20, 3),
        used(Turn::text(SECRET), 30, 4),
    ]);
    let helper = Subagent::new("helper", "Helps.", "")
        .model(helper.named("anthropic:claude-haiku-4-5"))
        .tools([Arc::new(Echo::named("echo")) as Arc<dyn Tool>]);
    let spawn = json!({"agent": "helper", "prompt": SECRET});
    let turns = [
        used(Turn::calls([echo("echo"), echo("fails")]), 100, 10),
        used(Turn::calls([(legwork_agent::subagent::TOOL, spawn)]), 110, 11),
        used(Turn::text(SECRET), 120, 12),
    ];
    let model = ScriptedModel::new(turns).named("openai:gpt-5-mini");
    Agent::builder(model)
        .id("clerk")
        .tools([Echo::named("echo"), Echo::named("fails")])
        .subagent(helper)
        .observer(telemetry.clone())
        .lifecycle(telemetry.clone())
}

/// Telemetry to a receiver.
pub(crate) fn telemetry(receiver: &Receiver) -> Telemetry {
    legwork_otel::Otlp::to(&receiver.endpoint).start().unwrap()
}

/// Delivers everything.
pub(crate) async fn delivered(telemetry: Telemetry) -> Result<(), legwork_otel::Error> {
    let end = move || telemetry.shutdown(Duration::from_secs(20));
    tokio::task::spawn_blocking(end).await.unwrap()
}
