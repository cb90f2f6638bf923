//! Capabilities by name, made from settings.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::nearest;
use serde_json::Value;

use crate::capability::{
    AskUser, Capability, ExecutionHistory, Fields, Guards, Metadata, SystemPrompt, TaskList,
    ask_user, guards, history, metadata, prompt, tasks,
};

type Factory = dyn Fn(&Value) -> Result<Arc<dyn Capability>, String> + Send + Sync;

/// Why a capability could not be made by its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is none of that name.
    #[error("there is no capability `{name}`: {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The nearest name and all that there are, in words.
        known: String,
    },
    /// Its settings do not fit.
    #[error("the settings of the capability `{name}` do not fit: {reason}")]
    Settings {
        /// The capability.
        name: String,
        /// The field, and what it takes.
        reason: String,
    },
}

/// Capabilities by name, each made from settings in JSON: for agents that are written down.
///
/// ```
/// use legwork_agent::capability::{Capability, Registry};
/// use serde_json::json;
///
/// let registry = Registry::shipped();
/// let guards = registry.make("guards", &json!({"steps": 50}))?;
/// assert_eq!(guards.name(), "guards");
///
/// let error = registry.make("guard", &json!({})).err().unwrap();
/// assert!(error.to_string().contains("did you mean `guards`?"));
/// # Ok::<(), legwork_agent::capability::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Registry(BTreeMap<String, Entry>);

#[derive(Clone)]
struct Entry {
    about: Arc<str>,
    factory: Arc<Factory>,
}

impl Registry {
    /// One without any capability.
    pub fn new() -> Self {
        Self::default()
    }

    /// What ships with the runtime: `ask_user`, `guards`, `history`, `metadata`, `system_prompt`,
    /// `tasks`.
    ///
    /// What takes code or a handle is not among them (tools, hooks, a cancellation):
    /// [`with`](Self::with) adds what a program has of its own.
    pub fn shipped() -> Self {
        Self::new()
            .with("ask_user", ask_user::ABOUT, |settings| {
                Fields::of(settings)?.done()?;
                Ok(Arc::new(AskUser))
            })
            .with("guards", guards::ABOUT, |settings| {
                Ok(Arc::new(Guards::from_settings(settings)?))
            })
            .with("history", history::ABOUT, |settings| {
                Ok(Arc::new(ExecutionHistory::from_settings(settings)?))
            })
            .with("metadata", metadata::ABOUT, |settings| {
                Ok(Arc::new(Metadata::from_settings(settings)?))
            })
            .with("system_prompt", prompt::ABOUT, |settings| {
                Ok(Arc::new(SystemPrompt::from_settings(settings)?))
            })
            .with("tasks", tasks::ABOUT, |settings| {
                Ok(Arc::new(TaskList::from_settings(settings)?))
            })
    }

    /// The same with a capability, in the place of one of the same name.
    ///
    /// The factory is given the settings, null where there are none; [`Fields`] reads them.
    ///
    /// [`Fields`]: crate::capability::Fields
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<String>,
        about: impl Into<Arc<str>>,
        factory: impl Fn(&Value) -> Result<Arc<dyn Capability>, String> + Send + Sync + 'static,
    ) -> Self {
        self.0.insert(name.into(), Entry { about: about.into(), factory: Arc::new(factory) });
        self
    }

    /// Makes a capability by its name.
    ///
    /// # Errors
    /// When there is none of that name, or the settings do not fit.
    pub fn make(&self, name: &str, settings: &Value) -> Result<Arc<dyn Capability>, Error> {
        let Some(entry) = self.0.get(name) else {
            let known = nearest::suggestion(name, self.0.keys().map(String::as_str));
            return Err(Error::Unknown { name: name.to_owned(), known });
        };
        let made = (entry.factory)(settings);
        made.map_err(|reason| Error::Settings { name: name.to_owned(), reason })
    }

    /// Each name with what it gives an agent, by name.
    pub fn list(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, entry)| (name.as_str(), &*entry.about))
    }

    /// Whether there is one of a name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
