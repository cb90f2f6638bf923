//! From what a run tells to what displays show; the one observer of a run.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use legwork::agent::Control;
use legwork::core::{self, AgentState, Entry, ExecutionStatus};
use legwork::port::observer::LiveEvent;
use legwork::port::{Delta, Observer, Origin};

use super::actor::Actors;
use super::tool::Finished;
use super::{At, Displayer, End, Event, Subagent, ending, spinner};
use crate::error::Error;

/// How much something said later matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    Warning,
    Note,
}

/// The one observer of a run: hands everything to a display.
pub(crate) struct Screen {
    inner: Mutex<Inner>,
    control: Control,
    store_flag: String,
    /// Whether it is still to be told that somebody asked to leave it here.
    interrupting: AtomicBool,
    terminals: Terminals,
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
    /// What the person should know once there is a session.
    later: Vec<(Weight, Cow<'static, str>)>,
    /// Why the output cannot be written any more, if it cannot.
    lost: Option<io::Error>,
}

impl Screen {
    /// A screen that interrupts the run when its reader is gone.
    pub(crate) fn new(
        displayer: impl Displayer + 'static,
        control: Control,
        store_flag: String,
    ) -> Arc<Self> {
        let inner = Inner {
            displayer: Box::new(displayer),
            actors: Actors::default(),
            later: Vec::new(),
            lost: None,
        };
        let (inner, interrupting) = (Mutex::new(inner), AtomicBool::new(false));
        let terminals = Terminals::now();
        Arc::new(Self { inner, control, store_flag, interrupting, terminals })
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

    /// A session is taken up again where it stands.
    pub(crate) fn resumed(&self, state: &AgentState) {
        let mut inner = self.lock();
        inner.stand_at(state);
        self.begun(&mut inner, &Event::Resumed);
    }

    /// Something that the person should know.
    pub(crate) fn warn(&self, message: &str) {
        self.show(&mut self.lock(), &Event::Warning(message));
    }

    /// What is good to know, and no reason to do anything.
    pub(crate) fn note(&self, message: &str) {
        self.show(&mut self.lock(), &Event::Note(message));
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
            self.show(&mut inner, &Event::Warning(question));
        }
        let mut answer = String::new();
        // Who cannot be understood has not agreed.
        let read = std::io::stdin().read_line(&mut answer);
        let yes = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
        Some(read.is_ok() && yes)
    }

    /// Something that the person should know, said once there is a session.
    pub(crate) fn warn_later(&self, message: impl Into<Cow<'static, str>>) {
        self.lock().later.push((Weight::Warning, message.into()));
    }

    /// What is good to know, said once there is a session.
    pub(crate) fn note_later(&self, message: &'static str) {
        self.lock().later.push((Weight::Note, message.into()));
    }

    /// The command cannot go on.
    pub(crate) fn failed(&self, error: &Error) {
        let mut inner = self.lock();
        if let Some(session) = error.session() {
            inner.actors.session = Some(session.clone());
        }
        self.show(&mut inner, &Event::Failed(error));
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
            self.tell(inner, None, &Event::Interrupting);
        }
    }

    /// The run is over, for now or for good.
    pub(crate) fn ended(&self, state: &AgentState) {
        let mut inner = self.lock();
        inner.stand_at(state);
        let end = End { state, store_flag: &self.store_flag };
        if let Some(warning) = ending::warning(&end) {
            self.show(&mut inner, &Event::Warning(warning));
        }
        self.show(&mut inner, &Event::Ended(&end));
        if inner.lost.is_some() {
            inner.displayer.leave();
        }
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
        let at = At { session: Some(state.session()), ..At::default() };
        let gone = lost.kind() == io::ErrorKind::BrokenPipe || self.terminals.is_gone();
        let error =
            (!gone).then_some(Error::System { doing: "writing to standard output", source: lost });
        let end = End { state, store_flag: &self.store_flag };
        if error.is_none() && end.status() == ExecutionStatus::Completed {
            return None;
        }
        for event in error.iter().map(Event::Failed).chain([Event::Ended(&end)]) {
            // There is no third place to tell it.
            let _ = elsewhere.show(at, &event);
        }
        error
    }

    /// The run was over before; its answer is told once more.
    pub(crate) fn repeated(&self, state: &AgentState) {
        let text = state.final_response().map(|response| response.text());
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.show(&mut self.lock(), &Event::Repeated(&text));
        }
        self.ended(state);
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

    fn begun(&self, inner: &mut Inner, event: &Event<'_>) {
        self.show(inner, event);
        for (weight, message) in std::mem::take(&mut inner.later) {
            match weight {
                Weight::Warning => self.show(inner, &Event::Warning(&message)),
                Weight::Note => self.show(inner, &Event::Note(&message)),
            }
        }
    }

    fn show(&self, inner: &mut Inner, event: &Event<'_>) {
        self.show_from(inner, None, event);
    }

    fn show_from(&self, inner: &mut Inner, origin: Option<&Origin>, event: &Event<'_>) {
        self.tell_interrupting(inner);
        self.tell(inner, origin, event);
    }

    fn tell(&self, inner: &mut Inner, origin: Option<&Origin>, event: &Event<'_>) {
        if inner.lost.is_some() {
            return;
        }
        if let Err(error) = inner.displayer.show(inner.actors.at(origin), event) {
            inner.lost = Some(error);
            self.control.interrupt.cancel();
        }
    }

