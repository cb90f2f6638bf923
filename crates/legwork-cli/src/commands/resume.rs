//! `legwork resume`: goes on with a session where it stands.

use std::sync::Arc;

use legwork::agent;
use legwork::core::OnDoubt;
use legwork::core::state::Refusal;

use crate::args;
use crate::commands::screen;
use crate::config::Config;
use crate::display::Screen;
use crate::error::Error;
use crate::exit::Exit;
use crate::place::Place;
use crate::session::{Found, find};
use crate::settings::Settings;
use crate::work::{self, Way, work};
use crate::worker::Worker;

pub(crate) async fn resume(args: args::Resume, config: &Config) -> Result<Exit, Error> {
    let place = Place::of(&args.store, config)?;
    let existing = place.open_existing()?;
    let found = find(existing.as_ref(), &args.session, &place).await?;
    found.check_readable()?;
    let state = found.journal.fold(&found.id);
    let settings = Settings::of_session(&args.agent, config, &state)?;
    let (screen, control) = screen(&args.output, &place)?;
    let Some(worker) = Worker::unless(&control.interrupt, &settings, &screen).await? else {
        return Ok(Exit::Interrupted);
    };
    worker.compare(&state, &screen);
    let ready = worker.agent(existing.map_or_else(|| place.open(), Ok)?)?;
    let on_doubt = match args.on_doubt {
        args::OnDoubt::Ask => OnDoubt::Ask,
        args::OnDoubt::Tell => OnDoubt::Tell,
    };
    let request = ready.agent.resume(found.id.clone()).on_doubt(on_doubt);
    match work(request, Way::Resume, &ready, &control, &screen).await {
        Err(error) if is_over(&error) => Ok(show_end(&found, &screen)),
        result => result,
    }
}

/// Whether there is nothing to go on with.
fn is_over(error: &Error) -> bool {
    let Error::Legwork(legwork::Error::Agent(agent::Error::Refused(refusal))) = error else {
        return false;
    };
    matches!(refusal, Refusal::NothingToDo { .. } | Refusal::LimitHolds { .. })
}

/// A session that is over ends the same way again: whoever was killed right after the
/// last commit gets the answer all the same.
fn show_end(found: &Found, screen: &Arc<Screen>) -> Exit {
    let state = found.journal.fold(&found.id);
    screen.repeated(&state);
    work::lost(&state, screen).unwrap_or_else(|| work::exit(&state))
}
