//! Toolsets: sources of tools, decorated and combined by [`ToolsetExt`].
//!
//! ```
//! use std::time::Duration;
//!
//! use legwork::prelude::*;
//! use legwork::toolset::{Ask, Combined, Tools};
//!
//! /// Sends a letter.
//! #[tool]
//! async fn send(to: String) -> String {
//!     format!("sent to {to}")
//! }
//!
//! /// How many letters came.
//! #[tool(read_only)]
//! async fn count() -> u32 {
//!     2
//! }
//!
//! let mail = Combined::new("mail")
//!     .with(Tools::new("post", [send.into()]).approval_required(Ask::always()))
//!     .with(Tools::new("box", [count.into()]).cached())
//!     .timed(Duration::from_secs(30));
//! # let _ = Agent::builder(legwork::agent::driver::NoModel).toolset(mail).build().unwrap();
//! ```
//!
//! A source of one's own implements [`Toolset`]; `examples/own_toolset.rs` does.

pub use legwork_agent::toolset::{
    Ask, AskedCall, CallRule, Combined, Decorated, Dynamic, InvalidRule, Lazy, Next, Permissions,
    SharedToolset, ToolExt, Tools, ToolsetExt, dynamic, lazy,
};
pub use legwork_port::toolset::{Error, OpenToolset, Scope};
pub use legwork_port::{Admission, AdmittedCall, Toolset};
