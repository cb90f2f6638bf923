//! What a program says in a conversation beside text, as data of a kind of its own.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::message::JsonText;

/// What a program says in a conversation: data of a kind, rendered for a model later.
///
/// It is in the transcript like any message, but no request contains it as it is: what reads
/// the transcript for a model renders it, and leaves out a kind that it does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct App {
    /// The kind of the data, such as `shell_run`.
    pub kind: Arc<str>,
    /// The data, in the shape of its kind.
    pub data: JsonText,
}

impl App {
    /// Data of a kind.
    ///
    /// Data that is nested too deeply for a journal is kept as its JSON text.
    pub fn new(kind: impl Into<Arc<str>>, data: impl Into<JsonText>) -> Self {
        Self { kind: kind.into(), data: data.into().for_journal() }
    }

    /// The data as a type.
    ///
    /// # Errors
    /// If the data does not have the shape of the type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.data.as_str())
    }

    /// Whether a journal can hold it as it is.
    pub(super) fn fits(&self) -> bool {
        self.data.fits()
    }

    /// An estimate of what a model reads of it, in bytes of text: as much as the data has.
    pub(super) fn weight(&self) -> u64 {
        self.data.as_str().len() as u64
    }
}
