//! `legwork sessions branch` and `rewind`: moving the head of a session.

use legwork::agent::{Back, Delivery};
use legwork::core::AgentState;

use super::entry::entry;
use crate::args;
use crate::commands::addressed::Addressed;
use crate::commands::print;
use crate::config::Config;
use crate::display::text::visible;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::quoted;

pub(super) async fn branch(args: args::Branch, config: &Config) -> Result<Exit, Error> {
    let at = Addressed::find(&args.session, &args.store, config).await?;
    let to = entry(&at.state, &args.entry)?;
    let delivery = at.session.move_head(to).await?;
    report(&at, delivery)
}

pub(super) async fn rewind(args: args::Rewind, config: &Config) -> Result<Exit, Error> {
    let at = Addressed::find(&args.session, &args.store, config).await?;
    let back = match args.steps {
        Some(steps) => Back::Steps(usize::try_from(steps).unwrap_or(usize::MAX)),
        None => Back::Task,
    };
    let delivery = at.session.rewind(back).await?;
    report(&at, delivery)
}

/// Says where the head is, what became of calls that waited, and how to go on.
fn report(at: &Addressed, delivery: Delivery) -> Result<Exit, Error> {
    let id = quoted(at.session.id().as_str());
    let Some(state) = delivery.into_state() else {
        return print("sent: a process runs the session, which refuses this while it works\n");
    };
    let mut text = format!("session {id} stands at entry {}\n", state.head());
    text.push_str(&left(&at.state, &id, &at.store));
    let head = at.state.head();
    text.push_str(&format!("to undo this: legwork sessions branch {id} {head}{}\n", at.store));
    text.push_str(&format!("to go on: {}\n", go_on(&state, at, &id)));
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
