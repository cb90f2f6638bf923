//! JSON found in the text of a model.
//!
//! A model that was asked for JSON may answer with it, with a fenced block in some prose, or
//! with something that is nearly JSON. [`Extractors`] try one way after the other and keep why
//! each one failed.
//!
//! ```
//! use legwork_output::extract::{Extractors, Fenced};
//! use serde_json::json;
//!
//! let answer = "Here it is:\n```json\n{\"city\": \"Paris\"}\n```\nAnything else?";
//! let extracted = Extractors::default().extract(answer)?;
//! assert_eq!(extracted.value, json!({"city": "Paris"}));
//! assert_eq!(extracted.by, Fenced::NAME);
//!
//! let error = Extractors::default().extract("I do not know.").unwrap_err();
//! assert_eq!(error.attempts.len(), 5);
//! # Ok::<(), legwork_output::extract::Error>(())
//! ```

mod bracketed;
mod direct;
mod fenced;
mod lenient;
mod spans;
mod start;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

pub use bracketed::Bracketed;
pub use direct::Direct;
pub use fenced::Fenced;
pub use lenient::{Partial, Repaired};
pub use start::Start;

/// A way to find a JSON value in a text.
pub trait Extractor: Send + Sync {
    /// Its name, for errors.
    fn name(&self) -> &'static str;

    /// Finds the value; of several, the first that fits, or else the first.
    ///
    /// # Errors
    /// Why there is none, in words for a person and a model.
    fn extract(&self, text: &str, fits: Fits<'_>) -> Result<Value, String>;
}

/// Whether a value is what was asked for.
pub type Fits<'a> = &'a dyn Fn(&Value) -> bool;

/// The first value that fits, or else the first one, or else the first error.
fn choose(
    found: impl IntoIterator<Item = Result<Value, String>>,
    fits: Fits<'_>,
    otherwise: &str,
) -> Result<Value, String> {
    let (mut first, mut why) = (None, None);
    for one in found {
        match one {
            Ok(value) if fits(&value) => return Ok(value),
            Ok(value) => first = first.or(Some(value)),
            Err(error) => why = why.or(Some(error)),
        }
    }
    first.ok_or_else(|| why.unwrap_or_else(|| otherwise.to_owned()))
}

/// Extractors in the order in which they are tried; the first that finds a value wins.
///
/// By default: [`Direct`], [`Fenced`], [`Bracketed`], [`Repaired`], [`Partial`].
#[derive(Clone)]
pub struct Extractors(Vec<Arc<dyn Extractor>>);

impl Default for Extractors {
    fn default() -> Self {
        Self::none().then(Direct).then(Fenced).then(Bracketed).then(Repaired).then(Partial)
    }
}

impl Extractors {
    /// No extractors, to add some [in an order](Self::then).
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// The same and one more, tried last.
    #[must_use]
    pub fn then(mut self, extractor: impl Extractor + 'static) -> Self {
        self.0.push(Arc::new(extractor));
        self
    }

    /// The value that the first successful extractor finds.
    ///
    /// # Errors
    /// If none finds one; with the reason of each.
    pub fn extract(&self, text: &str) -> Result<Extracted, Error> {
        self.extract_fitting(text, &|_| true)
    }

    /// The first value that fits, such as a schema; if none does, the first that was found.
    ///
    /// # Errors
    /// If there is no value at all; with the reason of each extractor.
    pub fn extract_fitting(&self, text: &str, fits: Fits<'_>) -> Result<Extracted, Error> {
        let (mut attempts, mut first) = (Vec::new(), None);
        for extractor in &self.0 {
            let by = extractor.name();
            match extractor.extract(text, fits) {
                Ok(value) if fits(&value) => return Ok(Extracted { value, by, attempts }),
                Ok(value) => {
                    first.get_or_insert(Extracted { value, by, attempts: attempts.clone() });
                    attempts.push(Attempt { by, why: "its value does not fit".to_owned() });
                }
                Err(why) => attempts.push(Attempt { by, why }),
            }
        }
        first.ok_or(Error { attempts })
    }
}

impl fmt::Debug for Extractors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|one| one.name())).finish()
    }
}

/// A value that was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Extracted {
    /// The value.
    pub value: Value,
    /// The name of the extractor that found it.
    pub by: &'static str,
    /// The extractors that failed before it.
    pub attempts: Vec<Attempt>,
}

/// An extractor that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The name of the extractor.
    pub by: &'static str,
    /// Why it found no value.
    pub why: String,
}

/// No extractor found a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct Error {
    /// Each extractor, in order, with its reason.
    pub attempts: Vec<Attempt>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no JSON value was found in the text")?;
        for (at, Attempt { by, why }) in self.attempts.iter().enumerate() {
            let before = if at == 0 { ": " } else { "; " };
            write!(f, "{before}{by}: {why}")?;
        }
        Ok(())
    }
}
