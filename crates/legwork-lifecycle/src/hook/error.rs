//! When an error was recorded.

use legwork_core::error::ErrorRecord;

use super::point::{constructor, point, prepares, stops, votes};

point! {
    /// An error that was recorded.
    ErrorSeen, Error, |_| true
}
stops!(ErrorSeen);
prepares!(ErrorSeen);
votes!(ErrorSeen);

impl ErrorSeen {
    /// The error.
    pub fn error(&self) -> Option<&ErrorRecord> {
        self.state.current_error()
    }
}

constructor! {
    /// A hook that runs when an error was recorded.
    on_error, ErrorSeen
}
