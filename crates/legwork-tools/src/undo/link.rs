//! Whether changes of a file can be taken back once a later one is.

use crate::changes::{Cannot, Change};

/// Checks that a later change found what these left, and that what they found can be restored
/// from it.
///
/// # Errors
/// Why they cannot be taken back.
pub(super) fn goes_on(changes: &[Change], next: &Change) -> Result<(), Cannot> {
    let Some(last) = changes.last() else { return Ok(()) };
    let found = match (&last.after, &next.before) {
        (Some(left), Some(found)) => left.may_be(found),
        (left, found) => left.is_none() && found.is_none(),
    };
    if !found {
        return Err(Cannot::ChangedBetween);
    }
    match changes.iter().all(Change::is_reversible) {
        true => Ok(()),
        false => Err(Cannot::NotRecorded("it was too large to be kept")),
    }
}
