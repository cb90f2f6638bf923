//! Masks secrets in texts and values.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

mod look;
mod spellings;
mod stream;

#[cfg(test)]
mod tests;

pub use stream::Stream;

use spellings::Spelling;

/// The text that replaces a secret.
pub const MASK: &str = "[redacted]";

/// The minimum length of a secret, in bytes; shorter ones could occur in other texts.
pub const SHORTEST: usize = 12;

/// Secrets that are masked in everything that is written or displayed.
///
/// Each is found as it is, escaped in JSON, in Base64 and encoded in a URL. Cheap to clone.
///
/// ```
/// use legwork_core::mask::Mask;
///
/// let mask = Mask::of(["sk-0123456789abcdef"]);
/// assert_eq!(mask.text("it is sk-0123456789abcdef!"), "it is [redacted]!");
/// ```
#[derive(Clone, Default)]
pub struct Mask(Option<Arc<[Spelling]>>);

impl Mask {
    /// A mask of these secrets; those shorter than [`SHORTEST`] are ignored.
    pub fn of<S: AsRef<str>>(secrets: impl IntoIterator<Item = S>) -> Self {
        let long = secrets.into_iter().filter(|secret| secret.as_ref().len() >= SHORTEST);
        let spellings = long.flat_map(|secret| spellings::of(secret.as_ref()));
        Self::made(spellings.collect())
    }

    fn made(mut spellings: Vec<Spelling>) -> Self {
        spellings.sort_by(|a, b| a.text().cmp(b.text()));
        spellings.dedup_by(|a, b| a.text() == b.text());
        Self((!spellings.is_empty()).then(|| spellings.into()))
    }

    /// A mask of the secrets of both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (_, None) => self.clone(),
            (None, _) => other.clone(),
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => self.clone(),
            (Some(a), Some(b)) => Self::made(a.iter().chain(b.iter()).cloned().collect()),
        }
    }

    /// Whether it has no secrets.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The text with each secret replaced by [`MASK`].
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found: Vec<_> = self.spellings().iter().flat_map(|one| one.places(text)).collect();
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        found.sort_unstable_by_key(|place| (place.start, place.end));
        Cow::Owned(covered(text, &found))
    }

    /// Whether any text of a value contains a secret.
    pub fn is_in<T: Serialize + ?Sized>(&self, value: &T) -> bool {
        !self.is_none() && look::finds(self, value)
    }

    /// The value with each secret in its texts masked; none if it contains no secret.
    pub fn masked<T: Serialize + DeserializeOwned>(&self, value: &T) -> Option<T> {
        if !self.is_in(value) {
            return None;
        }
        let mut json = serde_json::to_value(value).ok()?;
        self.cover(&mut json);
        serde_json::from_value(json).ok()
    }

    /// Masks the texts and the field names of a JSON value, in place.
    pub fn cover(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(masked) = self.text(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.cover(item)),
            Value::Object(fields) => {
                let all = std::mem::take(fields).into_iter();
                *fields = all
                    .map(|(name, mut value)| {
                        self.cover(&mut value);
                        (self.text(&name).into_owned(), value)
                    })
                    .collect();
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Whether a text contains a secret.
    fn finds(&self, text: &str) -> bool {
        self.spellings().iter().any(|spelling| spelling.is_in(text))
    }

    /// The start of the longest suffix of a text that may be the beginning of a secret.
    fn open_end(&self, text: &str) -> usize {
        let ends = self.spellings().iter().map(|spelling| spelling.open_end(text));
        ends.min().unwrap_or(text.len())
    }

    fn spellings(&self) -> &[Spelling] {
        self.0.as_deref().unwrap_or_default()
    }
}

/// The text with these ranges masked; they are sorted and may overlap.
fn covered(text: &str, places: &[Range<usize>]) -> String {
    let (mut masked, mut end) = (String::with_capacity(text.len()), None);
    for place in places {
        if end.is_none_or(|end| place.start > end) {
            masked.push_str(text.get(end.unwrap_or(0)..place.start).unwrap_or_default());
            masked.push_str(MASK);
        }
        end = end.max(Some(place.end));
    }
    masked.push_str(text.get(end.unwrap_or(0)..).unwrap_or_default());
    masked
}

/// Shows the number of spellings, not the spellings.
impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mask({} spellings)", self.spellings().len())
    }
}
