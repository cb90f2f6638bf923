//! Agents from files: what a definition says, joined with what a program has.
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
//! A definition is data and may come from a stranger: it names things, and [`Parts`] has
//! what the names may mean. What has no meaning there is a [`Problem`] with its file,
//! field and mend.
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

/// The key in a session's metadata under which an agent that was defined in a file keeps
/// its name and the metadata of its definition.
///
/// A definition cannot write other keys: those of capabilities and programs are theirs. Like
/// all keys that begin with `legwork.`, no model can write it.
pub const METADATA: &str = "legwork.definition";
