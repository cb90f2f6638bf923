//! The registry of all capabilities.

use std::sync::Arc;

use legwork_tools::Environment;

use super::{Bash, Coding, Files, Registry, bash, coding, files};

/// The registry of all capabilities: those of the agent crate, and `bash`, `files`, `coding`.
///
/// Commands get only the variables of `environment`. Needs the feature `tools`.
pub fn shipped(environment: &Environment) -> Registry {
    let (of_bash, of_coding) = (environment.clone(), environment.clone());
    Registry::shipped()
        .with("bash", bash::ABOUT, move |settings| {
            Ok(Arc::new(Bash::from_settings(settings, &of_bash)?))
        })
        .with("files", files::ABOUT, |settings| Ok(Arc::new(Files::from_settings(settings)?)))
        .with("coding", coding::ABOUT, move |settings| {
            Ok(Arc::new(Coding::from_settings(settings, &of_coding)?))
        })
}

pub(super) fn from_env() -> Registry {
    shipped(&Environment::filtered(std::env::vars_os()))
}
