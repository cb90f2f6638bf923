//! JSON that is still arriving, parsed incrementally.
//!
//! A [`Parser`] takes pieces of a JSON text, cut anywhere, and knows at each moment the
//! [`Value`] that has arrived so far. It reads each byte once, keeps its own stack, and bounds
//! the nesting depth. A value shares everything that is complete with the parser and with the
//! values before it, so that asking for one after each small piece costs the same whether the
//! text is short or long.
//!
//! The value of a prefix is extended by the value of the whole text: texts grow at their end,
//! arrays and objects get further items. Numbers and literals are withheld until they are
//! complete, and a key until its value begins. Only a key that occurs twice may change its
//! value.
//!
//! ```
//! use legwork_output::partial::Parser;
//! use serde_json::json;
//!
//! let mut parser = Parser::strict();
//! parser.push(r#"{"city": "Par"#)?;
//! assert_eq!(parser.value().map(|value| value.to_json()), Some(json!({"city": "Par"})));
//! parser.push(r#"is", "population": 2"#)?;
//! assert_eq!(parser.value().map(|value| value.to_json()), Some(json!({"city": "Paris"})));
//! parser.push("100000}")?;
//! assert_eq!(parser.finish()?.to_json(), json!({"city": "Paris", "population": 2100000}));
//! # Ok::<(), legwork_output::partial::Error>(())
//! ```

mod error;
mod frame;
mod grammar;
mod json;
mod machine;
mod open_text;
mod parser;
mod scalar;
mod shared;
mod text;
mod value;

#[cfg(test)]
mod tests;

pub use error::{Error, Kind};
pub use parser::{MAX_DEPTH, Parser};
pub use text::Text;
pub use value::{Array, Object, Value};
