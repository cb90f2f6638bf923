//! Taking the changes of one file back, in thought: what has to be there again.

use super::chain::{chains, is_of};
use super::{Change, Kind, Version};

/// The file that is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Whether it is a regular file or a link.
    pub kind: Kind,
    /// Its permission bits; those of a link do not count.
    pub mode: u32,
    /// Its bytes; of a link, its target.
    pub content: Vec<u8>,
}

/// What taking changes back comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Back {
    /// The file is as it was before the changes.
    Nothing,
    /// The file was made by the changes, and goes.
    Remove,
    /// The file has to become this one.
    Restore(Held),
}

/// Why changes cannot be taken back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Cannot {
    /// Something else changed it, and the changes were made on top of that.
    #[error("something else changed it between two changes of the session")]
    ChangedBetween,
    /// It is not what the changes left.
    #[error("it was changed since: {0}")]
    ChangedSince(&'static str),
    /// Not enough was recorded.
    #[error("what it held before is not recorded: {0}")]
    NotRecorded(&'static str),
}

/// What takes the changes of one file back, given what is there now; none for no file.
///
/// # Errors
/// Why they cannot be taken back.
pub fn back(changes: impl IntoIterator<Item = Change>, now: Option<&Held>) -> Result<Back, Cannot> {
    let mut chains = chains(changes).into_iter().flat_map(|(_, chains)| chains);
    let Some(chain) = chains.next() else { return Ok(Back::Nothing) };
    if chains.next().is_some() {
        return Err(Cannot::ChangedBetween);
    }
    let (before, after) = (chain.before(), chain.after());
    if chain.is_nothing() || differs(before, now).is_none() {
        return Ok(Back::Nothing);
    }
    if let Some(how) = differs(after, now) {
        return Err(match after.is_some_and(|after| after.digest.is_none()) {
            true => Cannot::NotRecorded("it is too large, so it is not known how it was left"),
            false => Cannot::ChangedSince(how),
        });
    }
    let Some(before) = before else { return Ok(Back::Remove) };
    let content = chain.back_from(now.map(|now| &*now.content)).flatten();
    let content = content.filter(|content| is_of(before, content));
    let content = content.ok_or(Cannot::NotRecorded("it was too large to be kept"))?;
    let mode = before.mode.or(now.map(|now| now.mode)).unwrap_or(0o644);
    Ok(Back::Restore(Held { kind: before.kind, mode, content }))
}

/// How what is there differs from a version; none if it does not.
fn differs(version: Option<&Version>, now: Option<&Held>) -> Option<&'static str> {
    let (version, now) = match (version, now) {
        (None, None) => return None,
        (Some(_), None) => return Some("it is gone"),
        (None, Some(_)) => return Some("it is there again"),
        (Some(version), Some(now)) => (version, now),
    };
    if version.kind != now.kind {
        return Some("it is another kind of file");
    }
    if !is_of(version, &now.content) {
        return Some("it has another content");
    }
    let mode = version.mode.filter(|_| now.kind == Kind::File);
    mode.is_some_and(|mode| mode != now.mode).then_some("it has another mode")
}
