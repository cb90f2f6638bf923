//! `legwork run`: a task for an agent, in a new session or a finished one.

use legwork::agent;
use legwork::core::AgentState;
use legwork::core::state::{Pending, PendingReason, Refusal};

use crate::args;
use crate::commands::screen;
use crate::config::Config;
use crate::display::{Again, AnswerForm, to_go_on};
use crate::error::Error;
use crate::exit::Exit;
use crate::output_schema;
use crate::session::{find, last_session};
use crate::settings::Settings;
use crate::store_address::StoreAddress;
use crate::task;
use crate::trust::Asks;
use crate::work::work;
use crate::worker::Worker;

pub(crate) async fn run(args: args::Run, config: &Config) -> Result<Exit, Error> {
    let output = output_schema::of_flags(&args)?;
    let task = task::of(args.task, &args.more, &args.image)?;
    let address = StoreAddress::of(&args.store, config)?;
    let answer = AnswerForm::of(output.as_ref());
    let last = match args.goes_on {
        true => Some(last_session(&address, &args.agent).await?),
        false => None,
    };
    let Some(asked) = args.session.as_ref().or(last.as_ref()) else {
        let settings = Settings::fresh(&args.agent, config, Asks::of(&args.output))?;
        let settings = settings.in_store(&address);
        let again = Again { store: address.flag(), settings: settings.again() };
        let (screen, control) = screen(&args.output, answer, again)?;
        let Some(worker) = Worker::unless(&control.interrupt, &settings, &screen).await? else {
            return Ok(Exit::Interrupted);
        };
        let ready = worker.wants(output).agent(address.open()?, &screen)?;
        return work(ready.agent.run(task), &ready, &control, &screen).await;
    };
    let store = address.open_existing()?;
    let found = find(store.as_ref(), asked, &address).await?;
    found.check_readable()?;
    let state = found.journal.fold(&found.id);
    let settings = Settings::of_session(&args.agent, config, &state, Asks::of(&args.output))?;
    let settings = settings.in_store(&address);
    let flags = Again { store: address.flag(), settings: settings.again() };
    let (screen, control) = screen(&args.output, answer, flags.clone())?;
    let Some(worker) = Worker::unless(&control.interrupt, &settings, &screen).await? else {
        return Ok(Exit::Interrupted);
    };
    worker.compare(&state, &screen);
    let first = answer_first(&state, &flags);
    drop(state);
    let ready = worker.wants(output).agent(store.map_or_else(|| address.open(), Ok)?, &screen)?;
    let request = ready.agent.session(found.id).run(task);
    let worked = work(request, &ready, &control, &screen).await;
    worked.map_err(|error| match first {
        Some(hint) if is_under_way(&error) => Error::usage(error.to_string(), hint),
        _ => error,
    })
}

/// What has to be done before a session that waits for an answer takes a new task.
fn answer_first(state: &AgentState, flags: &Again) -> Option<String> {
    state.status().filter(|status| status.is_waiting())?;
    let next = to_go_on(state, flags)?;
    let in_doubt = |call: &Pending| call.reason == PendingReason::Doubt;
    let first = match state.pending().iter().all(in_doubt) {
        true => format!("`{next}` goes on though a call is in doubt"),
        false => format!("`{next}` shows or approves what waits"),
    };
    Some(format!("{first}; the session takes a new task after it"))
}

fn is_under_way(error: &Error) -> bool {
    let Error::Legwork(legwork::Error::Agent(agent::Error::Refused(refusal))) = error else {
        return false;
    };
    matches!(refusal, Refusal::UnderWay { .. })
}
