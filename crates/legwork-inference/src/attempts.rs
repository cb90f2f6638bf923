//! The attempts at an inference: what comes of them, and whether another may be made.

use std::ops::{ControlFlow, Range};

use legwork_account::Account;
use legwork_core::budget::{Amounts, BYTES_PER_OUTPUT_TOKEN, Budget, Dimension, LeftAttempt};
use legwork_core::inference::Incomplete;
use legwork_core::{Mask, Response};
use legwork_port::{Clock, Delta, Deltas, Emitter, Retry, model};

use crate::pieces::Pieces;
use crate::waits::Waits;

/// What is reserved for an inference.
#[derive(Debug, Clone)]
pub struct Reserved {
    /// What the agent's own limits left when it was asked.
    pub left: Budget,
    /// What is held for it.
    pub held: Amounts,
    /// How many tokens it may answer; none = as many as the model gives.
    pub max_output: Option<u64>,
}

/// The attempts at an inference: passes pieces of the answer on, counts them against what is
/// reserved, and says whether another attempt may be made.
pub struct Attempts<'a> {
    account: &'a Account,
    events: &'a Emitter,
    clock: &'a dyn Clock,
    reserved: Reserved,
    /// Whether observers get what comes.
    streams: bool,
    bytes: u64,
    cut: bool,
    /// The wait for the next attempt; in it none is under way.
    waits: &'a Waits,
    /// Deltas for observers; none if they are sent as they arrive.
    pieces: Option<Box<Pieces>>,
    /// Failed attempts that may have cost; as much is held again for each of them.
    charged_attempts: u32,
    /// The limit that forbids another attempt.
    forbids: Option<Dimension>,
}

impl<'a> Attempts<'a> {
    /// The attempts at an inference, none of which began.
    ///
    /// Observers get the pieces of the answer, masked, if it `streams` and one of them wants them.
    pub fn new(
        account: &'a Account,
        events: &'a Emitter,
        clock: &'a dyn Clock,
        reserved: Reserved,
        waits: &'a Waits,
    ) -> Self {
        let (pieces, forbids) = (None, None);
        let (streams, bytes, cut, charged_attempts) = (false, 0, false, 0);
        Self {
            account,
            events,
            clock,
            reserved,
            streams,
            bytes,
            cut,
            waits,
            pieces,
            charged_attempts,
            forbids,
        }
    }

    /// The same whose pieces go to observers, behind a mask, if one of them wants them.
    #[must_use]
    pub fn streaming(self, mask: &Mask) -> Self {
        Self { streams: self.events.streams(), pieces: Pieces::by(mask), ..self }
    }

    /// What is under way, and how much of its answer came.
    pub fn left(&self) -> LeftAttempt {
        let now = self.clock.mono();
        match self.waits.end() {
            Some(at) if now < at => LeftAttempt::None,
            _ if self.streams => LeftAttempt::Streamed(self.bytes),
            _ => LeftAttempt::Whole,
        }
    }

    /// How many attempts failed that may have cost money.
    pub fn charged_attempts(&self) -> u32 {
        self.charged_attempts
    }

    /// Ends the attempts: the answer says what was done to it here.
    pub fn finish(mut self, answer: &mut Result<Response, model::Error>) {
        let events = self.events;
        if let Some(pieces) = &mut self.pieces {
            pieces.end(|delta| events.emit(|| delta.into()));
        }
        match (answer, self.forbids) {
            (Ok(response), _) if self.cut => response.incomplete = Some(Incomplete::OverReserve),
            (Err(error), Some(limit)) => {
                let limit = limit.as_str().replace('_', " ");
                let why = format!(" (not tried again: the limit of {limit} does not allow it)");
                error.message.push_str(&why);
            }
            _ => {}
        }
    }
}

impl Attempts<'_> {
    fn forbidden(&self, attempts: Range<u32>) -> Option<Dimension> {
        self.account.forbids_attempt(&self.reserved.left, self.reserved.held, attempts)
    }
}

impl Deltas for Attempts<'_> {
    fn streams(&self) -> bool {
        self.streams
    }

    fn retrying(&mut self, retry: Retry<'_>) -> ControlFlow<()> {
        let charged = retry.charged_attempts;
        let attempts = self.charged_attempts..charged;
        if let Some(limit) = self.forbidden(attempts) {
            self.forbids = Some(limit);
            return ControlFlow::Break(());
        }
        (self.charged_attempts, self.bytes) = (charged, 0);
        self.pieces.iter_mut().for_each(|pieces| pieces.forget());
        self.waits.begin(self.clock.mono(), retry.wait.into());
        self.events.emit(|| retry.into());
        ControlFlow::Continue(())
    }

    fn continuing(&mut self) -> ControlFlow<()> {
        let next = self.charged_attempts + 1;
        let more = self.charged_attempts..next;
        if let Some(limit) = self.forbidden(more) {
            self.forbids = Some(limit);
            return ControlFlow::Break(());
        }
        (self.charged_attempts, self.bytes) = (next, 0);
        ControlFlow::Continue(())
    }

    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        if let Delta::Text(text) | Delta::Thinking(text) | Delta::Arguments { json: text, .. } =
            delta
        {
            self.bytes += text.len() as u64;
        }
        let events = self.events;
        match &mut self.pieces {
            _ if !self.streams => {}
            None => events.emit(|| delta.into()),
            Some(pieces) => pieces.push(delta, |delta| events.emit(|| delta.into())),
        }
        if self.reserved.max_output.is_some_and(|limit| self.bytes / BYTES_PER_OUTPUT_TOKEN > limit)
        {
            self.cut = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
