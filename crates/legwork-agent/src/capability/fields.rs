//! Settings of a capability, read field by field.

use legwork_core::nearest;
use serde_json::{Map, Value};

/// The fields of settings that come as JSON: each is taken once, and what nobody took is an
/// error in the end.
///
/// ```
/// use legwork_agent::capability::Fields;
/// use serde_json::json;
///
/// let mut fields = Fields::of(&json!({"remind_after": 3}))?;
/// assert_eq!(fields.whole("remind_after")?, Some(3));
/// fields.done()?;
///
/// let mut fields = Fields::of(&json!({"remind_after": "soon"}))?;
/// let error = fields.whole("remind_after").unwrap_err();
/// assert_eq!(error, "`remind_after` takes a whole number from 0 on, not \"soon\"");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone)]
pub struct Fields {
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields {
    /// The fields of an object; null has none.
    ///
    /// # Errors
    /// When the settings are something else.
    pub fn of(settings: &Value) -> Result<Self, String> {
        let left = match settings {
            Value::Null => Map::new(),
            Value::Object(fields) => fields.clone(),
            other => return Err(format!("settings are an object, not {}", shown(other))),
        };
        Ok(Self { left, known: Vec::new() })
    }

    /// Takes a field as `read` reads it; none if it is missing or null.
    ///
    /// # Errors
    /// The field and what it takes, in the words given, when `read` gives nothing.
    pub fn take<T>(
        &mut self,
        name: &'static str,
        takes: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        self.take_any(name, takes, |value| match value {
            Value::Null => Some(None),
            value => read(value).map(Some),
        })
        .map(Option::flatten)
    }

    /// The same where null says something: `read` is shown it.
    ///
    /// # Errors
    /// As [`Fields::take`].
    pub fn take_any<T>(
        &mut self,
        name: &'static str,
        takes: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        self.known.push(name);
        let Some(value) = self.left.remove(name) else { return Ok(None) };
        let read = read(&value);
        read.map(Some).ok_or_else(|| format!("`{name}` takes {takes}, not {}", shown(&value)))
    }

    /// Takes a whole number.
    ///
    /// # Errors
    /// When the field is something else.
    pub fn whole(&mut self, name: &'static str) -> Result<Option<u64>, String> {
        self.take(name, "a whole number from 0 on", Value::as_u64)
    }

    /// Takes a text.
    ///
    /// # Errors
    /// When the field is something else.
    pub fn text(&mut self, name: &'static str) -> Result<Option<String>, String> {
        self.take(name, "a text", |value| value.as_str().map(str::to_owned))
    }

    /// Takes a list of texts; missing is empty.
    ///
    /// # Errors
    /// When the field is something else.
    pub fn texts(&mut self, name: &'static str) -> Result<Vec<String>, String> {
        let read = |value: &Value| {
            let texts = value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<_>>>()
        };
        Ok(self.take(name, "a list of texts", read)?.unwrap_or_default())
    }

    /// Takes yes or no.
    ///
    /// # Errors
    /// When the field is something else.
    pub fn flag(&mut self, name: &'static str) -> Result<Option<bool>, String> {
        self.take(name, "true or false", Value::as_bool)
    }

    /// Checks that every field was taken.
    ///
    /// # Errors
    /// The first field that was not, with those that there are.
    pub fn done(self) -> Result<(), String> {
        let Some(name) = self.left.keys().next() else { return Ok(()) };
        let known = nearest::suggestion(name, self.known);
        Err(format!("there is no field `{}`: {known}", clipped(name)))
    }
}

/// A value as an error shows it, in short.
fn shown(value: &Value) -> String {
    clipped(&value.to_string())
}

fn clipped(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
