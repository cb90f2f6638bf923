//! The tools that a step has: toolsets opened, shared, combined, listed and checked.
//!
//! It turns the toolsets that an agent was given into the tools that a model is shown, and
//! validates the arguments of calls against their schemas. It deliberately runs no tool:
//! `legwork-runtime` does.
//!
//! ```
//! use legwork_port::core::ToolSpec;
//! use legwork_toolset::fits;
//! use serde_json::json;
//!
//! let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
//! let spec = ToolSpec::new("add", "Adds.", schema);
//! assert!(fits(&spec, &json!({"a": 17})).is_ok());
//! assert!(fits(&spec, &json!({"a": "17"})).is_err());
//! ```
//!
//! Read the modules in this order: `validate` (arguments against a schema) and `schema` (each
//! compiled once), `tools` (the plain toolset), `decorate` (fewer tools, other names, other ways to
//! be called), `owner` (who gave a tool), `shared` (a toolset that several runs share), `combined`,
//! `dynamic` and `lazy` (toolsets made of others), `step_tools` (the tools of a step), `lookup` (the
//! one that a call names), `source` (a toolset as one run has it), `toolsets` (all of an agent),
//! `toolbox` (the tools of one run). A panic is told by `fault`.
#![forbid(unsafe_code)]

mod combined;
mod decorate;
mod dynamic;
mod fault;
mod lazy;
mod lookup;
mod owner;
mod schema;
mod shared;
mod source;
mod step_tools;
mod toolbox;
mod tools;
mod toolsets;
mod validate;

pub use combined::Combined;
pub use decorate::{
    Ask, AskedCall, CallRule, Decorated, InvalidRule, List, Names, Next, Permissions, ToolExt,
    ToolsetExt, subject,
};
pub use dynamic::{Dynamic, dynamic};
pub use lazy::{Lazy, lazy};
pub use owner::{Given, Owner};
pub use schema::{Schemas, fits};
pub use shared::SharedToolset;
pub use step_tools::StepTools;
pub use toolbox::Toolbox;
pub use tools::Tools;
pub use toolsets::Toolsets;
