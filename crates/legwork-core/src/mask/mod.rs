//! Masks secrets in texts and values.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

mod growing;
mod look;
mod spellings;
mod stream;

#[cfg(test)]
mod tests;

pub use growing::Growing;
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
pub struct Mask {
    known: Option<Arc<[Spelling]>>,
    growing: Option<Arc<[Growing]>>,
}

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
        Self { known: (!spellings.is_empty()).then(|| spellings.into()), growing: None }
    }

    /// A mask of the secrets of both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let known = match (&self.known, &other.known) {
            (known, None) | (None, known) => known.clone(),
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => Some(Arc::clone(a)),
            (Some(a), Some(b)) => Self::made(a.iter().chain(b.iter()).cloned().collect()).known,
        };
        let growing = match (&self.growing, &other.growing) {
            (growing, None) | (None, growing) => growing.clone(),
            (Some(a), Some(b)) => {
                let new = b.iter().filter(|one| !a.iter().any(|other| other.is_same(one)));
                Some(a.iter().chain(new).cloned().collect())
            }
        };
        Self { known, growing }
    }

    /// Whether it has no secrets, and never will.
    pub fn is_none(&self) -> bool {
        self.known.is_none() && self.growing.is_none()
    }

    /// The text with each secret replaced by [`MASK`].
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found = Vec::new();
        self.each(|spelling| found.extend(spelling.places(text)));
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
        let mut found = false;
        self.each(|spelling| found = found || spelling.is_in(text));
        found
    }

    /// The start of the longest suffix of a text that may be the beginning of a secret.
    fn open_end(&self, text: &str) -> usize {
        let mut open = text.len();
        self.each(|spelling| open = open.min(spelling.open_end(text)));
        open
    }

    /// Looks at each spelling.
    fn each(&self, mut look: impl FnMut(&Spelling)) {
        self.known.iter().flat_map(|known| known.iter()).for_each(&mut look);
        for growing in self.growing.iter().flat_map(|growing| growing.iter()) {
            growing.each(&mut look);
        }
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
        let mut count = 0;
        self.each(|_| count += 1);
        write!(f, "Mask({count} spellings)")
    }
}
