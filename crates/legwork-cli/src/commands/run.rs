//! `legwork run`: a task for an agent, in a new session or a finished one.

use std::io::{self, IsTerminal as _, Read as _};

use crate::args;
use crate::commands::screen;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::place::Place;
use crate::session::find;
use crate::settings::Settings;
use crate::work::{Way, work};
use crate::worker::Worker;

pub(crate) async fn run(args: args::Run, config: &Config) -> Result<Exit, Error> {
    let task = task(args.task)?;
    let place = Place::of(&args.store, config)?;
    let Some(asked) = &args.session else {
        let settings = Settings::fresh(&args.agent, config)?;
        let (screen, control) = screen(args.json, &place)?;
        let worker = Worker::new(&settings, &screen).await?;
        let (agent, recorded) = worker.agent(place.open()?)?;
        return work(agent.run(task), Way::Start, &recorded, &control, &screen).await;
    };
    let store = place.open_existing()?;
    let found = find(store.as_ref(), asked, &place).await?;
    let state = found.journal.fold(&found.id);
    let settings = Settings::of_session(&args.agent, config, &state)?;
    let (screen, control) = screen(args.json, &place)?;
    let worker = Worker::new(&settings, &screen).await?;
    worker.compare(&state, &screen);
    drop(state);
    let (agent, recorded) = worker.agent(store.map_or_else(|| place.open(), Ok)?)?;
    let request = agent.session(found.id).run(task);
    work(request, Way::Start, &recorded, &control, &screen).await
}

/// The task: the argument, or what comes on standard input.
fn task(argument: Option<String>) -> Result<String, Error> {
    const HINT: &str = "say what is to be done: legwork run \"Read notes.txt and sum it up\"";
    let task = match argument {
        Some(task) if task != "-" => task,
        None if io::stdin().is_terminal() => return Err(Error::usage("there is no task", HINT)),
        _ => piped()?,
    };
    match task.trim().is_empty() {
        true => Err(Error::usage("the task is empty", HINT)),
        false => Ok(task),
    }
}

fn piped() -> Result<String, Error> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|source| Error::System { doing: "reading the task", source })?;
    String::from_utf8(bytes).map_err(|_| {
        let hint = "bring it into UTF-8 first, for example with `iconv -t UTF-8`";
        Error::usage("the task on standard input is not UTF-8", hint)
    })
}
