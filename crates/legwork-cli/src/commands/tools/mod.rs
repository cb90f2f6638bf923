//! `legwork tools`: the agent's tools, looked at and called by hand.

mod call;
pub(super) mod list;
mod parameters;
mod show;

use std::io::{self, stderr};
use std::sync::Arc;

use legwork::agent::Control;
use legwork::port::Tool;

use crate::args::{self, ApproveBy, Surroundings};
use crate::config::Config;
use crate::display::{Again, Human, Screen, Terminal};
use crate::error::Error;
use crate::exit::Exit;
use crate::leftover::Leftover;
use crate::sandbox::Place;
use crate::settings::Settings;
use crate::toolset;
use crate::web::Web;

pub(crate) async fn tools(args: args::Tools, config: &Config) -> Result<Exit, Error> {
    match args {
        args::Tools::List(args) => list::list(&args, config),
        args::Tools::Show(args) => show::show(&args, config),
        args::Tools::Call(args) => call::call(args, config).await,
    }
}

/// The tools as an agent would have them there; what they warn of goes to standard error.
pub(super) fn here(around: &Surroundings, config: &Config) -> Result<Vec<Arc<dyn Tool>>, Error> {
    let settings = settings(around, None, config)?;
    made(&settings, Web::shown(&settings)?, &Leftover::default())
}

/// The settings there, as a run has them that asks a person this often.
fn settings(
    around: &Surroundings,
    approve: Option<ApproveBy>,
    config: &Config,
) -> Result<Settings, Error> {
    let Surroundings { dir, sandbox, network, allow_path } = around.clone();
    let around = args::Agent { dir, sandbox, network, allow_path, ..args::Agent::default() };
    Settings::shown(&args::Agent { approve, ..around }, config)
}

/// The tools of settings; what they leave running is in the background.
fn made(settings: &Settings, web: Web, leftover: &Leftover) -> Result<Vec<Arc<dyn Tool>>, Error> {
    let human = Human::new(io::sink(), stderr(), Terminal::detect());
    let screen = Screen::new(human, Control::default(), Again::default());
    let workspace = toolset::workspace(settings, |warning| screen.warn(&warning))?;
    let place = Place::new(workspace, settings, &screen, leftover);
    toolset::tools(&place, settings, &screen, leftover, web)
}
