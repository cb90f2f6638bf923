//! The observer that hands the events of a run to a display.

use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use legwork::agent::Control;
use legwork::core::{AgentState, ExecutionStatus, SessionId};
use legwork::port::event::{ExecutionEnd, Next};
use legwork::port::{EventKind, Observer, RunEvent};

use super::actor::Actors;
use super::advice::{self, in_chat};
use super::{Again, At, Displayer, Question, ending, next, spinner};
use crate::error::Error;
use crate::keyboard::Keyboard;

/// The one observer of a run: hands everything to a display.
pub(crate) struct Screen {
    inner: Mutex<Inner>,
    control: Control,
    again: Again,
    /// Whether the note that the run was interrupted is still to be shown.
    interrupting: AtomicBool,
    terminals: Terminals,
    /// Where questions are answered, if not on standard input.
    keyboard: OnceLock<Keyboard>,
}

/// Which of the standard streams were terminals when the screen was made.
#[derive(Debug, Clone, Copy)]
struct Terminals {
    out: bool,
    err: bool,
}

impl Terminals {
    fn now() -> Self {
        Self { out: io::stdout().is_terminal(), err: io::stderr().is_terminal() }
    }

    /// Whether one of them is gone: closed, or its connection lost.
    fn is_gone(self) -> bool {
        let now = Self::now();
        (self.out && !now.out) || (self.err && !now.err)
    }
}

struct Inner {
    displayer: Box<dyn Displayer>,
    actors: Actors,
    /// The session of the agent that runs, once there is one.
    session: Option<SessionId>,
    /// What the person should know once there is a session.
    later: Vec<EventKind>,
    /// Why the output cannot be written any more, if it cannot.
    lost: Option<io::Error>,
    /// The question that waits for an answer.
    question: Option<Question>,
}

impl Screen {
    /// A screen that interrupts the run when its reader is gone.
    pub(crate) fn new(
        displayer: impl Displayer + 'static,
        control: Control,
        again: Again,
    ) -> Arc<Self> {
        let inner = Inner {
            displayer: Box::new(displayer),
            actors: Actors::default(),
            session: None,
            later: Vec::new(),
            lost: None,
            question: None,
        };
        let (inner, interrupting) = (Mutex::new(inner), AtomicBool::new(false));
        let terminals = Terminals::now();
        let keyboard = OnceLock::new();
        Arc::new(Self { inner, control, again, interrupting, terminals, keyboard })
    }