    fn show_live(&self, inner: &mut Inner, origin: &Origin, event: &LiveEvent<'_>) {
        let actor = inner.actors.of(origin);
        if let Some(step) = step_of(event) {
            actor.step = Some(step);
            actor.begun = Some(step);
        }
        let event = match event {
            LiveEvent::JournalCut { damage } => Event::JournalCut(damage),
            LiveEvent::Warning { message } => Event::Warning(message),
            LiveEvent::StepStarted { .. } => Event::StepStarted,
            LiveEvent::InferenceStarted { model, .. } => Event::InferenceStarted(model),
            LiveEvent::InferenceRetried { retry, .. } => Event::InferenceRetried(*retry),
            LiveEvent::Delta { delta: Delta::Text(text), .. } => Event::Text(text),
            LiveEvent::Delta { delta: Delta::ToolCall { name, .. }, .. } => Event::CallComing(name),
            LiveEvent::Delta { delta: Delta::Thinking(text), .. } => Event::Thinking(text),
            LiveEvent::ToolStarted { index, call, .. } => {
                actor.call_begins(*index, call);
                Event::ToolStarted { index: *index, call }
            }
            LiveEvent::ToolProgress { index, message } => {
                Event::ToolProgress { index: *index, message }
            }
            LiveEvent::ToolFinished { index, call, outcome, metadata, .. } => {
                let took = actor.call_ends(*index);
                let finished = Finished { call, outcome, metadata, took };
                Event::ToolFinished { index: *index, finished }
            }
            LiveEvent::SubagentStarted { index, agent, session } => {
                let task = actor.task(*index);
                let name = &*inner.actors.begins(origin, agent, session);
                let (index, task, steps) = (*index, task.as_deref(), None);
                let subagent = Subagent { index, agent, name, session, task, steps };
                let event = Event::SubagentStarted(&subagent);
                return self.show_from(inner, Some(origin), &event);
            }
            LiveEvent::SubagentFinished { index, agent, session, status, used } => {
                let ended = inner.actors.ends(session).unwrap_or_default();
                let name = if ended.name.is_empty() { agent } else { &*ended.name };
                let (index, task, steps) = (*index, None, ended.begun);
                let of = &Subagent { index, agent, name, session, task, steps };
                let event = Event::SubagentFinished { of, status, used };
                return self.show_from(inner, Some(origin), &event);
            }
            _ => return,
        };
        self.show_from(inner, Some(origin), &event);
    }

    fn show_entry(&self, inner: &mut Inner, origin: &Origin, entry: &Entry) {
        let actor = inner.actors.of(origin);
        let event = match &entry.event {
            core::Event::ExecutionStarted(started) if origin.is_root() => {
                return self.begun(inner, &Event::Started(&started.input));
            }
            core::Event::ExecutionStarted(started) => Event::Started(&started.input),
            core::Event::Defined(defined) => {
                actor.budget = defined.definition.budget.clone();
                return;
            }
            core::Event::ToolStarted(_) => {
                actor.spent.tool_calls += 1;
                return;
            }
            // What a subagent used, and a tool charged.
            core::Event::ToolFinished(finished) => {
                actor.spent = actor.spent.plus(&finished.used);
                return;
            }
            core::Event::Responded(responded) => {
                actor.usage = responded.response.usage;
                actor.spent = actor.spent.plus(&responded.charged);
                Event::Responded(responded)
            }
            core::Event::InferenceInterrupted(left) => {
                actor.spent = actor.spent.plus(&left.charged);
                return;
            }
            core::Event::InferenceFailed(failed) => {
                actor.spent = actor.spent.plus(&failed.charged);
                Event::Error(&failed.error)
            }
            core::Event::Failed(error) => Event::Error(error),
            core::Event::Answered(answered) => Event::Answered(&answered.answer),
            core::Event::StepFinished(body) => {
                let usage = actor.usage.take();
                actor.spent.steps += 1;
                let (spent, budget) = (actor.spent, actor.budget.clone());
                let (spent, budget) = (&spent, &budget);
                let event = Event::StepFinished { body, usage, spent, budget };
                self.show_from(inner, Some(origin), &event);
                inner.actors.of(origin).step_ends();
                return;
            }
            _ => return,
        };
        self.show_from(inner, Some(origin), &event);
    }
}

impl Inner {
    fn stand_at(&mut self, state: &AgentState) {
        self.actors.session = Some(state.session().clone());
        self.actors.root.stand_at(state);
    }
}

impl Observer for Screen {
    fn live(&self, origin: &Origin, event: &LiveEvent<'_>) {
        self.show_live(&mut self.lock(), origin, event);
    }

    fn committed(&self, origin: &Origin, entries: &[Arc<Entry>]) {
        let mut inner = self.lock();
        entries.iter().for_each(|entry| self.show_entry(&mut inner, origin, entry));
    }
}

fn step_of(event: &LiveEvent<'_>) -> Option<u32> {
    match event {
        LiveEvent::StepStarted { step }
        | LiveEvent::InferenceStarted { step, .. }
        | LiveEvent::InferenceRetried { step, .. }
        | LiveEvent::Delta { step, .. }
        | LiveEvent::ToolStarted { step, .. }
        | LiveEvent::ToolFinished { step, .. } => Some(*step),
        _ => None,
    }
}
