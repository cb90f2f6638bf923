//! Agents and skills as files: Markdown, YAML and JSON, read, checked and written.
//!
//! It is deliberately data only: it makes no agent, runs nothing and knows no model.
#![forbid(unsafe_code)]

mod agent;
mod canonical;
mod capability;
mod catalog;
mod fields;
mod file;
mod format;
mod limits;
mod name;
mod nearest;
mod place;
mod problem;
mod skill;
mod syntax;

pub use agent::AgentDefinition;
pub use capability::Capability;
pub use catalog::{Catalog, Definitions, Found, Skills};
pub use format::Format;
pub use limits::Limits;
pub use place::{Origin, Place};
pub use problem::{Problem, Problems, Severity};
pub use skill::{AllowedTool, Skill};
