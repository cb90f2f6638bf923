//! The form in which a driver shows a message to its model, cached with it, outside serde.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::message::Message;

/// The name of a form in which a driver shows messages to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Form(pub &'static str);

/// A cache for one form; a clone starts empty.
#[derive(Default)]
pub(super) struct Rendered(OnceLock<(Form, Option<Arc<Message>>)>);

impl Rendered {
    /// The message in a form, none if that is the message itself; the first form is cached.
    pub(super) fn get(
        &self,
        form: Form,
        render: impl FnOnce() -> Option<Message>,
    ) -> Option<Arc<Message>> {
        match self.0.get() {
            Some((kept, rendered)) if *kept == form => rendered.clone(),
            Some(_) => render().map(Arc::new),
            None => {
                let rendered = render().map(Arc::new);
                // Another thread may have been faster: then the one that it stored is used.
                let (kept, first) = self.0.get_or_init(|| (form, rendered.clone()));
                if *kept == form { first.clone() } else { rendered }
            }
        }
    }
}

impl Clone for Rendered {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Rendered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get() {
            Some((form, _)) => write!(f, "Rendered({})", form.0),
            None => f.write_str("Rendered(none)"),
        }
    }
}
