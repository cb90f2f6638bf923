//! A run as a tree of spans, by the GenAI conventions of OpenTelemetry.
//!
//! The program prints the spans itself; for a collector, use
//! `legwork::otel::Otlp::to("http://127.0.0.1:4318").start()?` in place of the builder. A script
//! takes the place of the model; for a real one, use
//! `Agent::builder(model::from_env("openai:gpt-5-mini")?)` without a driver.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::time::Duration;

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::otel::Telemetry;
use legwork::otel::opentelemetry::trace::SpanId;
use legwork::otel::sdk::error::OTelSdkResult;
use legwork::otel::sdk::trace::{SimpleSpanProcessor, SpanData, SpanExporter};
use legwork::prelude::*;
use serde_json::json;

/// Adds two whole numbers.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Prints each span when it has ended.
#[derive(Debug)]
struct Printer;

impl SpanExporter for Printer {
    async fn export(&self, spans: Vec<SpanData>) -> OTelSdkResult {
        for span in spans {
            let root = span.parent_span_id == SpanId::INVALID;
            println!("{}{}", if root { "" } else { "  " }, span.name);
            let shown = ["gen_ai.tool.call.id", "gen_ai.response.finish_reasons"];
            for attribute in span.attributes {
                if shown.contains(&attribute.key.as_str()) {
                    println!("      {} = {}", attribute.key, attribute.value);
                }
            }
        }
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let telemetry = Telemetry::builder().processor(SimpleSpanProcessor::new(Printer)).build();
    let script = [Line::call("add", json!({"a": 17, "b": 25})), Line::text("It is 42.")];
    let agent = Agent::builder(NoModel)
        .id("clerk")
        .driver(Scripted::new(script))
        .tools([add])
        .observer(telemetry.clone())
        .lifecycle(telemetry.clone())
        .build()?;
    println!("{}", agent.run("What is 17 + 25?").await?.text());
    telemetry.shutdown(Duration::from_secs(5))?;
    Ok(())
}
