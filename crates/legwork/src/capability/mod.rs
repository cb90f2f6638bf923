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
//! `Bash`, `Coding`, `Files` and `shipped` need the feature `tools`, `Web` needs `web`.

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
#[cfg(feature = "web")]
mod web;

#[cfg(feature = "tools")]
pub use bash::Bash;
#[cfg(feature = "tools")]
pub use coding::Coding;
#[cfg(feature = "tools")]
pub use files::{Access, Files};
pub use legwork_agent::capability::*;
#[cfg(feature = "tools")]
pub use registered::shipped;
#[cfg(feature = "web")]
pub use web::Web;

/// The registry of all capabilities: those of the agent crate, and `bash`, `files`, `coding`, `web`.
///
/// Commands get those environment variables of this process that are not secrets; `web` looks the
/// key of its search engine up in the variable of that engine. Without the features `tools` and
/// `web` these cannot be made, and the error says so.
pub fn shipped_from_env() -> Registry {
    with_web(registered::from_env())
}

#[cfg(feature = "web")]
fn with_web(registry: Registry) -> Registry {
    let key = |engine: &legwork_web::search::Engine| {
        std::env::var(engine.variable).ok().filter(|key| !key.is_empty())
    };
    registry.with("web", web::ABOUT, move |settings| {
        Ok(std::sync::Arc::new(Web::from_settings(settings, key)?))
    })
}

#[cfg(not(feature = "web"))]
fn with_web(registry: Registry) -> Registry {
    let about = "Needs the feature `web` of the crate `legwork`.";
    registry.with("web", about, |_| Err(crate::error::feature("web")))
}
