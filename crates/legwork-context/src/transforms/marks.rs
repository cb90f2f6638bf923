//! How much is left before something is dropped, and how much after.

/// A high and a low water mark: above the high one, as much is dropped as leaves the low one.
///
/// What is dropped changes the beginning of a request, and what the provider has cached of it
/// is lost. So much is dropped at once and rarely: half of it by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    /// At most as much stays.
    pub high: u64,
    /// As much is left when something was dropped.
    pub low: u64,
}

impl Marks {
    /// At most so much, and half of it after something was dropped.
    pub const fn up_to(high: u64) -> Self {
        Self { high, low: high / 2 }
    }

    /// The same, with as much left after something was dropped; never more than the high mark.
    #[must_use]
    pub const fn down_to(self, low: u64) -> Self {
        Self { low: if low < self.high { low } else { self.high }, ..self }
    }
}
