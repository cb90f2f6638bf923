//! The value, shown while it arrives.

use std::ops::ControlFlow;

use legwork_port::{Delta, Deltas, Retry};

use crate::Mode;
use crate::Output;
use crate::output::Arriving;
use crate::partial;

/// Called with what has arrived of a value.
pub type OnPartial<'a> = Box<dyn FnMut(&partial::Value) + Send + 'a>;

/// Receives the pieces of an answer, and shows the value in them.
pub(super) struct Watch<'a, 'm> {
    arriving: Arriving,
    /// The call whose arguments are the value; none = it is in the text.
    call: Option<usize>,
    on_partial: &'a mut OnPartial<'m>,
}

impl<'a, 'm> Watch<'a, 'm> {
    pub(super) fn new<T>(
        output: &Output<T>,
        mode: Mode,
        on_partial: &'a mut OnPartial<'m>,
    ) -> Self {
        let call = (mode == Mode::ToolCall).then_some(0);
        Self { arriving: output.arriving(), call, on_partial }
    }
}

impl Deltas for Watch<'_, '_> {
    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        match (delta, self.call) {
            (Delta::Text(text), None) => self.arriving.push(text),
            (Delta::Arguments { index, json }, Some(call)) if index == call => {
                self.arriving.push(json);
            }
            _ => return ControlFlow::Continue(()),
        }
        if let Some(value) = self.arriving.value() {
            (self.on_partial)(&value);
        }
        ControlFlow::Continue(())
    }

    fn retrying(&mut self, _retry: Retry<'_>) -> ControlFlow<()> {
        self.arriving.restart();
        ControlFlow::Continue(())
    }
}
