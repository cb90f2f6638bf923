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

mod bash;
mod coding;
mod files;
mod place;

use std::sync::Arc;

use legwork_tools::Environment;

pub use bash::Bash;
pub use coding::Coding;
pub use files::{Access, Files};
pub use legwork_agent::capability::*;

/// All capabilities that ship, by name: those of the runtime, and `bash`, `files`, `coding`.
///
/// Commands see the variables of `environment` and no others.
pub fn shipped(environment: &Environment) -> Registry {
    let (of_bash, of_coding) = (environment.clone(), environment.clone());
    Registry::shipped()
        .with("bash", bash::ABOUT, move |settings| {
            Ok(Arc::new(Bash::from_settings(settings, &of_bash)?))
        })
        .with("files", files::ABOUT, |settings| Ok(Arc::new(Files::from_settings(settings)?)))
        .with("coding", coding::ABOUT, move |settings| {
            Ok(Arc::new(Coding::from_settings(settings, &of_coding)?))
        })
}

/// The same with those variables of this process that hold no secrets.
pub fn shipped_from_env() -> Registry {
    shipped(&Environment::filtered(std::env::vars_os()))
}
