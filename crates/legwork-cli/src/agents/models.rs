//! The models that subagents and skills want, with keys and addresses as for any other.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use legwork::port::Model;

use crate::config::{Config, Credential};
use crate::error::Error;
use crate::model::{ModelOptions, Unusable, exposure, made};
use crate::settings::{Settings, around, not_named, provider};

/// A model that is not the agent's own.
#[derive(Debug, Clone)]
pub(crate) struct Other {
    pub(crate) name: String,
    base_url: Option<String>,
    key: Option<Credential>,
    /// What commands may write: no program that prints the key comes from there.
    writable: Vec<PathBuf>,
    /// None if only the project names it, and the person no such provider.
    options: Option<ModelOptions>,
}

/// Models by name, or why one cannot be used.
pub(super) type Models = BTreeMap<String, Result<Arc<dyn Model>, String>>;

impl Other {
    /// A model where the user's settings have its provider; the address that the agent's
    /// own model was given is that of its provider alone.
    pub(crate) fn of(name: String, settings: &Settings, config: &Config) -> Result<Self, Error> {
        let of = provider(&name);
        let same = of == provider(&settings.model.value);
        let (base_url, key) = match same {
            true => (settings.base_url.clone(), settings.key.clone()),
            false => (around(of, config)?, Credential::find(of, config)),
        };
        let options = Some(settings.model_options());
        let (base_url, writable) = (base_url.map(|url| url.value), settings.writable());
        Ok(Self { base_url, key, writable, name, options })
    }

    /// The same, served at another address; none is where its provider always is.
    pub(crate) fn at(self, base_url: Option<String>) -> Self {
        Self { base_url, ..self }
    }

    /// A model that a project names and that is not asked.
    pub(crate) fn refused(name: String) -> Self {
        Self { name, base_url: None, key: None, writable: Vec::new(), options: None }
    }

    /// Makes it; one that cannot be made says why when it is asked.
    pub(crate) async fn made(&self, tell: impl Fn(String)) -> Arc<dyn Model> {
        let made = self.make(&tell).await;
        made.unwrap_or_else(|why| Arc::new(Unusable::new(&self.name, why)))
    }

    async fn make(&self, tell: &impl Fn(String)) -> Result<Arc<dyn Model>, String> {
        let Some(options) = &self.options else { return Err(not_named(&self.name)) };
        let key = match &self.key {
            Some(key) => {
                let fetched = key.fetch(&self.writable).await;
                Some(fetched.map_err(|error| error.to_string())?)
            }
            None => None,
        };
        match made(&self.name, self.base_url.as_deref(), key.as_ref(), options.clone()) {
            Ok(model) => {
                exposure(&model).into_iter().for_each(tell);
                Ok(Arc::new(model))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Makes all of them, and prints what the user has to know of them.
pub(super) async fn make(others: &[Other], tell: impl Fn(String)) -> Models {
    let mut models = Models::new();
    for other in others {
        models.insert(other.name.clone(), other.make(&tell).await);
    }
    models
}
