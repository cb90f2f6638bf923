//! Answers as values of types: of an agent, or of a model by itself. Needs the feature `output`.
//!
//! ```
//! use legwork::prelude::*;
//!
//! #[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
//! struct City {
//!     name: String,
//!     population: u32,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> legwork::Result<()> {
//! # use legwork_testkit::{ScriptedModel, Turn};
//! # let paris = serde_json::json!({"name": "Paris", "population": 2_100_000});
//! # let model = ScriptedModel::new([Turn::call("answer", paris)]);
//! let agent = Agent::builder(model).build()?;
//! let city = agent.output::<City>().run("Which is the largest city of France?").await?;
//! assert_eq!(city.name, "Paris");
//! # Ok(())
//! # }
//! ```
//!
//! An answer that does not fit is sent back to the model with what is wrong, at most twice in a
//! row by default, and each is journaled. So are the answers that are accepted: a program that is killed
//! does not ask again. [`TypedAgent`] says more.
//!
//! The rest of this module is that of the crate `legwork-output`, which knows no agent.

mod partial_values;
mod typed_agent;
mod typed_run;

pub use legwork_output::*;
pub use legwork_port::OutputContext;
pub use typed_agent::{TypedAgent, TypedOutput};
pub use typed_run::{Answered, TypedRun};
