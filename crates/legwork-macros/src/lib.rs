//! The `#[tool]` attribute of Legwork: a function becomes a tool.
//!
//! It is deliberately thin: it reads the function and writes calls into
//! `legwork::tool`, where the work is done.
//!
//! ```
//! use legwork::prelude::*;
//!
//! /// Adds two whole numbers.
//! #[tool(read_only)]
//! async fn add(
//!     /// The first number.
//!     a: i64,
//!     b: i64,
//! ) -> i64 {
//!     a + b
//! }
//!
//! assert_eq!(&*add.spec().description, "Adds two whole numbers.");
//! ```
//!
//! Read the modules in this order: `options`, `parameter`, `expand`.
#![forbid(unsafe_code)]

mod expand;
mod options;
mod parameter;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Makes a tool of a function: a constant of the function's name.
///
/// The doc comment tells the model what the tool does; a doc comment on a parameter
/// tells it what that is. The parameters become a JSON Schema that takes no unknown
/// fields: their types need `serde::Deserialize` and `schemars::JsonSchema`, an
/// `Option` may be left out, and `#[serde(..)]` and `#[schemars(..)]` on a parameter
/// apply to it. A parameter of type `ToolContext` or `&ToolContext` is filled in and
/// never shown to the model, and so is one marked `#[dep]`: the dependency of its type that
/// the agent was given by `Builder::dep`, borrowed (`#[dep] mail: &Mail`) or cloned
/// (`#[dep] pool: Pool`). Without one the call fails hard.
///
/// The function may be plain or `async`; a plain one must be quick, for it runs on the
/// thread of the agent: move work that blocks to `tokio::task::spawn_blocking`. It returns anything that serialises, a `ToolOutcome`, or a
/// `Result` of these: an error that can be displayed is sent to the model as a soft
/// failure, an error that is a `ToolOutcome` is taken as it is: `ToolOutcome::retry(..)` asks
/// the model to correct its call, `ToolOutcome::failed_hard(..)` ends the run.
///
/// In a unit test `legwork_testkit::tool::call(&add, json!({"a": 1, "b": 2}))` calls it.
///
/// Options, as in `#[tool(read_only, timeout = "30s")]`:
///
/// | option | what it does |
/// |---|---|
/// | `name = "..."` | another name than the function's |
/// | `read_only`, `idempotent` | a call in doubt is run again |
/// | `once = "ask"` or `"tell"` | a call in doubt is not; `"ask"` is the default |
/// | `sequential` | runs alone among the calls of a turn |
/// | `timeout = "30s"` | how long a call of an `async` function may run: `us`, `ms`, `s`, `m`, `h` |
/// | `max_retries = 3` | retries in a row that the model gets; 2 by default |
/// | `resource = "path"` | calls with equal values of this parameter never interleave |
/// | `crate = "::legwork"` | where the façade is, if it was renamed |
///
/// As the tool is a constant, a variable of the same name in the same module is a
/// pattern to Rust and does not compile: name one of them otherwise.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(options.into(), item.into())
        .unwrap_or_else(|error| error.into_compile_error())
        .into()
}
