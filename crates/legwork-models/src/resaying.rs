//! An answer in several parts, as one stream.

use std::ops::ControlFlow;

use legwork_core::{Part, Response};
use legwork_port::model::{Delta, Deltas, Retry};

use crate::recited::pass;

/// Hands deltas on; says again what was said before, if an attempt at a further part fails.
pub(crate) struct Resaying<'d> {
    deltas: Option<&'d mut dyn Deltas>,
    /// The parts before the one under way.
    said: Vec<Part>,
    /// The attempts before them that may have cost money.
    charged: u32,
    /// The further requests; each is held as a failed attempt is.
    continued: u32,
}

impl<'d> Resaying<'d> {
    pub(crate) fn new(deltas: Option<&'d mut dyn Deltas>) -> Self {
        Self { deltas, said: Vec::new(), charged: 0, continued: 0 }
    }

    /// Notes what came so far, and asks whether there may be a further request.
    pub(crate) fn may_continue_after(&mut self, response: &Response) -> bool {
        self.said.clone_from(&response.message.parts);
        self.charged = response.paid_attempts();
        let may = self.continuing().is_continue();
        self.continued += u32::from(may);
        may
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
        let charged_attempts = self.charged + self.continued + retry.charged_attempts;
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

    fn continuing(&mut self) -> ControlFlow<()> {
        self.deltas.as_mut().map_or(ControlFlow::Continue(()), |deltas| deltas.continuing())
    }
}
