//! Traces and metrics of runs, by the GenAI conventions of OpenTelemetry.
//!
//! An execution is an `invoke_agent` span, each inference in it a `chat` span, each call that ran
//! an `execute_tool` span; what a subagent does is below the call that spawned it. The spans are
//! made from the events of a run, so an agent that is not observed pays nothing for them.
//!
//! The ids of spans follow from the session and the execution: an execution that a second
//! process goes on with, after a crash or a pause, stays one trace and one `invoke_agent` span,
//! which is sent when the execution ends.
//!
//! It is deliberately not a tracing framework: it makes no spans of the program's own, sets no
//! global provider and reads no event that Legwork does not send.
//!
//! ```no_run
//! use legwork_otel::{Otlp, Telemetry};
//! use std::time::Duration;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let telemetry: Telemetry = Otlp::to("http://127.0.0.1:4318").service("clerk").start()?;
//! // Agent::builder(model).observer(telemetry.clone()).lifecycle(telemetry.clone())
//! telemetry.shutdown(Duration::from_secs(5))?;
//! # Ok(())
//! # }
//! ```
//!
//! Read the modules in this order: [`telemetry`], `spans` (a fold over events: `execution`,
//! `inference`, `tool`), `origin` (which trace an execution belongs to), `attributes`,
//! `content`, `metrics`, [`otlp`].
#![forbid(unsafe_code)]

mod attributes;
mod content;
mod metrics;
mod origin;
#[cfg(feature = "otlp")]
pub mod otlp;
mod provider;
mod spans;
pub mod telemetry;

pub use opentelemetry;
pub use opentelemetry_sdk as sdk;
#[cfg(feature = "otlp")]
pub use otlp::Otlp;
pub use telemetry::{Builder, Content, Error, Telemetry};
