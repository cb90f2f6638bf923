//! Commands that run on in the background while the model does something else.
//!
//! `bash` starts them, [`BashOutput`] reads what they print and ends them. Both share one
//! [`Background`]; when the last of its clones is gone, so are they, and when this process
//! dies. Nothing of them is journaled: a session that is resumed begins with none.

mod command;
mod read;
mod unread;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use legwork_port::core::{EffectKey, SessionId};

use self::command::Command;
pub use self::read::BashOutput;
use super::Error;
use crate::process::Order;

/// The name of the tool that reads.
pub(super) const TOOL: &str = "bash_output";
/// Most commands of one session that run at once.
const MOST: usize = 8;
/// Most commands that have ended and are still known.
const KEPT: usize = 32;

/// The commands in the background; clones share them.
///
/// A session sees its own only. Each runs confined and within limits of its own; at most
/// eight of a session run at once, for an hour at the longest. Dropping the last clone,
/// those in tools too, kills them.
#[derive(Clone, Debug, Default)]
pub struct Background(Arc<Mutex<Vec<Arc<Command>>>>);

/// A command that was ended before it ended by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// Its id, which the model uses to name it.
    pub id: String,
    /// The command, in one line, cut where it is long.
    pub command: String,
    /// Whether some of it could not be killed and may still run.
    pub stuck: bool,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, command, stuck } = self;
        match stuck {
            false => write!(f, "ended {id}: {command}"),
            true => write!(f, "{id} could not be killed and may still run: {command}"),
        }
    }
}

impl Background {
    /// Ends all that still run: asks them to, and kills those that do not after a grace.
    ///
    /// Dropping the future leaves them asked to end.
    pub async fn end_all(&self) -> Vec<Ended> {
        self.end_where(|_| true).await
    }

    /// Ends what still runs of one session, the same way.
    pub async fn end(&self, session: &SessionId) -> Vec<Ended> {
        self.end_where(|command| command.session() == session).await
    }

    async fn end_where(&self, which: impl Fn(&Command) -> bool) -> Vec<Ended> {
        let commands = self.commands().clone();
        let running: Vec<_> =
            commands.into_iter().filter(|command| command.is_running() && which(command)).collect();
        // All are asked before one is waited for.
        running.iter().for_each(|command| command.ask_to_end());
        let mut ended = Vec::with_capacity(running.len());
        for command in running {
            command.ended().await;
            let (id, stuck) = (command.id().to_owned(), command.is_stuck());
            ended.push(Ended { id, command: command.line().to_owned(), stuck });
        }
        ended
    }

    /// Starts a command; returns the text for the model.
    pub(super) fn start(
        &self,
        order: Order,
        key: &EffectKey,
        line: &str,
        limit: Duration,
        shown: usize,
    ) -> Result<String, Error> {
        let id = id(key);
        let mut commands = self.commands();
        let running: Vec<_> = commands
            .iter()
            .filter(|command| command.session() == &key.session && command.is_running())
            .map(|command| command.name())
            .collect();
        if running.len() >= MOST {
            return Err(Error::TooMany { most: MOST, running: running.join("; ") });
        }
        let started = Command::start(order, (key.session.clone(), id.clone()), line, limit, shown);
        let started = started.map_err(Error::start)?;
        // Who runs the same call again has given up what it did before.
        commands.retain(|command| !command.is(&key.session, &id));
        forget_oldest(&mut commands);
        commands.push(Arc::new(started));
        let limit = limit.as_secs();
        Ok(format!(
            "[{id} runs in the background, for at most {limit} s; {TOOL} with id {id} gives what \
             it prints]"
        ))
    }

    /// The command that a session calls so; else the text for the model.
    fn find(&self, session: &SessionId, id: &str) -> Result<Arc<Command>, Unknown> {
        let commands = self.commands();
        let found = commands.iter().find(|command| command.is(session, id)).cloned();
        found.ok_or_else(|| {
            let own = commands.iter().filter(|command| command.session() == session);
            let known: Vec<_> = own.map(|command| command.name()).collect();
            Unknown { id: unread::shortened(id), known }
        })
    }

    fn commands(&self) -> MutexGuard<'_, Vec<Arc<Command>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A name that no other call of the session has, not in an earlier process either: the
/// entry of the journal that asked for it.
fn id(key: &EffectKey) -> String {
    match key.index {
        0 => format!("bg{}", key.entry.0),
        index => format!("bg{}.{index}", key.entry.0),
    }
}

fn forget_oldest(commands: &mut Vec<Arc<Command>>) {
    let ended = commands.iter().filter(|command| !command.is_running()).count();
    if ended >= KEPT
        && let Some(oldest) = commands.iter().position(|command| !command.is_running())
    {
        commands.remove(oldest);
    }
}

/// No such command, or none any more.
#[derive(Debug)]
struct Unknown {
    id: String,
    known: Vec<String>,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, known } = self;
        write!(f, "there is no command {id} in the background: ")?;
        match known.as_slice() {
            [] => write!(f, "none was started since this process began")?,
            known => write!(f, "there is {}", known.join("; "))?,
        }
        write!(
            f,
            ". A command ends with the process that started it, so one of before an interruption \
             is gone; start it again if it is still needed"
        )
    }
}
