//! The tools of the command's agent, built in one place.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use legwork::agent::toolset::ToolExt as _;
use legwork::capability::ask_user::{self, AskUser};
use legwork::core::ToolSpec;
use legwork::port::Tool;
use legwork::tools::secret::Secrets;
use legwork::tools::workspace::Access;
use legwork::tools::{Bash, BashOutput, Edit, List, Read, Search, Workspace, Write};
use legwork::web::{fetch, search};

use crate::agents::Chosen;
use crate::commands::nearest;
use crate::config::locate::{home, shown};
use crate::config::{AllowPath, Config, Source};
use crate::display::Screen;
use crate::error::Error;
use crate::leftover::Leftover;
use crate::sandbox::Place;
use crate::settings::{Asking, Settings};
use crate::web::{self, Web};

/// The names of all tools, in the order that the model is shown them.
pub(crate) const NAMES: [&str; 10] = [
    "read",
    "write",
    "edit",
    "list",
    "search",
    "bash",
    "bash_output",
    fetch::TOOL,
    search::TOOL,
    ask_user::TOOL,
];

/// The directory to work in, with what is allowed beside it.
///
/// What a flag allows must be there; of what a file or the session does, and what is gone,
/// `warn` gets each.
pub(crate) fn workspace(settings: &Settings, warn: impl Fn(String)) -> Result<Workspace, Error> {
    let mut workspace = Workspace::open(&settings.dir.value)?;
    for allowed in &settings.allow_paths {
        let AllowPath { path, access } = &allowed.value;
        workspace = match (workspace.clone().allow(path, *access), &allowed.source) {
            (Ok(wider), _) => wider,
            (Err(error), Source::Flag(flag)) => {
                let hint = format!("{flag} takes a directory that exists, not a single file");
                return Err(Error::usage(error.to_string(), hint));
            }
            (Err(_), source) => {
                let path = path.display();
                warn(format!("{path} ({source}) cannot be entered, so it is not allowed"));
                workspace
            }
        };
    }
    // One that lies in the workspace is read there, and written.
    let outside = |folder: &PathBuf| {
        folder.canonicalize().is_ok_and(|real| !real.starts_with(workspace.root()))
    };
    let skills = settings.agent.iter().flat_map(Chosen::folders);
    for folder in skills.filter(outside).collect::<Vec<_>>() {
        workspace = match workspace.clone().allow(&folder, Access::ReadOnly) {
            Ok(wider) => wider,
            Err(error) => {
                warn(format!("the files of the skill {} cannot be read: {error}", shown(&folder)));
                workspace
            }
        };
    }
    let secrets = settings.own.iter().fold(of_machine(), Secrets::with);
    if let Some(store) = settings.store.as_ref().filter(|store| is_exposed(store, &workspace)) {
        warn(format!(
            "sessions are kept in {}, where commands may write: the agent's commands can change \
             them, and so its context when one goes on; keep them elsewhere with --store",
            shown(store)
        ));
    }
    Ok(workspace.keep_out(&settings.store.iter().fold(secrets, Secrets::with_store))?)
}

/// What is secret on this machine, and Legwork's own files.
pub(crate) fn secrets(config: &Config) -> Secrets {
    config.own_files().fold(of_machine(), Secrets::with)
}

fn of_machine() -> Secrets {
    Secrets::of_machine(home().as_deref())
}

/// Whether commands may write to a file, or redirect a link that leads to it.
fn is_exposed(file: &Path, workspace: &Workspace) -> bool {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let writable = workspace.allowed().filter(|(_, access)| *access == Access::ReadWrite);
    let roots: Vec<_> =
        std::iter::once(workspace.root()).chain(writable.map(|(path, _)| path)).collect();
    let in_one = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    // If it does not exist yet, the nearest existing folder decides.
    let there = whole.ancestors().find_map(|above| above.canonicalize().ok());
    let link = |path: &Path| {
        let lies = path.parent()?.canonicalize().ok()?.join(path.file_name()?);
        path.is_symlink().then_some(lies)
    };
    there.is_some_and(|there| in_one(&there))
        || whole.ancestors().filter_map(link).any(|link| in_one(&link))
}

/// The tools that work in a directory, in the order that the model is shown them; what they
/// leave running is in the background.
///
/// # Errors
/// When one was asked for that there is not.
pub(crate) fn tools(
    place: &Place,
    settings: &Settings,
    screen: &Arc<Screen>,
    leftover: &Leftover,
    web: Web,
) -> Result<Vec<Arc<dyn Tool>>, Error> {
    let Place { workspace, environment, sandbox, limits } = place;
    let output = BashOutput::new(&leftover.background);
    let mut bash =
        Bash::new(workspace.clone(), environment.clone(), sandbox.clone()).with_limits(*limits);
    // Who cannot read what a command in the background prints is not offered one.
    if settings.has_tool(&output.spec().name) {
        bash = bash.with_background(&leftover.background);
    }
    let mut all: Vec<Arc<dyn Tool>> = vec![
        Arc::new(Read::new(workspace.clone())),
        Arc::new(Write::new(workspace.clone())),
        Arc::new(Edit::new(workspace.clone())),
        Arc::new(List::new(workspace.clone())),
        Arc::new(Search::new(workspace.clone())),
        Arc::new(bash),
        Arc::new(output),
    ];
    all.extend(web.tools());
    all.push(Arc::new(AskUser));
    let all = all.into_iter().map(|tool| asked(tool, &settings.asking)).collect::<Vec<_>>();
    let Some(chosen) = &settings.tools else { return Ok(all) };
    for name in chosen.iter().filter(|name| !settings.mcp.may_have(name)) {
        match web::why_missing(name, settings).filter(|_| named(&all, name).is_err()) {
            Some(why) if settings.agent.is_none() => screen.warn_later(why),
            // An agent that names no tools has all that there are.
            Some(_) => {}
            None => drop(named(&all, name)?),
        }
    }
    let is_chosen = |tool: &Arc<dyn Tool>| chosen.iter().any(|name| **name == *tool.spec().name);
    Ok(all.into_iter().filter(is_chosen).collect())
}

/// A tool whose calls run, need approval or never run, as the settings say.
fn asked(tool: Arc<dyn Tool>, asking: &Asking) -> Arc<dyn Tool> {
    let spec = tool.spec();
    // A person who is asked sees the call of this one.
    if *spec.name == *ask_user::TOOL {
        return tool;
    }
    tool.permissions(asking.permissions(&spec))
}

/// The tool of a name, or which one may have been meant.
pub(crate) fn named<'t>(
    tools: &'t [Arc<dyn Tool>],
    name: &str,
) -> Result<&'t Arc<dyn Tool>, Error> {
    let found = tools.iter().find(|tool| &*tool.spec().name == name);
    found.ok_or_else(|| {
        let specs: Vec<Arc<ToolSpec>> = tools.iter().map(|tool| tool.spec()).collect();
        let names: Vec<_> = specs.iter().map(|spec| &*spec.name).collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`? `legwork tools list` shows all"),
            None => format!("the tools are {}", names.join(", ")),
        };
        Error::usage(format!("there is no tool {name:?}"), hint)
    })
}
