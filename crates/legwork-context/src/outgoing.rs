//! The request that is being built, and what identifies it beside the one before.

use std::sync::Arc;

use legwork_core::event::RequestSent;
use legwork_core::{Message, ModelRequest, Transcript};

use crate::chain::{self, Parameters};
use crate::pipeline::Shown;
use crate::report::Report;

/// The request that is being built, as far as its digest needs it.
#[derive(Default)]
pub(crate) struct Outgoing {
    /// The messages that were made last, and not sent.
    made: Option<Made>,
    /// Whether hooks changed the messages of the request before.
    was_changed: bool,
    parameters: Parameters,
}

/// Messages that were made.
struct Made {
    report: Report,
    last: Option<[u8; 32]>,
    ends: Option<(Arc<Message>, Arc<Message>)>,
    /// Whether hooks changed them.
    is_changed: bool,
}

impl Outgoing {
    /// Takes in the messages that a request is built of.
    pub(crate) fn made(&mut self, shown: Shown) -> Transcript {
        let (messages, mut report, last) = shown.into_parts();
        // What was made and not sent stands between this request and the one before.
        if let Some(unsent) = &self.made {
            report.kept = report.kept.min(unsent.report.kept);
        }
        if self.was_changed {
            report.kept = None;
        }
        let all = messages.messages();
        let ends = all.first().cloned().zip(all.last().cloned());
        self.made = Some(Made { report, last, ends, is_changed: false });
        messages
    }

    /// The tokens of the messages; none if none were made.
    pub(crate) fn tokens(&self) -> Option<u64> {
        self.made.as_ref().map(|made| made.report.tokens.total())
    }

    /// Notes that hooks put another request in the place of the one that was built.
    pub(crate) fn changed(&mut self, built: &ModelRequest, sent: &ModelRequest) {
        let (built, sent) = (built.messages(), sent.messages());
        let same = built.iter().zip(sent.iter()).all(|(one, two)| Arc::ptr_eq(one, two));
        let is_changed = !same || sent.len() < built.len();
        self.made.iter_mut().for_each(|made| made.is_changed = is_changed);
    }

    /// What identifies a request that is about to be sent; none if no messages were made for it.
    pub(crate) fn identify(&mut self, request: &ModelRequest) -> Option<RequestSent> {
        let Made { report, last, ends, is_changed } = self.made.as_ref()?;
        let parameters = self.parameters.of(request);
        let sent = request.messages();
        let is_end = |one: &Arc<Message>, at: Option<&Arc<Message>>| {
            at.is_some_and(|sent| Arc::ptr_eq(one, sent))
        };
        let covered = report.messages;
        let is_whole = ends.as_ref().is_none_or(|(first, end)| {
            is_end(first, sent.first()) && is_end(end, sent.get(covered.saturating_sub(1)))
        });
        let is_rendered = request.is_rendered() && sent.len() == covered;
        Some(match (is_whole || is_rendered) && !is_changed {
            true => chain::of_request(covered, last.as_ref(), report.kept, request, &parameters),
            false => chain::of_request(0, None, None, request, &parameters),
        })
    }

    /// The request was sent: the next one is compared with it.
    pub(crate) fn sent(&mut self) {
        self.was_changed = self.made.take().is_some_and(|made| made.is_changed);
    }
}
