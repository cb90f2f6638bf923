//! `legwork tools`: the agent's tools, looked at and called by hand.

mod call;
mod list;
mod parameters;
mod show;

use std::io::{self, stderr};
use std::sync::Arc;

use legwork::agent::context::Control;
use legwork::core::ToolSpec;
use legwork::port::Tool;

use crate::args::{self, Surroundings};
use crate::commands::nearest;
use crate::config::Config;
use crate::display::{Human, Screen, Terminal};
use crate::error::Error;
use crate::exit::Exit;
use crate::settings::Settings;
use crate::toolset;

pub(crate) async fn tools(args: args::Tools, config: &Config) -> Result<Exit, Error> {
    match args {
        args::Tools::List(args) => list::list(&args, config),
        args::Tools::Show(args) => show::show(&args, config),
        args::Tools::Call(args) => call::call(args, config).await,
    }
}

/// The tools as an agent would have them there; what they warn of is told on standard error.
pub(super) fn here(around: &Surroundings, config: &Config) -> Result<Vec<Arc<dyn Tool>>, Error> {
    let Surroundings { dir, sandbox, network, allow_path } = around.clone();
    let flags = args::Agent { dir, sandbox, network, allow_path, ..args::Agent::default() };
    let settings = Settings::shown(&flags, config)?;
    let human = Human::new(io::sink(), stderr(), Terminal::detect());
    let screen = Screen::new(human, Control::default(), String::new());
    let workspace = toolset::workspace(&settings, |warning| screen.warn(&warning))?;
    Ok(toolset::tools(&workspace, &settings, &screen))
}

/// The tool of a name, or which one may have been meant.
fn named<'t>(tools: &'t [Arc<dyn Tool>], name: &str) -> Result<&'t Arc<dyn Tool>, Error> {
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
