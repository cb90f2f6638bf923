//! The numbers of a stream's events, by which none is read twice.

/// The numbers of a stream's events, over all its connections.
#[derive(Default)]
pub(super) struct Numbers {
    last: Option<u64>,
    /// Whether events of the first connection had none, or did not count up.
    are_useless: bool,
    /// Whether it is read over another connection than the first.
    is_resumed: bool,
    /// Whether a connection left events out.
    is_missing_some: bool,
}

impl Numbers {
    /// The number behind which another stream goes on; none if numbers say nothing.
    pub(super) fn last(&self) -> Option<u64> {
        self.last.filter(|_| !self.are_useless)
    }

    /// Begins with another connection.
    pub(super) fn resume(&mut self) {
        (self.is_resumed, self.is_missing_some) = (true, false);
    }

    /// Whether this connection has to be left, for events are missing.
    pub(super) fn is_missing_some(&self) -> bool {
        self.is_missing_some
    }

    /// Whether an event with this number is to be read: one of another connection only if it
    /// follows the last that was.
    pub(super) fn is_next(&mut self, number: Option<u64>) -> bool {
        if !self.is_resumed {
            self.are_useless |= number.is_none() || number <= self.last;
            self.last = number.or(self.last);
            return true;
        }
        let next = self.last.map(|last| last.saturating_add(1));
        let is_next = number.is_some() && number == next && !self.is_missing_some;
        self.is_missing_some |= number > next;
        if is_next {
            self.last = number;
        }
        is_next
    }
}
