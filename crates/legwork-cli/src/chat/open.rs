//! How a chat begins: its session, its agent, its screen, and the editor.

use std::sync::Arc;

use legwork::agent::Control;
use legwork::agent::memory::RandomIds;
use legwork::core::state::PendingReason;
use legwork::core::{AgentState, ExecutionStatus, SessionId};
use legwork::port::{Ids as _, Store};
use tokio::sync::mpsc::UnboundedReceiver;

use super::Chat;
use super::complete::Completions;
use super::editor::{self, Helper, Setup, Working};
use super::files::Commands;
use crate::args::{self, Output};
use crate::config::Config;
use crate::config::locate::shown;
use crate::display::text::count;
use crate::display::{Again, Human, Pane, Screen, Stream, Terminal, Verbosity};
use crate::error::Error;
use crate::keyboard::{Keyboard, Typed};
use crate::session::{find, last_session};
use crate::settings::Settings;
use crate::short_id::Length;
use crate::signals;
use crate::store_address::{self, StoreAddress};
use crate::trust::Asks;
use crate::worker::Worker;

/// A session that a chat goes on with.
struct Begun {
    id: SessionId,
    state: AgentState,
}

/// Opens a chat; none if the person interrupts it before it is there.
pub(super) async fn open(
    args: args::Chat,
    config: &Config,
) -> Result<Option<(Chat<'_>, UnboundedReceiver<Typed>)>, Error> {
    let output = args.shown.output();
    let address = StoreAddress::of(&args.store, config)?;
    let begun = begun(&args, &address).await?;
    let settings = match &begun {
        None => Settings::fresh(&args.agent, config, Asks::of(&output))?,
        Some(begun) => Settings::of_session(&args.agent, config, &begun.state, Asks::of(&output))?,
    };
    let settings = settings.in_store(&address);
    let terminal = Terminal::asked(&output);
    let (pane, (keyboard, typed)) = (Pane::new(terminal), Keyboard::new());
    let again = Again { store: address.flag(), settings: settings.again() };
    let leaves = Control::default();
    let screen = screen(&output, terminal, &pane, leaves.clone(), again)?;
    screen.answered_at(keyboard.clone());
    let Some(worker) = Worker::unless(&leaves.interrupt, &settings, &screen).await? else {
        return Ok(None);
    };
    if let Some(begun) = &begun {
        worker.compare(&begun.state, &screen);
    }
    let store = address.open()?;
    let ready = worker.agent(Arc::clone(&store), &screen)?;
    let commands = Commands::load(&settings, &args.agent, config);
    let completions = Completions::new(&settings, &commands, config);
    let (working, session) = (Working::default(), session(begun.as_ref()));
    let helper = Helper { pane: pane.clone(), completions };
    let history = store_address::home().map(|folder| folder.join("history"));
    pane.begins_line();
    pane.holds_keys();
    editor::start(Setup {
        pane: pane.clone(),
        keyboard: keyboard.clone(),
        working: working.clone(),
        helper,
        history,
    })?;
    let flags = args.agent;
    let chat = Chat {
        config,
        flags,
        address,
        store,
        session,
        settings,
        ready,
        screen,
        pane,
        terminal,
        keyboard,
        working,
        commands,
        leaves,
    };
    chat.greet(begun.as_ref().map(|begun| &begun.state));
    Ok(Some((chat, typed)))
}

/// The session that is asked for.
async fn begun(args: &args::Chat, address: &StoreAddress) -> Result<Option<Begun>, Error> {
    let last = match args.goes_on {
        true => Some(last_session(address, &args.agent).await?),
        false => None,
    };
    let Some(asked) = args.session.as_ref().or(last.as_ref()) else { return Ok(None) };
    let store: Option<Arc<dyn Store>> = address.open_existing()?;
    let found = find(store.as_ref(), asked, address).await?;
    found.check_readable()?;
    let state = found.journal.fold(&found.id);
    Ok(Some(Begun { id: found.id, state }))
}

fn session(begun: Option<&Begun>) -> SessionId {
    begun.map_or_else(|| RandomIds.session(), |begun| begun.id.clone())
}

/// What shows the chat, and lets signals end it.
fn screen(
    output: &Output,
    terminal: Terminal,
    pane: &Pane,
    leaves: Control,
    again: Again,
) -> Result<Arc<Screen>, Error> {
    let verbosity = if output.verbose { Verbosity::Verbose } else { Verbosity::Usual };
    let human = Human::new(Stream::out(pane), Stream::err(pane), terminal);
    let screen = Screen::new(human.verbosity(verbosity).within(pane), leaves.clone(), again);
    signals::watch(leaves, Arc::clone(&screen))?;
    if terminal.lively {
        let started = screen.enliven();
        started.map_err(|source| Error::System { doing: "starting to show the chat", source })?;
    }
    Ok(screen)
}

impl Chat<'_> {
    /// Says where the chat is, and what of the session is still to be done.
    fn greet(&self, begun: Option<&AgentState>) {
        let (model, dir) = (&self.settings.model.value, shown(&self.settings.dir.value));
        let dir = if dir == "." { here() } else { dir };
        self.say(&format!("{model} in {dir}; /help shows the commands, Ctrl-D leaves"));
        self.screen.tell_later();
        let Some(state) = begun else { return };
        let id = Length::SHORT.of(&self.session);
        let steps = state.ledger().lifetime.steps;
        self.say(&format!("session {id} goes on after {}", count(steps, "step")));
        match state.status() {
            Some(ExecutionStatus::InProgress) => {
                self.say("its last turn was interrupted: /resume goes on with it");
            }
            Some(status) if status.is_waiting() => {
                let doubt =
                    |call: &legwork::core::state::Pending| call.reason == PendingReason::Doubt;
                let what = if state.pending().iter().all(doubt) { "is in doubt" } else { "waits" };
                self.say(&format!("a call {what}: /resume asks about it"));
            }
            _ => {}
        }
    }
}

fn here() -> String {
    std::env::current_dir().map_or_else(|_| ".".to_owned(), |dir| shown(&dir))
}
