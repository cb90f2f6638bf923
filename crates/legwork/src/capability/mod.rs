//! Capabilities: all that ship, and those that join tools and agent.
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
#[cfg(feature = "tools")]
mod place;
#[cfg_attr(not(feature = "tools"), path = "none.rs")]
mod registered;

#[cfg(feature = "tools")]
pub use bash::Bash;
#[cfg(feature = "tools")]
pub use coding::Coding;
#[cfg(feature = "tools")]
pub use files::{Access, Files};
pub use legwork_agent::capability::*;
#[cfg(feature = "tools")]
pub use registered::shipped;

/// All capabilities that ship, by name: those of the runtime, and `bash`, `files`, `coding`.
///
/// Commands see those variables of this process that hold no secrets. Without the feature `tools`
/// the last three cannot be made, and the error says so.
pub fn shipped_from_env() -> Registry {
    registered::from_env()
}
