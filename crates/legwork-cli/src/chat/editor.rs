//! The editor of the line that a person types, on a thread of its own.

mod helper;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustyline::error::ReadlineError;
use rustyline::history::{FileHistory, History as _};
use rustyline::{
    Behavior, Cmd, ColorMode, CompletionType, ConditionalEventHandler, Config, Editor, Event,
    EventContext, EventHandler, KeyCode, KeyEvent, Modifiers, RepeatCount,
};

pub(super) use self::helper::Helper;
use crate::display::{PROMPT, Pane};
use crate::error::Error;
use crate::keyboard::{Keyboard, Typed};

/// Lines that are remembered.
const REMEMBERED: usize = 2_000;
/// How long Esc waits, in milliseconds, for what makes it another key.
const ESCAPE: u16 = 200;

/// Whether the agent works; Esc means something only then.
#[derive(Debug, Clone, Default)]
pub(super) struct Working(Arc<AtomicBool>);

impl Working {
    pub(super) fn set(&self, works: bool) {
        self.0.store(works, Ordering::SeqCst);
    }

    fn is(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// What an editor works with.
pub(super) struct Setup {
    pub(super) pane: Pane,
    pub(super) keyboard: Keyboard,
    pub(super) working: Working,
    pub(super) helper: Helper,
    /// Where lines are remembered; none if nowhere.
    pub(super) history: Option<PathBuf>,
}

/// Starts an editor, which ends with the chat.
///
/// # Errors
/// When the terminal cannot be used.
pub(super) fn start(setup: Setup) -> Result<(), Error> {
    let failed = |source| Error::System { doing: "opening the terminal", source };
    let editor = editor(setup.helper, setup.working.clone(), setup.keyboard.clone());
    let mut editor = editor.map_err(io::Error::other);
    let editor_mut = editor.as_mut();
    if let Ok(editor) = editor_mut {
        match editor.create_external_printer() {
            Ok(printer) => drop(setup.pane.prints(printer).map_err(failed)?),
            // One that cannot draw anew: what is written goes where the cursor is.
            Err(_) => setup.pane.writes_alone(),
        }
        if let Some(history) = &setup.history {
            // The first time there is none.
            let _ = editor.load_history(history);
        }
    }
    let editor = editor.map_err(failed)?;
    let (pane, keyboard, history) = (setup.pane, setup.keyboard, setup.history);
    let reads = move || read(editor, &pane, &keyboard, history.as_deref());
    thread::Builder::new().name("editor".to_owned()).spawn(reads).map_err(failed)?;
    Ok(())
}

fn editor(
    helper: Helper,
    working: Working,
    keyboard: Keyboard,
) -> rustyline::Result<Editor<Helper, FileHistory>> {
    let config = Config::builder()
        .behavior(Behavior::PreferTerm)
        .color_mode(ColorMode::Forced)
        .completion_type(CompletionType::List)
        .history_ignore_space(true)
        .max_history_size(REMEMBERED)?
        .keyseq_timeout(Some(ESCAPE))
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(helper));
    editor.bind_sequence(
        KeyEvent(KeyCode::Esc, Modifiers::NONE),
        EventHandler::Conditional(Box::new(Escape(working))),
    );
    editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::Newline);
    editor.bind_sequence(Event::Any, EventHandler::Conditional(Box::new(Aside(keyboard))));
    Ok(editor)
}

/// Esc interrupts what the agent does, and is nothing else.
struct Escape(Working);

impl ConditionalEventHandler for Escape {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, _: &EventContext) -> Option<Cmd> {
        Some(if self.0.is() { Cmd::Interrupt } else { Cmd::Noop })
    }
}

/// The first key behind a question puts aside what was typed before it, so that an answer is
/// typed on purpose.
struct Aside(Keyboard);

impl ConditionalEventHandler for Aside {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, cx: &EventContext) -> Option<Cmd> {
        let KeyEvent(key, modifiers) = event.get(0).copied()?;
        // Ctrl-C withdraws the question; what is pasted is put aside by the key behind it.
        let stays = matches!(key, KeyCode::Char('C' | 'c')) && modifiers == Modifiers::CTRL
            || key == KeyCode::BracketedPasteStart;
        if stays {
            return None;
        }
        let instead = match key {
            KeyCode::Char(c) if (modifiers - Modifiers::SHIFT).is_empty() => c.to_string(),
            _ => String::new(),
        };
        // No command replaces a line and leaves the cursor behind it: another one is read.
        self.0.puts_aside(cx.line(), instead).then_some(Cmd::Interrupt)
    }
}

fn read(
    mut editor: Editor<Helper, FileHistory>,
    pane: &Pane,
    keyboard: &Keyboard,
    history: Option<&Path>,
) {
    // Without an editor it would go to standard output, and also while the agent works.
    let prompt = if pane.is_alone() { "" } else { PROMPT };
    loop {
        keyboard.wanted();
        // Whoever typed ahead sees it before the next line.
        pane.writes_waiting();
        let aside = keyboard.takes_up().unwrap_or_default();
        let mut read = editor.readline_with_initial(prompt, (&aside, ""));
        while let Some((aside, instead)) = keyboard.begins_again() {
            pane.erases(&aside);
            read = editor.readline_with_initial(prompt, (&instead, ""));
        }
        let typed = match read {
            Ok(line) => {
                pane.rests();
                remember(&mut editor, &line, history);
                Typed::Line(line)
            }
            Err(error) => {
                let touched = pane.takes_back();
                match error {
                    ReadlineError::Interrupted if touched => Typed::Discard,
                    ReadlineError::Interrupted => Typed::Interrupt,
                    _ => Typed::End,
                }
            }
        };
        if !keyboard.typed(typed) {
            return;
        }
    }
}

/// Adds a line to those that are remembered; a chat goes on though it cannot be written.
fn remember(editor: &mut Editor<Helper, FileHistory>, line: &str, history: Option<&Path>) {
    if !editor.history_mut().add(line).unwrap_or_default() {
        return;
    }
    if let Some(history) = history {
        let _ = editor.append_history(history);
    }
}
