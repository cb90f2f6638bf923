//! `legwork sessions branch` and `rewind`: moving the head of a session.

use legwork::agent::{self, Back, Delivery};
use legwork::core::state::Refusal;
use legwork::core::{AgentState, Seq};

use super::branches::{Line, lines};
use super::entry::entry;
use crate::args;
use crate::commands::addressed::Addressed;
use crate::commands::auxiliary::Asked;
use crate::commands::{print, warn};
use crate::config::Config;
use crate::display::text::visible;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::quoted;

pub(super) async fn branch(args: args::Branch, config: &Config) -> Result<Exit, Error> {
    let at = Addressed::find(&args.session, &args.store, config).await?;
    let to = entry(&at.state, &args.entry)?;
    check_idle(&at)?;
    let moved = match args.summary {
        true => branch_with_summary(&args, &at, to, config).await,
        false => move_head(&at, to).await,
    };
    moved.map_err(|error| in_a_step(&at, to, error))
}

async fn move_head(at: &Addressed, to: Seq) -> Result<Exit, Error> {
    moved(at, at.session.move_head(to).await?)
}

/// Moves the head, with a summary of the path that is left.
async fn branch_with_summary(
    args: &args::Branch,
    at: &Addressed,
    to: Seq,
    config: &Config,
) -> Result<Exit, Error> {
    let tip = at.journal.tip();
    if at.journal.path(to).iter().any(|entry| entry.seq == tip) {
        let message = format!("going to entry {to} leaves nothing that could be summarised");
        return Err(Error::usage(message, "leave --summary out"));
    }
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
    check_idle(&at)?;
    let back = match args.steps {
        Some(steps) => Back::Steps(usize::try_from(steps).unwrap_or(usize::MAX)),
        None if at.state.execution().is_none() => return Err(before_all(&at)),
        None => Back::Task,
    };
    moved(&at, at.session.rewind(back).await?)
}

/// The error for a head that cannot go back to before a task, since there is none.
fn before_all(at: &Addressed) -> Error {
    let (id, store) = (quoted(at.session.id().as_str()), &at.store);
    let hint = format!(
        "`legwork sessions tree {id}{store}` shows the entries that `legwork sessions branch` leads to"
    );
    Error::usage("the session stands before its first task: no task is there to go back to", hint)
}

/// Refuses to move the head while a process works on the execution, which would refuse that.
fn check_idle(at: &Addressed) -> Result<(), Error> {
    if at.running != Some(true) {
        return Ok(());
    }
    let (id, store) = (quoted(at.session.id().as_str()), &at.store);
    let message = format!("a process runs session {id}: its head cannot be moved meanwhile");
    let hint = format!(
        "wait until it has ended, or end it with `legwork stop {id}{store}`; `legwork sessions fork \
         {id}{store} ENTRY` goes on from an entry in a session of its own"
    );
    Err(Error::usage(message, hint))
}

fn moved(at: &Addressed, delivery: Delivery) -> Result<Exit, Error> {
    if let Some(state) = delivery.into_state() {
        return report(at, &state);
    }
    let id = quoted(at.session.id().as_str());
    warn(format!(
        "another process works in the session: it moves the head before it goes on, or refuses \
         that while an execution is under way; `legwork sessions tree {id}{}` shows which",
        at.store
    ));
    Ok(Exit::Failed)
}

/// The error for an entry in the middle of a finished step, with the entries around it.
fn in_a_step(at: &Addressed, to: Seq, error: Error) -> Error {
    let is_refused = matches!(
        &error,
        Error::Legwork(legwork::Error::Agent(agent::Error::Refused(Refusal::StepUnderWay)))
    );
    let stands_in_one = at.state.current_step().is_some() && !at.state.may_be_left();
    if !is_refused || stands_in_one {
        return error;
    }
    let lines = lines(&at.journal, &at.state);
    let holds = |line: &&Line| {
        let is_on = || at.journal.path(line.entry).iter().any(|entry| entry.seq == to);
        line.first <= to && to <= line.entry && is_on()
    };
    let Some(step) = lines.iter().find(holds) else { return error };
    let before = at.journal.get(step.first).map_or(Seq::ZERO, |first| first.parent);
    let before = at.journal.places().get(&before).copied().unwrap_or(before);
    let (id, store) = (quoted(at.session.id().as_str()), &at.store);
    Error::usage(
        format!("entry {to} is in the middle of a step"),
        format!(
            "a branch can begin before the step, at entry {before}, or after it, at entry {}: \
             legwork sessions branch {id} {before}{store}",
            step.entry
        ),
    )
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
