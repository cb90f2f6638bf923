//! The test kit of Legwork: scripted models, virtual time, recordings, crashes, suites.
//!
//! It plays the models and stores of an agent, and observes what the agent does. It is deliberately not a
//! mocking library: [`Server`] speaks real HTTP, and what is virtual ([`VirtualClock`],
//! [`CountingIds`]) is a full implementation of its port. Nothing in it sleeps; tests wait
//! for what happens ([`Gate`], [`Server::arrived`], [`RecordingObserver::until`]).
//!
//! ```
//! use legwork_testkit::{ScriptedModel, Server, Turn};
//! use serde_json::json;
//!
//! # fn main() -> std::io::Result<()> {
//! let turns = [Turn::call("add", json!({"a": 1, "b": 2})), Turn::text("3")];
//! // In process, as a `Model`:
//! let model = ScriptedModel::new(turns.clone());
//! assert_eq!(model.requests().len(), 0);
//! // The same over HTTP, first refusing the second turn's first request:
//! let [call, answer] = turns;
//! let slow_down = Turn::status(429).with_retry_after("0");
//! let server = Server::start([call, answer.after([slow_down])])?;
//! assert!(server.base_url().ends_with("/v1"));
//! # Ok(())
//! # }
//! ```
//!
//! Read the modules in this order: [`script`], [`asked`], [`model`], [`server`], `servers`,
//! [`recording`], [`gate`], [`clock`], [`ids`], [`observer`], [`tool`], [`polls`],
//! [`embedder`], [`fault`], [`crash`], [`invariants`], [`random`],
//! [`conformance`].
#![forbid(unsafe_code)]

pub mod asked;
pub mod clock;
pub mod conformance;
pub mod crash;
pub mod embedder;
pub mod fault;
pub mod gate;
pub mod ids;
pub mod invariants;
pub mod model;
pub mod observer;
pub mod polls;
pub mod random;
pub mod recording;
pub mod script;
pub mod server;
#[cfg(unix)]
pub mod servers;
pub mod tool;
mod watched;

pub use asked::Asked;
pub use clock::VirtualClock;
pub use embedder::WordEmbedder;
pub use gate::Gate;
pub use ids::CountingIds;
pub use model::ScriptedModel;
pub use observer::RecordingObserver;
pub use recording::{Recording, Replay};
pub use script::{Script, Turn};
pub use server::Server;
