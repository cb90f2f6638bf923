//! The tools of the command's agent, built in one place.

use std::sync::Arc;

use legwork::port::Tool;
use legwork::tools::{Bash, Edit, Environment, List, Read, Search, Workspace, Write};

use crate::config::{AllowPath, Source};
use crate::display::Screen;
use crate::error::Error;
use crate::sandbox;
use crate::settings::Settings;

/// The directory to work in, with what is allowed beside it.
///
/// What a flag allows must be there; of what a file or the session does, and what is gone,
/// `warn` is told.
pub(crate) fn workspace(settings: &Settings, warn: impl Fn(String)) -> Result<Workspace, Error> {
    let mut workspace = Workspace::open(&settings.dir)?;
    for allowed in &settings.allow_paths {
        let AllowPath { path, access } = &allowed.value;
        workspace = match (workspace.clone().allow(path, *access), &allowed.source) {
            (Ok(wider), _) => wider,
            (Err(error), Source::Flag(_)) => return Err(Error::Workspace(error)),
            (Err(_), source) => {
                let path = path.display();
                warn(format!("{path} ({source}) cannot be entered, so it is not allowed"));
                workspace
            }
        };
    }
    Ok(workspace)
}

/// The tools that work in a directory, in the order that the model is shown them.
pub(crate) fn tools(
    workspace: &Workspace,
    settings: &Settings,
    screen: &Arc<Screen>,
) -> Vec<Arc<dyn Tool>> {
    let environment = Environment::filtered(std::env::vars_os());
    let sandbox = sandbox::chosen(settings, &environment, screen);
    let bash = Bash::new(workspace.clone(), environment, sandbox);
    vec![
        Arc::new(Read::new(workspace.clone())),
        Arc::new(Write::new(workspace.clone())),
        Arc::new(Edit::new(workspace.clone())),
        Arc::new(List::new(workspace.clone())),
        Arc::new(Search::new(workspace.clone())),
        Arc::new(bash),
    ]
}
