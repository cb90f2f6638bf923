//! Agents and skills as files: Markdown, YAML and JSON, read, checked and written.
//!
//! It is deliberately data only: it makes no agent, runs nothing, knows no model and no tool, and
//! reads only the folders and files that it is given.
//!
//! ```
//! use legwork_definitions::{AgentDefinition, Format};
//!
//! let text = "---
//! name: reviewer
//! description: Reviews changes
//! denied_tools:
//! - bash
//! ---
//!
//! Read first.
//! ";
//! let agent = AgentDefinition::parse(text, Format::Markdown)?;
//! assert!(agent.allows("read") && !agent.allows("bash"));
//! assert_eq!(agent.to_markdown()?, text);
//! let wrong = AgentDefinition::parse("name: a\ndescripton: b", Format::Yaml).unwrap_err();
//! assert!(wrong.to_string().contains("did you mean `description`?"));
//! # Ok::<(), legwork_definitions::Problems>(())
//! ```
//!
//! Read `agent` (what a definition is, then how it is read, written and described by a schema),
//! `limits`, `capability`, `catalog` and `location` (folders and who wins), `skill`; then, as needed,
//! `problem` (what is wrong, and what to do), `fields` (fields taken out of a table, what is wrong with
//! them collected) and `syntax` (from text of three formats to values that know their lines).
#![forbid(unsafe_code)]

mod agent;
mod canonical;
mod capability;
mod catalog;
mod fields;
mod file;
mod format;
mod limits;
mod line;
mod location;
mod name;
mod problem;
mod skill;
mod syntax;

pub use agent::AgentDefinition;
pub use capability::Capability;
pub use catalog::{Catalog, Definitions, Found, SkillCatalog};
pub use format::Format;
pub use legwork_core::nearest::nearest;
pub use limits::Limits;
pub use line::line_of;
pub use location::{Location, Origin};
pub use problem::{Problem, Problems, Severity};
pub use skill::{AllowedTool, Skill};
