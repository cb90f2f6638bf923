//! Agents defined in files, built from the parts that a program provides.
//!
//! ```
//! use legwork::definition::{Definitions, Parts, Location};
//! # use legwork::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let here = tempfile::tempdir()?;
//! # std::fs::write(here.path().join("clerk.md"), "---\nname: clerk\ndescription: Files\nmodel: ollama:qwen3\n---\n")?;
//! # let folder = here.path();
//! let agents = Definitions::load(&[Location::given(folder)]);
//! let agent = Parts::new(agents)
//!     .models(|name| model::from_env(name).map_err(|error| error.to_string()))
//!     .agent("clerk")?
//!     .build()?;
//! assert_eq!(agent.id().as_str(), "clerk");
//! # Ok(())
//! # }
//! ```
//!
//! A definition is data and may be untrusted: it contains names of models, tools, MCP servers
//! and capabilities, and [`Parts`] has what these names may refer to. An unknown name is a
//! [`Problem`] with its file, its field and a suggestion.
//!
//! Needs the feature `definitions`.
//!
//! Read the modules in this order: [`parts`], `resolve`, `install`.

mod capability;
mod install;
pub mod parts;
mod resolve;

pub use capability::AgentDefinitions;
pub use legwork_definitions::{
    AgentDefinition, AllowedTool, Capability, Catalog, Definitions, Format, Found, Limits,
    Location, Origin, Problem, Problems, Severity, Skill, SkillCatalog, line_of, nearest,
};
pub use parts::Parts;

/// The metadata key with the name and the metadata of an agent's definition.
///
/// A definition cannot set other keys of the session's metadata, which belong to capabilities and
/// programs. Like all keys that begin with `legwork.`, it cannot be written by a model.
pub const METADATA: &str = "legwork.definition";
