//! Messages of a program: typed data in a conversation, with the words that a model reads.
//!
//! ```
//! use legwork_port::app::AppMessage;
//! use legwork_port::{Profile, core::Part};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Deployment {
//!     version: String,
//! }
//!
//! impl AppMessage for Deployment {
//!     const KIND: &'static str = "deployment";
//!
//!     fn render(&self, _profile: &Profile) -> Option<Vec<Part>> {
//!         Some(vec![Part::text(format!("Version {} is live now.", self.version))])
//!     }
//! }
//!
//! let message = Deployment { version: "2.1".to_owned() }.to_message()?;
//! let read = Deployment::of(&message).transpose()?;
//! assert_eq!(read.map(|deployment| deployment.version).as_deref(), Some("2.1"));
//! # Ok::<(), serde_json::Error>(())
//! ```

use legwork_core::message::App;
use legwork_core::{Message, Part};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Profile;

/// A kind of message that a program adds to a conversation, as data.
///
/// The transcript keeps the data; what a model reads is made of it for each request. A value
/// must be rendered to the same parts each time, or the provider's prompt cache is lost.
pub trait AppMessage: Serialize + DeserializeOwned {
    /// The name of the kind, which the journal keeps.
    const KIND: &'static str;

    /// What a model with this profile reads: texts, images and files.
    ///
    /// None: no model reads it. Calls and results of tools are left out.
    fn render(&self, profile: &Profile) -> Option<Vec<Part>>;

    /// The message that holds it.
    ///
    /// # Errors
    /// If it cannot be serialized to JSON.
    fn to_message(&self) -> Result<Message, serde_json::Error> {
        Ok(Message::of_app(App::new(Self::KIND, serde_json::to_value(self)?)))
    }

    /// What a message holds; none if it is of another kind.
    ///
    /// # Errors
    /// If the message is of this kind and its data does not have the shape of the type.
    fn of(message: &Message) -> Option<Result<Self, serde_json::Error>> {
        let app = message.app.as_ref().filter(|app| *app.kind == *Self::KIND)?;
        Some(app.read())
    }
}
