//! Structured output of Legwork: from the answer of a model to a value of a type.
//!
//! It says what is wanted as a JSON Schema, in the dialect of a provider; finds JSON in what a
//! model wrote; reads it in five stages, each with an error that a model can act on; shows a
//! value while it is still arriving; and asks a model by itself, with corrections.
//!
//! It is deliberately not a provider: it knows no HTTP, only the trait `Model`. It journals
//! nothing and knows no agent; an agent knows it by the trait `OutputReader`.
//!
//! ```
//! use legwork_output::Output;
//!
//! /// A line of an invoice.
//! #[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
//! struct Line {
//!     item: String,
//!     cents: u32,
//! }
//!
//! let lines = Output::<Vec<Line>>::of()?.validate(|lines: &Vec<Line>| match lines.is_empty() {
//!     true => Err("an invoice has a line"),
//!     false => Ok(()),
//! });
//! let answer = "Sure:\n```json\n[{\"item\": \"tea\", \"cents\": 300}]\n```";
//! assert_eq!(lines.read(answer)?, [Line { item: "tea".to_owned(), cents: 300 }]);
//!
//! let error = lines.read("[]").unwrap_err();
//! assert_eq!(error.to_string(), "the value is not valid: an invoice has a line");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Read the modules in this order: [`partial`] (JSON that is still arriving), [`extract`] (JSON
//! in a text), [`schema`] (schemas and their dialects), [`maybe`], [`output`] (the five stages),
//! [`extraction`] (a model is asked), [`reader`] (an agent asks for it).
#![forbid(unsafe_code)]

mod checks;
pub mod extract;
pub mod extraction;
pub mod maybe;
mod mode;
pub mod output;
pub mod partial;
pub mod reader;
mod request_parts;
pub mod schema;

pub use checks::Checks;
pub use extraction::{Extract, Extraction};
pub use maybe::Maybe;
pub use mode::Mode;
pub use output::Output;
pub use reader::Reader;
