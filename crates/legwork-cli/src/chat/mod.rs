//! A conversation that is kept open: one session, each turn of it an execution.
//!
//! It is one more front of the same functions: a turn is what `legwork run --session` does, shown
//! by the same displays, and all that it knows is in the journal.
//!
//! Read the modules in this order: `open`, `editor`, `turn`, `slash`.

mod complete;
mod editor;
mod files;
mod mention;
mod open;
mod other;
mod slash;
mod turn;

use std::sync::Arc;

use legwork::agent::{Control, Session};
use legwork::core::{AgentState, SessionId};
use legwork::port::Store;
use legwork::port::store::Range;
use tokio::sync::mpsc::UnboundedReceiver;

use self::editor::Working;
use self::files::Commands;
use crate::args;
use crate::config::Config;
use crate::display::{Pane, Screen, Terminal};
use crate::error::Error;
use crate::exit::Exit;
use crate::keyboard::{Keyboard, Typed};
use crate::settings::Settings;
use crate::short_id::Length;
use crate::store_address::StoreAddress;
use crate::worker::Ready;

/// A conversation with an agent.
pub(crate) struct Chat<'c> {
    config: &'c Config,
    /// The flags of the command, with what was changed since.
    flags: args::Agent,
    address: StoreAddress,
    store: Arc<dyn Store>,
    session: SessionId,
    settings: Settings,
    ready: Ready,
    screen: Arc<Screen>,
    pane: Pane,
    terminal: Terminal,
    keyboard: Keyboard,
    working: Working,
    commands: Commands,
    /// Raised when the chat is to end.
    leaves: Control,
}

/// Whether the chat goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Stays,
    Leaves,
}

/// Opens a chat, and talks until the person leaves.
pub(crate) async fn chat(args: args::Chat, config: &Config) -> Result<Exit, Error> {
    let Some((mut chat, mut typed)) = open::open(args, config).await? else {
        return Ok(Exit::Interrupted);
    };
    let talked = chat.talk(&mut typed).await;
    chat.end().await;
    talked.map(|()| Exit::Done)
}

impl Chat<'_> {
    async fn talk(&mut self, typed: &mut UnboundedReceiver<Typed>) -> Result<(), Error> {
        let mut warned = false;
        loop {
            self.keyboard.read();
            self.pane.prompts();
            let next = tokio::select! {
                biased;
                () = self.leaves.interrupt.cancelled() => return Ok(()),
                next = typed.recv() => next,
            };
            match next {
                None | Some(Typed::End) => return Ok(()),
                Some(Typed::Interrupt) if warned => return Ok(()),
                Some(Typed::Interrupt) => {
                    self.pane.interrupted();
                    self.say("Ctrl-C again or Ctrl-D leaves the chat");
                    warned = true;
                }
                Some(Typed::Discard) => warned = false,
                Some(Typed::Line(line)) => {
                    warned = false;
                    if self.said(&line, typed).await == Then::Leaves {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Does what a line says. What goes wrong is shown, and the chat goes on.
    async fn said(&mut self, line: &str, typed: &mut UnboundedReceiver<Typed>) -> Then {
        let line = line.replace("\\\n", "\n");
        let done = match slash::of(&line, &self.commands) {
            _ if line.trim().is_empty() => Ok(Then::Stays),
            Ok(slash::Said::Words(words)) => self.task(&words, typed).await,
            Ok(slash::Said::Command(command, rest)) => command.run(self, &rest, typed).await,
            Err(error) => Err(error),
        };
        done.unwrap_or_else(|error| {
            self.screen.failed(&error);
            Then::Stays
        })
    }

    /// Shows words of the chat itself.
    fn say(&self, words: &str) {
        self.screen.note(words);
    }

    /// The session as others speak to it; what is said there is masked as in a run.
    fn stored(&self) -> Session {
        self.ready.agent.session(self.session.clone())
    }

    /// The state of the session; none before its first turn.
    async fn state(&self) -> Result<Option<AgentState>, Error> {
        let journal = self.store.read(&self.session, Range::ALL).await?.journal;
        Ok((!journal.entries().is_empty()).then(|| journal.fold(&self.session)))
    }

    /// Says how to go on, and gives the terminal back.
    async fn end(&self) {
        if let Ok(Some(_)) = self.state().await {
            let id = Length::SHORT.of(&self.session);
            let again = format!("{}{}", self.address.flag(), self.settings.again());
            self.say(&format!("session {id}; `legwork chat {id}{again}` goes on"));
        }
        self.pane.leave();
    }
}
