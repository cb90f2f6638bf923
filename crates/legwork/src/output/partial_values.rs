//! What has arrived of an output, from the events of a run.

use std::sync::{Arc, Mutex, PoisonError};

use legwork_output::Output;
use legwork_output::output::{Arriving, Shown};
use legwork_port::{EventKind, Observer, RunEvent};

/// Calls a function with what has arrived of an output.
pub(super) struct PartialValues<F>(Mutex<Watched<F>>);

struct Watched<F> {
    on_partial: F,
    arriving: Arriving,
    /// The name of the tool whose arguments are the value.
    tool: Arc<str>,
    from: From,
}

/// Where the value arrives.
#[derive(Clone, Copy, PartialEq)]
enum From {
    Text,
    /// The arguments of the call at this index.
    Call(u32),
}

impl<F: Shown> PartialValues<F> {
    pub(super) fn new<T>(output: &Output<T>, on_partial: F) -> Self {
        let tool = Arc::clone(output.name());
        Self(Mutex::new(Watched {
            on_partial,
            arriving: output.arriving(),
            tool,
            from: From::Text,
        }))
    }
}

impl<F: Shown> Watched<F> {
    fn restart(&mut self, from: From) {
        self.arriving.restart();
        self.on_partial.begin();
        self.from = from;
    }

    fn push(&mut self, piece: &str) {
        self.arriving.push(piece);
        if let Some(value) = self.arriving.value() {
            self.on_partial.show(&value);
        }
    }
}

impl<F: Shown> Observer for PartialValues<F> {
    fn observe(&self, event: &RunEvent) {
        if !event.path.is_empty() {
            return;
        }
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.kind {
            EventKind::InferenceStarted { .. } | EventKind::InferenceRetried { .. } => {
                watched.restart(From::Text);
            }
            EventKind::ToolCallDelta { index, tool } if **tool == *watched.tool => {
                watched.restart(From::Call(*index));
            }
            EventKind::ToolArgumentsDelta { index, json } if watched.from == From::Call(*index) => {
                watched.push(json);
            }
            EventKind::TextDelta { text } if watched.from == From::Text => watched.push(text),
            _ => {}
        }
    }
}
