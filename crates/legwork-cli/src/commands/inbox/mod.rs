//! `legwork steer`, `follow-up`, `stop`, `suspend` and `sessions set`: what is said to a session
//! from another process.

mod follow_up;
mod set;
mod steer;
mod stop;
mod suspend;

pub(crate) use follow_up::follow_up;
pub(crate) use set::set;
pub(crate) use steer::steer;
pub(crate) use stop::stop;
pub(crate) use suspend::suspend;

use legwork::agent::Delivery;
use legwork::core::{AgentState, ExecutionStatus};
use serde_json::json;

use crate::commands::addressed::Addressed;
use crate::commands::{print, print_json};
use crate::display::text::visible;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::quoted;

/// What stands in the way of a message, or becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// A process runs the session.
    Running,
    /// Its process ended before the execution did.
    Interrupted,
    /// It waits for somebody's answer, or for a time.
    Waiting,
    /// Its last execution ended, or it had none.
    Ended,
}

impl Standing {
    fn of(delivery: &Delivery) -> Self {
        let Delivery::TakenUp(state) = delivery else { return Self::Running };
        match state.status() {
            Some(ExecutionStatus::InProgress) => Self::Interrupted,
            Some(status) if status.is_waiting() => Self::Waiting,
            _ => Self::Ended,
        }
    }
}

/// Refuses to speak to a subagent that ended: nothing runs it again, so nothing would hear it.
fn check_heard(at: &Addressed, verb: &str) -> Result<(), Error> {
    let state = &at.state;
    let is_over = state.status().is_none_or(ExecutionStatus::is_terminal);
    if state.facts().parent.is_none() || !is_over {
        return Ok(());
    }
    let (id, root) = (visible(state.session().as_str()), quoted(at.root.as_str()));
    let message = format!("{id} is a subagent's session, and the subagent has ended");
    let hint = format!("say it to the session that runs: legwork {verb} {root}{} ..", at.store);
    Err(Error::usage(message, hint))
}

/// What became of a message, for people or for programs.
struct Report<'a> {
    at: &'a Addressed,
    delivery: Delivery,
    /// The verb that was typed.
    verb: &'static str,
}

impl Report<'_> {
    /// Prints it, with the words that say what the session does with it.
    fn print(&self, json: bool, becomes: impl FnOnce(Standing) -> String) -> Result<Exit, Error> {
        let standing = Standing::of(&self.delivery);
        if json {
            return print_json(&format!("{}\n", self.line(standing)));
        }
        let mut text = format!("{}\n", becomes(standing));
        if standing != Standing::Running {
            text.push_str(&format!("to go on: {}\n", self.at.resume));
        }
        print(&text)
    }

    fn line(&self, standing: Standing) -> serde_json::Value {
        let (state, cursor) = match &self.delivery {
            Delivery::TakenUp(state) => (state.as_ref(), state.facts().inbox_cursor),
            Delivery::Waiting(cursor) => (&self.at.state, *cursor),
        };
        let resume = (standing != Standing::Running).then_some(&self.at.resume);
        json!({
            "session": self.at.session.id(),
            "item": self.verb,
            "taken_up": standing != Standing::Running,
            "status": state.status(),
            "cursor": cursor,
            "resume": resume,
        })
    }
}

/// The status of a session, in a word.
fn status(state: &AgentState) -> String {
    state.status().map_or_else(|| "nothing run yet".to_owned(), ToString::to_string)
}
