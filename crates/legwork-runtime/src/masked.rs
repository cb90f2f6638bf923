//! Events for observers, with secrets masked.

use std::borrow::Cow;
use std::sync::Arc;

use legwork_core::mask::Stream;
use legwork_core::{Entry, Mask};
use legwork_port::{Delta, HookEnd, LiveEvent, Observer, Origin, Retry};

/// An observer that receives events with secrets masked.
///
/// Entries are masked before they are made. Pieces of an answer are masked where they are
/// assembled, because a secret may be split between two of them.
pub(crate) struct Masked {
    mask: Mask,
    observer: Arc<dyn Observer>,
}

impl Masked {
    /// The observer, behind a mask if there is one.
    pub(crate) fn by(mask: &Mask, observer: Arc<dyn Observer>) -> Arc<dyn Observer> {
        match mask.is_none() {
            true => observer,
            false => Arc::new(Self { mask: mask.clone(), observer }),
        }
    }

    fn tell(&self, origin: &Origin, event: &LiveEvent<'_>) {
        self.observer.live(origin, event);
    }

    fn tool(&self, origin: &Origin, event: &LiveEvent<'_>) {
        let mask = &self.mask;
        match *event {
            LiveEvent::ToolStarted { step, index, call } => {
                let masked = mask.masked(call);
                let call = masked.as_ref().unwrap_or(call);
                self.tell(origin, &LiveEvent::ToolStarted { step, index, call });
            }
            LiveEvent::ToolFinished { step, index, call, outcome, metadata } => {
                let (own_call, own_outcome) = (mask.masked(call), mask.masked(outcome));
                let own_metadata = mask.masked(metadata);
                let call = own_call.as_ref().unwrap_or(call);
                let outcome = own_outcome.as_ref().unwrap_or(outcome);
                let metadata = own_metadata.as_ref().unwrap_or(metadata);
                let told = LiveEvent::ToolFinished { step, index, call, outcome, metadata };
                self.tell(origin, &told);
            }
            ref other => self.tell(origin, other),
        }
    }

    fn error(&self, origin: &Origin, event: &LiveEvent<'_>) {
        let mask = &self.mask;
        match *event {
            LiveEvent::InferenceRetried { step, retry } => {
                let error = mask.text(retry.error);
                let retry = Retry { error: &error, ..retry };
                self.tell(origin, &LiveEvent::InferenceRetried { step, retry });
            }
            LiveEvent::InferenceFinished { step, id, at, took, usage, error } => {
                let masked = error.and_then(|error| mask.masked(error));
                let error = masked.as_ref().or(error);
                let told = LiveEvent::InferenceFinished { step, id, at, took, usage, error };
                self.tell(origin, &told);
            }
            LiveEvent::ExecutionFailed { error } => {
                let masked = mask.masked(error);
                let error = masked.as_ref().unwrap_or(error);
                self.tell(origin, &LiveEvent::ExecutionFailed { error });
            }
            LiveEvent::StopRaised { signal } => {
                let masked = mask.masked(signal);
                let signal = masked.as_ref().unwrap_or(signal);
                self.tell(origin, &LiveEvent::StopRaised { signal });
            }
            LiveEvent::ContinuationEvaluated { step, outcome } => {
                let masked = mask.masked(outcome);
                let outcome = masked.as_ref().unwrap_or(outcome);
                self.tell(origin, &LiveEvent::ContinuationEvaluated { step, outcome });
            }
            ref other => self.tell(origin, other),
        }
    }

    fn words(&self, origin: &Origin, event: &LiveEvent<'_>) {
        let mask = &self.mask;
        match *event {
            LiveEvent::Warning { message } => {
                let message = &*mask.text(message);
                self.tell(origin, &LiveEvent::Warning { message });
            }
            LiveEvent::JournalCut { damage } => {
                let damage = &*mask.text(damage);
                self.tell(origin, &LiveEvent::JournalCut { damage });
            }
            LiveEvent::ToolProgress { index, message } => {
                let message = &*mask.text(message);
                self.tell(origin, &LiveEvent::ToolProgress { index, message });
            }
            LiveEvent::HookExecuted { hook, trigger, took, end } => {
                let words = match end {
                    HookEnd::Failed(words) | HookEnd::Refused(words) => mask.text(words),
                    _ => Cow::Borrowed(""),
                };
                let end = match end {
                    HookEnd::Failed(_) => HookEnd::Failed(&words),
                    HookEnd::Refused(_) => HookEnd::Refused(&words),
                    end => end,
                };
                self.tell(origin, &LiveEvent::HookExecuted { hook, trigger, took, end });
            }
            ref other => self.tell(origin, other),
        }
    }
}

impl Observer for Masked {
    fn listens(&self) -> bool {
        self.observer.listens()
    }

    fn live(&self, origin: &Origin, event: &LiveEvent<'_>) {
        match event {
            LiveEvent::Delta { .. } => self.tell(origin, event),
            LiveEvent::ToolStarted { .. } | LiveEvent::ToolFinished { .. } => {
                self.tool(origin, event);
            }
            LiveEvent::Warning { .. }
            | LiveEvent::JournalCut { .. }
            | LiveEvent::ToolProgress { .. }
            | LiveEvent::HookExecuted { .. } => self.words(origin, event),
            other => self.error(origin, other),
        }
    }

    fn committed(&self, origin: &Origin, entries: &[Arc<Entry>]) {
        self.observer.committed(origin, entries);
    }
}

/// Pieces of an answer, masked across their borders.
pub(crate) struct Pieces {
    text: Stream,
    mask: Mask,
    /// The kind of the text that is held.
    kind: Kind,
}

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Arguments(usize),
}

impl Kind {
    fn of(self, piece: &str) -> Delta<'_> {
        match self {
            Self::Text => Delta::Text(piece),
            Self::Thinking => Delta::Thinking(piece),
            Self::Arguments(index) => Delta::Arguments { index, json: piece },
        }
    }
}

impl Pieces {
    /// Pieces behind a mask, if there is one.
    pub(crate) fn by(mask: &Mask) -> Option<Box<Self>> {
        let text = || Stream::new(mask.clone());
        let pieces = || Self { text: text(), mask: mask.clone(), kind: Kind::Text };
        (!mask.is_none()).then(|| Box::new(pieces()))
    }

    /// Adds a piece; returns what can be passed on now.
    pub(crate) fn push(&mut self, delta: Delta<'_>, mut tell: impl FnMut(Delta<'_>)) {
        let (kind, piece) = match delta {
            Delta::Text(text) => (Kind::Text, text),
            Delta::Thinking(text) => (Kind::Thinking, text),
            Delta::Arguments { index, json } => (Kind::Arguments(index), json),
            Delta::ToolCall { index, name } => {
                self.end(&mut tell);
                return tell(Delta::ToolCall { index, name: &self.mask.text(name) });
            }
            other => return tell(other),
        };
        if kind != self.kind {
            self.end(&mut tell);
            self.kind = kind;
        }
        let told = self.text.push(piece);
        if !told.is_empty() {
            tell(kind.of(&told));
        }
    }

    /// Ends the answer; returns the rest.
    pub(crate) fn end(&mut self, mut tell: impl FnMut(Delta<'_>)) {
        let rest = self.text.end();
        if !rest.is_empty() {
            tell(self.kind.of(&rest));
        }
    }

    /// Discards what is held.
    pub(crate) fn forget(&mut self) {
        self.text.end();
    }
}