    /// Lets what moves move, until the screen is gone.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub(crate) fn enliven(self: &Arc<Self>) -> io::Result<()> {
        spinner::start(self)
    }

    /// Moves on what moves, unless something else is shown just now.
    pub(super) fn tick(&self) {
        if let Some(mut inner) = self.try_lock() {
            self.tell_interrupting(&mut inner);
            inner.displayer.tick();
        }
    }

    /// Takes back what is not to stay. Never waits.
    pub(crate) fn leave(&self) {
        if let Some(mut inner) = self.try_lock() {
            inner.displayer.leave();
        }
    }

    /// Something that the person should know.
    pub(crate) fn warn(&self, message: &str) {
        self.say(EventKind::Warning { message: message.to_owned() });
    }

    /// What is good to know, and no reason to do anything.
    pub(crate) fn note(&self, message: &str) {
        self.say(EventKind::Note { message: message.to_owned() });
    }

    /// Asks a question that `y` answers with yes; none if there is nobody to ask.
    ///
    /// Waits for the answer, so not on the runtime's threads. Others may show
    /// what happens meanwhile.
    pub(crate) fn ask(&self, question: &str) -> Option<bool> {
        {
            let mut inner = self.lock();
            if !inner.displayer.can_ask() {
                return None;
            }
            let message = question.to_owned();
            self.show(&mut inner, &RunEvent::new(EventKind::Warning { message }));
        }
        let mut answer = String::new();
        // Who cannot be understood has not agreed.
        match self.keyboard() {
            Some(keyboard) => {
                answer = keyboard.answer().blocking_recv().unwrap_or_default();
                keyboard.read();
            }
            None => drop(std::io::stdin().read_line(&mut answer)),
        }
        Some(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
    }

    /// Has questions answered at a keyboard, once.
    pub(crate) fn answered_at(&self, keyboard: Keyboard) {
        self.keyboard.get_or_init(|| keyboard);
    }

    /// Where questions are answered, if not on standard input.
    pub(crate) fn keyboard(&self) -> Option<&Keyboard> {
        self.keyboard.get()
    }

    /// Lends the terminal to another program.
    pub(crate) fn lends(&self) {
        self.lock().displayer.lends();
    }

    /// The other program has ended.
    pub(crate) fn takes(&self) {
        self.lock().displayer.takes();
    }

    /// Shows a text that was asked for, as it is laid out.
    pub(crate) fn text(&self, text: &str) {
        // The run goes on even if it cannot be shown.
        let _ = self.lock().displayer.laid_out(text);
    }

    /// Says now what was to be said once there is a session.
    pub(crate) fn tell_later(&self) {
        self.show_later(&mut self.lock());
    }

    /// Whether a person sees it and can answer.
    pub(crate) fn can_ask(&self) -> bool {
        self.lock().displayer.can_ask()
    }

    /// Shows a question, and leaves the cursor behind it.
    pub(crate) fn question(&self, question: &Question) -> io::Result<()> {
        let mut inner = self.lock();
        inner.question = Some(question.clone());
        inner.displayer.question(question)
    }

    /// Whether a question stands: it was shown, and neither answered nor withdrawn.
    pub(crate) fn asks(&self) -> bool {
        self.lock().question.is_some()
    }

    /// Shows the question that stands once more, in short: other things were shown below it.
    pub(crate) fn asks_still(&self) {
        let mut inner = self.lock();
        if let Some(question) = inner.question.as_ref().map(Question::in_short) {
            // It is answered even if it cannot be shown.
            let _ = inner.displayer.question(&question);
        }
    }

    /// The question was answered by a line of its own.
    pub(crate) fn answered(&self) {
        let mut inner = self.lock();
        inner.question = None;
        inner.displayer.answered();
    }

    /// What was asked needs no answer any more: nobody waits for it.
    pub(crate) fn withdraws(&self) {
        self.lock().question = None;
    }

    /// Something that the person should know, said once there is a session.
    pub(crate) fn warn_later(&self, message: impl Into<String>) {
        self.lock().later.push(EventKind::Warning { message: message.into() });
    }

    /// What is good to know, said once there is a session.
    pub(crate) fn note_later(&self, message: &'static str) {
        self.lock().later.push(EventKind::Note { message: message.to_owned() });
    }

    /// The command cannot go on.
    pub(crate) fn failed(&self, error: &Error) {
        let hint = if self.is_chat() { error.hint_in_chat() } else { error.hint() };
        self.show(&mut self.lock(), &failure_with(error, hint));
    }

    fn is_chat(&self) -> bool {
        self.keyboard.get().is_some()
    }

    /// Somebody asked to leave it here. Never waits: what holds the screen may be stuck,
    /// and tells it when it is not.
    pub(crate) fn interrupting(&self) {
        self.interrupting.store(true, Ordering::SeqCst);
        if let Some(mut inner) = self.try_lock() {
            self.tell_interrupting(&mut inner);
        }
    }

    fn tell_interrupting(&self, inner: &mut Inner) {
        if self.interrupting.swap(false, Ordering::SeqCst) {
            self.tell(inner, &RunEvent::new(EventKind::Interrupting));
        }
    }

    /// Shows how the run of a session ended that did not run here.
    pub(crate) fn ended(&self, state: &AgentState) {
        self.observe(&ended(state));
    }

    /// Tells by another display how it ended if the usual one could not be written to, and
    /// why: none where its reader went away, who may well do so and misses nothing that is
    /// completed.
    pub(crate) fn ended_elsewhere(
        &self,
        state: &AgentState,
        elsewhere: &mut dyn Displayer,
    ) -> Option<Error> {
        let lost = self.lock().lost.take()?;
        let gone = lost.kind() == io::ErrorKind::BrokenPipe || self.terminals.is_gone();
        let error =
            (!gone).then_some(Error::System { doing: "writing to standard output", source: lost });
        if error.is_none() && state.status() == Some(&ExecutionStatus::Completed) {
            return None;
        }
        let end = ended(state);
        let end = self.in_words(&end).unwrap_or(end);
        for event in error.iter().map(failure).chain([end]) {
            // There is no third place to show it.
            let _ = elsewhere.show(At::default(), &event);
        }
        error
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Some(inner),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn show_later(&self, inner: &mut Inner) {
        for kind in std::mem::take(&mut inner.later) {
            self.show(inner, &RunEvent::new(kind));
        }
    }

    fn say(&self, kind: EventKind) {
        self.show(&mut self.lock(), &RunEvent::new(kind));
    }

    fn show(&self, inner: &mut Inner, event: &RunEvent) {
        self.tell_interrupting(inner);
        inner.actors.before(event);
        self.tell(inner, event);
        inner.actors.after(event);
    }

    fn tell(&self, inner: &mut Inner, event: &RunEvent) {
        if inner.lost.is_some() {
            return;
        }
        if event.session.is_some() && inner.session.is_none() {
            inner.session.clone_from(&event.session);
        }
        // What the command says itself belongs to the session that it runs.
        let own = event.session.is_none() && inner.session.is_some();
        let own = own.then(|| RunEvent { session: inner.session.clone(), ..event.clone() });
        let event = own.as_ref().unwrap_or(event);
        if let Err(error) = inner.displayer.show(inner.actors.at(event), event) {
            inner.lost = Some(error);
            self.control.interrupt.cancel();
        }
    }

    /// An event that says what to do, in the words of the command; none for all others.
    fn in_words(&self, event: &RunEvent) -> Option<RunEvent> {
        let kind = match (&event.kind, &event.session) {
            (EventKind::Error { error, .. }, _) => {
                let hint = advice::on(error);
                let hint = if self.is_chat() { hint.map(|hint| in_chat(&hint)) } else { hint };
                EventKind::Error { error: error.clone(), hint }
            }
            (
                EventKind::ExecutionFinished(end)
                | EventKind::ExecutionPaused(end)
                | EventKind::ExecutionInterrupted(end),
                Some(session),
            ) => {
                let mut end = (**end).clone();
                if let Some(next) = end.next.take() {
                    let how = next::command(&next, &end, session, &self.again);
                    end.next = Some(Next { how, ..next });
                }
                end.into()
            }
            _ => return None,
        };
        Some(RunEvent { kind, ..event.clone() })
    }

    fn warn_of_end(&self, inner: &mut Inner, event: &RunEvent) {
        let EventKind::ExecutionFinished(end) = &event.kind else { return };
        let warning = ending::warning(end).filter(|_| event.path.is_empty());
        if let Some(message) = warning.map(str::to_owned) {
            let kind = EventKind::Warning { message };
            self.show(inner, &RunEvent { kind, ..event.clone() });
        }
    }
}

impl Observer for Screen {
    fn observe(&self, event: &RunEvent) {
        let mut inner = self.lock();
        let begins = event.path.is_empty()
            && matches!(
                event.kind,
                EventKind::ExecutionStarted(_) | EventKind::ExecutionResumed(_)
            );
        match self.in_words(event) {
            Some(event) => {
                self.warn_of_end(&mut inner, &event);
                self.show(&mut inner, &event);
            }
            None => self.show(&mut inner, event),
        }
        if begins {
            self.show_later(&mut inner);
        }
        if inner.lost.is_some() {
            inner.displayer.leave();
        }
    }
}

/// How the execution of a state ended.
fn ended(state: &AgentState) -> RunEvent {
    let kind = ExecutionEnd::of(state).into();
    RunEvent { session: Some(state.session().clone()), ..RunEvent::new(kind) }
}

/// An error of the command.
pub(crate) fn failure(error: &Error) -> RunEvent {
    failure_with(error, error.hint())
}

fn failure_with(error: &Error, hint: Option<String>) -> RunEvent {
    let kind = EventKind::RunFailed { message: error.to_string(), hint };
    RunEvent { session: error.session().cloned(), ..RunEvent::new(kind) }
}
