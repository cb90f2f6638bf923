//! Tools for files and the shell, confined to a workspace.
//!
//! It is deliberately not a set of defaults: it reads no environment, picks no
//! directory and switches no sandbox off. The caller hands all of that in. It
//! knows nothing of the loop that calls the tools. It is for Linux: what keeps
//! commands from outliving us has no like elsewhere.
//!
//! ```
//! use legwork_port::Tool;
//! use legwork_tools::{Bash, Environment, Read, Sandbox, Workspace};
//!
//! # fn main() -> Result<(), legwork_tools::workspace::Error> {
//! let workspace = Workspace::open(".")?;
//! let environment = Environment::filtered([("PATH", "/usr/bin:/bin"), ("API_KEY", "secret")]);
//! let sandbox = Sandbox::bubblewrap(&environment);
//! let read = Read::new(workspace.clone());
//! let bash = Bash::new(workspace, environment, sandbox);
//! assert_eq!((&*read.spec().name, &*bash.spec().name), ("read", "bash"));
//! # Ok(())
//! # }
//! ```
//!
//! Read the modules in this order: [`workspace`], [`read`], [`mod@write`],
//! [`edit`], [`list`], [`search`], [`bash`], its [`background`](bash::background), [`program`],
//! [`sandbox`], [`changes`], `undo`, [`linux`], then `process` with its `guard`.

mod arguments;
pub mod bash;
mod blocking;
pub mod changes;
pub mod diff;
pub mod edit;
pub mod linux;
pub mod list;
/// What `cargo xtask fuzz` reaches of this crate; nothing else uses it.
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::repository::{Keeper, is_of_repository, submodules_in};
}
mod process;
pub mod program;
pub mod read;
mod repository;
pub mod sandbox;
pub mod search;
pub mod secret;
mod tree;
mod undo;
pub mod workspace;
pub mod write;

pub use bash::background::{Background, BashOutput};
pub use bash::{Bash, Environment};
pub use edit::Edit;
pub use list::List;
pub use program::Program;
pub use read::Read;
pub use sandbox::Sandbox;
pub use search::Search;
pub use undo::FileUndo;
pub use workspace::Workspace;
pub use write::Write;
