//! Running an execution to where it rests, shown as it goes.

use std::io;
use std::sync::Arc;

use legwork::agent::Control;
use legwork::agent::open::Active;
use legwork::agent::request::{Run, RunRequest};
use legwork::core::{AgentState, ExecutionStatus};
use legwork::port::Observer;

use crate::display::{Human, Screen, Terminal, Verbosity};
use crate::error::Error;
use crate::exit::Exit;
use crate::worker::Ready;

/// Runs until nothing is owed, somebody has to answer, or it is interrupted.
pub(crate) async fn work(
    request: RunRequest,
    ready: &Ready,
    control: &Control,
    screen: &Arc<Screen>,
) -> Result<Exit, Error> {
    let observer: Arc<dyn Observer> = Arc::clone(screen) as _;
    let request = request.observer(observer).control(control.clone());
    let (run, done) = rested(request, ready, screen).await?;
    let state = run.state();
    let lost = lost(state, screen);
    match done {
        Ok(()) => Ok(lost.unwrap_or_else(|| exit(state))),
        Err(error) => Ok(error.exit()),
    }
}

/// Runs until it rests or is interrupted. Gives what came of it, and the error that halted it, if
/// one did.
pub(crate) async fn rested(
    request: RunRequest,
    ready: &Ready,
    screen: &Screen,
) -> Result<(Run, Result<(), Error>), Error> {
    let mut active = request.open().await?;
    let state = ready.adjusted(active.state().clone());
    active.set(ready.recorded.record(state))?;
    let done = go_on(&mut active).await;
    // Before others may take the session up: what runs could hold what they need.
    for ended in ready.leftover.end().await {
        screen.note(&ended.to_string());
    }
    ready.ended(screen);
    if let Err(error) = &done {
        screen.failed(error);
    }
    // Shows the end once the claim is given back, so that who reads it may resume.
    let run = active.release().await;
    let state = run.state();
    ready.notify(state, screen);
    Ok((run, done))
}

/// Shows on standard error how it ended if standard output could not take it; how the
/// command ends then, if that is an error.
pub(crate) fn lost(state: &AgentState, screen: &Screen) -> Option<Exit> {
    let mut elsewhere =
        Human::new(io::sink(), io::stderr(), Terminal::detect()).verbosity(Verbosity::Quiet);
    screen.ended_elsewhere(state, &mut elsewhere).map(|error| error.exit())
}

async fn go_on(active: &mut Active) -> Result<(), Error> {
    while active.next().await?.is_some() {}
    Ok(())
}

/// How the command ends for where an execution stands.
pub(crate) fn exit(state: &AgentState) -> Exit {
    state.status().map_or(Exit::from(&ExecutionStatus::InProgress), Exit::from)
}
