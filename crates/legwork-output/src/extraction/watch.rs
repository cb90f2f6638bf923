//! The value, shown while it arrives.

use std::ops::ControlFlow;

use legwork_port::{Delta, Deltas, Retry};

use crate::Mode;
use crate::Output;
use crate::output::{Arriving, Shown};

/// Called with what has arrived of a value.
pub(super) type OnPartial<'a> = Box<dyn Shown + 'a>;

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
        on_partial.begin();
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
            self.on_partial.show(&value);
        }
        ControlFlow::Continue(())
    }

    fn retrying(&mut self, _retry: Retry<'_>) -> ControlFlow<()> {
        self.arriving.restart();
        self.on_partial.begin();
        ControlFlow::Continue(())
    }
}
