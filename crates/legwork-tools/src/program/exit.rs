//! How a program ended.

use std::fmt;

use crate::bash::{Ending, wording};
use crate::process::End;
use crate::sandbox::Limits;

/// How a program ended; displayed as a phrase, such as `exit code 3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// None if it is not known: what watched the program is gone, and killed it.
    pub(super) end: Option<End>,
    pub(super) limits: Limits,
}

impl Exit {
    /// How it ended by itself; none if it was ended from outside.
    #[must_use]
    pub fn ending(self) -> Option<Ending> {
        self.end.and_then(Ending::from_end)
    }

    /// Whether it was killed because it took more than its limits allow.
    #[must_use]
    pub fn is_excess(self) -> bool {
        matches!(self.end, Some(End::Exceeded(_)))
    }

    /// Whether some of it could not be killed and may still run.
    #[must_use]
    pub fn is_stuck(self) -> bool {
        self.end == Some(End::Stuck)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(end) = self.end else {
            return f.write_str("killed with what watched it");
        };
        if let Some(how) = wording::by_itself(end, self.limits) {
            return f.write_str(&how);
        }
        f.write_str(match end {
            End::Killed => "killed, since it did not end when asked to",
            End::Stuck => "asked to end; some of it could not be killed and may still run",
            _ => "ended when asked to",
        })
    }
}
