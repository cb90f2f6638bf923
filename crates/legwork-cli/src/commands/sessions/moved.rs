//! `legwork sessions branch` and `rewind`: moving the head of a session.

use legwork::agent::{Back, Delivery};
use legwork::core::{AgentState, Seq};

use super::entry::entry;
use crate::args;
use crate::commands::addressed::Addressed;
use crate::commands::auxiliary::Asked;
use crate::commands::print;
use crate::config::Config;
use crate::display::text::visible;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::quoted;

pub(super) async fn branch(args: args::Branch, config: &Config) -> Result<Exit, Error> {
    let at = Addressed::find(&args.session, &args.store, config).await?;
    let to = entry(&at.state, &args.entry)?;
    if args.summary {
        return branch_with_summary(&args, &at, to, config).await;
    }
    moved(&at, at.session.move_head(to).await?)
}

/// Moves the head, with a summary of the path that is left.
async fn branch_with_summary(
    args: &args::Branch,
    at: &Addressed,
    to: Seq,
    config: &Config,
) -> Result<Exit, Error> {
    let args::Branch { session, agent, store, output, .. } = args;
    let asked = Asked::find(session, agent, store, output, config).await?;
    let Some(asked) = asked else { return Ok(Exit::Interrupted) };
    match asked.ask(|session| session.branch_with_summary(to)).await? {
        Some(state) => report(at, &state),
        None => Ok(Exit::Interrupted),
    }
}

pub(super) async fn rewind(args: args::Rewind, config: &Config) -> Result<Exit, Error> {
    let at = Addressed::find(&args.session, &args.store, config).await?;
    let back = match args.steps {
        Some(steps) => Back::Steps(usize::try_from(steps).unwrap_or(usize::MAX)),
        None => Back::Task,
    };
    moved(&at, at.session.rewind(back).await?)
}

fn moved(at: &Addressed, delivery: Delivery) -> Result<Exit, Error> {
    match delivery.into_state() {
        Some(state) => report(at, &state),
        None => print("sent: a process runs the session, which refuses this while it works\n"),
    }
}

/// Says where the head is, what became of calls that waited, and how to go on.
fn report(at: &Addressed, state: &AgentState) -> Result<Exit, Error> {
    let id = quoted(at.session.id().as_str());
    let mut text = format!("session {id} stands at entry {}\n", state.head());
    text.push_str(&left(&at.state, &id, &at.store));
    let head = at.state.head();
    text.push_str(&format!("to undo this: legwork sessions branch {id} {head}{}\n", at.store));
    text.push_str(&format!("to go on: {}\n", go_on(state, at, &id)));
    print(&text)
}

/// What becomes of calls that waited where the head was.
fn left(before: &AgentState, id: &str, store: &str) -> String {
    let line = |tool: &str| {
        let (tool, head) = (visible(tool), before.head());
        format!(
            "the call of {tool} that waits stays at entry {head}, and is not answered from here: \
             legwork sessions branch {id} {head}{store} goes back to it\n"
        )
    };
    before.pending().iter().map(|pending| line(&pending.tool)).collect()
}

fn go_on(state: &AgentState, at: &Addressed, id: &str) -> String {
    match state.status().is_some_and(|status| !status.is_terminal()) {
        true => at.resume.clone(),
        false => format!("legwork run --session {id}{} \"..\"", at.store),
    }
}
