//! `legwork resume`: goes on with a session where it stands.

mod all;

use std::sync::Arc;

use legwork::agent;
use legwork::core::ExecutionStatus;
use legwork::core::state::Refusal;

use crate::args;
use crate::commands::screen;
use crate::config::Config;
use crate::display::{Again, AnswerForm, Screen};
use crate::error::Error;
use crate::exit::Exit;
use crate::output_schema;
use crate::session::{Found, find};
use crate::settings::Settings;
use crate::shell::quoted;
use crate::store_address::StoreAddress;
use crate::trust::Asks;
use crate::work::{self, work};
use crate::worker::Worker;

pub(crate) async fn resume(args: args::Resume, config: &Config) -> Result<Exit, Error> {
    match args.session.clone() {
        Some(session) => one(&session, args, config).await,
        None => all::resume_all(args, config).await,
    }
}

async fn one(session: &str, args: args::Resume, config: &Config) -> Result<Exit, Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let existing = address.open_existing()?;
    let found = find(existing.as_ref(), session, &address).await?;
    found.check_readable()?;
    let state = found.journal.fold(&found.id);
    let settings = Settings::of_session(&args.agent, config, &state, Asks::of(&args.output))?;
    let settings = settings.in_store(&address);
    let output = output_schema::of_session(&state);
    let flags = Again { store: address.flag(), settings: settings.again() };
    let (screen, control) = screen(&args.output, AnswerForm::of(output.as_ref()), flags.clone())?;
    let Some(worker) = Worker::unless(&control.interrupt, &settings, &screen).await? else {
        return Ok(Exit::Interrupted);
    };
    worker.compare(&state, &screen);
    let ready =
        worker.wants(output).agent(existing.map_or_else(|| address.open(), Ok)?, &screen)?;
    let request = ready.agent.resume(found.id.clone()).on_doubt(args.on_doubt.into());
    match work(request, &ready, &control, &screen).await {
        Err(error) => match over(&error) {
            Some(refusal) => Ok(show_end(&found, refusal, &flags, &screen)),
            None => Err(error),
        },
        result => result,
    }
}

/// Why there is nothing to go on with, if that is the error.
fn over(error: &Error) -> Option<&Refusal> {
    let Error::Legwork(legwork::Error::Agent(agent::Error::Refused(refusal))) = error else {
        return None;
    };
    let over = matches!(
        refusal,
        Refusal::NothingToDo { .. } | Refusal::LimitHolds { .. } | Refusal::StillIncomplete { .. }
    );
    over.then_some(refusal)
}

/// Shows again how a session ended: a process killed right after the last commit has not
/// shown it.
fn show_end(found: &Found, refusal: &Refusal, flags: &Again, screen: &Arc<Screen>) -> Exit {
    let state = found.journal.fold(&found.id);
    let message = match refusal {
        Refusal::NothingToDo { status, .. } => {
            let id = quoted(found.id.as_str());
            format!(
                "nothing is left to do ({status}): give it a new task with \
                 `legwork run --session {id}{flags} \"..\"`"
            )
        }
        refusal => refusal.to_string(),
    };
    match state.status() {
        Some(ExecutionStatus::Completed) => screen.note(&message),
        _ => screen.warn(&message),
    }
    screen.ended(&state);
    work::lost(&state, screen).unwrap_or_else(|| work::exit(&state))
}
