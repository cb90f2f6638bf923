//! Capabilities: those of the agent crate, and those that give an agent tools.
//!
//! ```
//! # use legwork_testkit::{ScriptedModel, Turn};
//! use legwork::Agent;
//! use legwork::capability::{self, TaskList};
//! use legwork::tools::Environment;
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let model = ScriptedModel::new([Turn::text("hello")]);
//! let environment = Environment::filtered([("PATH", "/usr/bin:/bin")]);
//! let registry = capability::shipped(&environment);
//! let coding = registry.make("coding", &json!({"dir": ".", "network": "off"}))?;
//! let agent = Agent::builder(model).capabilities([coding]).capability(TaskList::new()).build()?;
//! # let _ = agent;
//! # Ok(())
//! # }
//! ```
//!
//! `Bash`, `Coding`, `Files` and `shipped` need the feature `tools`.

#[cfg(feature = "tools")]
mod bash;
#[cfg(feature = "tools")]
mod coding;
#[cfg(feature = "tools")]
mod files;
#[cfg_attr(not(feature = "tools"), path = "none.rs")]
mod registered;
#[cfg(feature = "tools")]
mod settings;

#[cfg(feature = "tools")]
pub use bash::Bash;
#[cfg(feature = "tools")]
pub use coding::Coding;
#[cfg(feature = "tools")]
pub use files::{Access, Files};
pub use legwork_agent::capability::*;
#[cfg(feature = "tools")]
pub use registered::shipped;

/// The registry of all capabilities: those of the agent crate, and `bash`, `files`, `coding`.
///
/// Commands get those environment variables of this process that are not secrets. Without the
/// feature `tools` the last three cannot be made, and the error says so.
pub fn shipped_from_env() -> Registry {
    registered::from_env()
}
