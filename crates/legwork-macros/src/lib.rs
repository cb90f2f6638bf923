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
//! Read the modules in this order: `options` with `labels` and `checks`, `parameter`, `expand`.
#![forbid(unsafe_code)]

mod checks;
mod expand;
mod labels;
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
/// never shown to the model, and so is one of type `Dep<T>`: the dependency of the type `T` that
/// the agent was given by `Builder::dep`. One marked `#[dep]` is it, too, borrowed
/// (`#[dep] mail: &Mail`) or cloned (`#[dep] pool: Pool`). Without one the call fails hard.
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
/// | `mode = "parallel_unordered"` | how it runs beside others: `sequential`, `parallel_ordered` (default) |
/// | `timeout = "30s"` | how long a call of an `async` function may run: `us`, `ms`, `s`, `m`, `h` |
/// | `max_retries = 3` | retries in a row that the model gets; 2 by default |
/// | `max_calls = 10` | how often it may be called in an execution |
/// | `max_result = 20_000` | how many bytes of text and JSON of a result the model is sent |
/// | `rest = "..."` | how the model reads what was cut of a result |
/// | `validate = path` | a function that checks the arguments, see below |
/// | `approval = "once"` | a person approves calls: `always`, `each`, `once`, `once_per_session`, or an `Ask` |
/// | `undo = close_issue` | an `async` function of the `PastCall` and the `Deps` that takes a call back; it returns what it did, in words, or why it could not |
/// | `tags = ["write"]` | words by which toolsets are filtered |
/// | `metadata(owner = "me")` | values for people and programs |
/// | `resource = "path"` | calls with equal values of this parameter never interleave |
/// | `crate = "::legwork"` | where the façade is, if it was renamed |
///
/// A validator takes the arguments of the model by reference, in the order of the parameters, and
/// returns `Ok(())`, or an error in words for the model, which may correct its call. It is asked
/// when the arguments are known to fit the schema, before anybody is asked for approval, and may
/// be asked again: it must be quick and have no effect.
///
/// ```
/// use legwork::prelude::*;
/// use legwork::toolset::Ask;
/// # struct Bank;
/// # impl Bank { async fn transfer(&self, _: &str, cents: u64) -> u64 { cents } }
///
/// fn is_account(to: &str, _cents: &u64) -> Result<(), String> {
///     if to.len() == 8 { Ok(()) } else { Err("an account has 8 digits".to_owned()) }
/// }
///
/// /// Transfers money.
/// #[tool(
///     validate = is_account,
///     approval = Ask::always().when(|call| call.arguments["cents"].as_u64() > Some(10_000)),
///     tags = ["money"],
///     metadata(owner = "treasury"),
/// )]
/// async fn transfer(bank: Dep<Bank>, to: String, cents: u64) -> u64 {
///     bank.transfer(&to, cents).await
/// }
///
/// assert!(transfer.spec().has_tag("money"));
/// ```
///
/// As the tool is a constant, a variable of the same name in the same module is a
/// pattern to Rust and does not compile: name one of them otherwise.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(options.into(), item.into())
        .unwrap_or_else(|error| error.into_compile_error())
        .into()
}
