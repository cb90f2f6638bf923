//! What a running tool call reports.

use std::any::type_name;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{EventKind, RunEvent};

impl EventKind {
    /// The progress of a call: a text, or any other value.
    pub(crate) fn progress<T: Serialize + ?Sized>(index: u32, reported: &T) -> Self {
        let value = serde_json::to_value(reported).unwrap_or_else(|error| {
            Value::String(format!("progress that cannot be JSON: {error}"))
        });
        match value {
            Value::String(message) => Self::ToolProgress { index, message, value: None, of: None },
            value => {
                let message = match value.get("message").and_then(Value::as_str) {
                    Some(message) => message.to_owned(),
                    None => value.to_string(),
                };
                let of = Some(name::<T>().to_owned());
                Self::ToolProgress { index, message, value: Some(value), of }
            }
        }
    }

    /// The progress that a call reported, if it reported a value of this type.
    ///
    /// A text is a `String`. The type is known by its path in the program that reported it:
    /// another program reads the field `value`.
    pub fn progress_as<T: DeserializeOwned>(&self) -> Option<T> {
        let Self::ToolProgress { message, value, of, .. } = self else { return None };
        match (value, of) {
            (Some(value), Some(of)) if of == name::<T>() => T::deserialize(value).ok(),
            (None, None) if name::<T>() == name::<String>() => {
                T::deserialize(Value::String(message.clone())).ok()
            }
            _ => None,
        }
    }
}

impl RunEvent {
    /// The progress that a call reported, if it reported a value of this type.
    ///
    /// ```
    /// use legwork_port::{EventKind, RunEvent};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize)]
    /// struct Copied {
    ///     files: u64,
    /// }
    ///
    /// // A tool reports it by `cx.progress(&Copied { files: 3 })`.
    /// fn observe(event: &RunEvent) {
    ///     if let Some(copied) = event.progress_as::<Copied>() {
    ///         println!("{} files", copied.files);
    ///     }
    /// }
    /// ```
    pub fn progress_as<T: DeserializeOwned>(&self) -> Option<T> {
        self.kind.progress_as()
    }
}

/// The name of a type, however often it is borrowed.
fn name<T: ?Sized>() -> &'static str {
    type_name::<T>().trim_start_matches('&')
}
