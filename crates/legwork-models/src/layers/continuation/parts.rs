//! The parts of an answer, joined.

use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_core::message::Text;
use legwork_core::{FinishReason, Part, Response};
use legwork_port::model::{Delta, Deltas, Retry};

use crate::layers::recited::pass;

/// Whether an answer of text alone was cut by its length limit.
pub(super) fn is_cut(response: &Response) -> bool {
    let is_text = |part: &Part| matches!(part, Part::Text(_) | Part::Thinking(_));
    let parts = &response.message.parts;
    response.finish == FinishReason::Length
        && response.incomplete.is_none()
        && parts.iter().all(is_text)
        && parts.iter().any(|part| part.as_text().is_some())
}

/// Two parts as one answer, which ends as the second does.
///
/// What the model thought before the second part is left out: it would split the text.
pub(super) fn joined(first: Response, second: Response) -> Response {
    let message = Arc::unwrap_or_clone(first.message);
    let mut parts = message.parts.clone();
    for part in &second.message.parts {
        match (part, parts.last_mut()) {
            (Part::Text(more), Some(Part::Text(text))) => append(text, more),
            (Part::Thinking(_), _) => {}
            (part, _) => parts.push(part.clone()),
        }
    }
    let usage = first.usage.zip(second.usage).map(|(first, second)| first.plus(&second));
    Response {
        message: Arc::new(message.with_parts(parts)),
        usage,
        came: first.came + second.came,
        charged_attempts: first.charged_attempts + second.charged_attempts,
        ..second
    }
}

fn append(text: &mut Text, more: &Text) {
    text.text.push_str(&more.text);
}

/// Hands deltas on; says again what was said before, if an attempt at a further part fails.
pub(super) struct Resaying<'d> {
    deltas: Option<&'d mut dyn Deltas>,
    /// The parts before the one under way.
    said: Vec<Part>,
    /// The failed attempts at them that may have cost money.
    charged: u32,
}

impl<'d> Resaying<'d> {
    pub(super) fn new(deltas: Option<&'d mut dyn Deltas>) -> Self {
        Self { deltas, said: Vec::new(), charged: 0 }
    }

    /// Notes what came so far.
    pub(super) fn said(&mut self, response: &Response) {
        self.said.clone_from(&response.message.parts);
        self.charged = response.charged_attempts;
    }
}

impl Deltas for Resaying<'_> {
    fn streams(&self) -> bool {
        self.deltas.as_ref().is_some_and(|deltas| deltas.streams())
    }

    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        self.deltas.as_mut().map_or(ControlFlow::Continue(()), |deltas| deltas.delta(delta))
    }

    fn retrying(&mut self, retry: Retry<'_>) -> ControlFlow<()> {
        let streams = self.streams();
        let Some(deltas) = &mut self.deltas else { return ControlFlow::Continue(()) };
        let again = streams && !self.said.is_empty();
        let charged_attempts = self.charged + retry.charged_attempts;
        deltas.retrying(Retry {
            discarded: retry.discarded || again,
            charged_attempts,
            ..retry
        })?;
        if again {
            let calls = &mut 0;
            self.said.iter().try_for_each(|part| pass(part, calls, &mut **deltas))?;
        }
        ControlFlow::Continue(())
    }
}
