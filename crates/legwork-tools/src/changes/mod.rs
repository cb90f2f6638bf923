//! What calls changed in files: kept with their results, told as one difference.
//!
//! `write` and `edit` leave a [`Change`] in the metadata of their result, under
//! [`METADATA`]; a journal holds it, and no model reads it. [`net()`] puts the changes of a
//! session together: what its files held before the first and after the last of them, as
//! a patch that `git apply` and `patch` read. Of a large file only the lines around a
//! change are kept.
//!
//! What `bash` changes is seen by looking at the files before and after a call. A command
//! in the background is not looked at: what it changes while another `bash` call runs is
//! told as that call's, and the rest is not told. The result that started it says so, under
//! [`UNWATCHED`].

mod lines;
mod net;
mod patch;
mod watch;

use legwork_port::core::digest::Digest;
use legwork_port::core::tool::Metadata;
use serde::{Deserialize, Serialize};

pub use net::{FileChange, net};
pub(crate) use watch::Watch;

use crate::diff::{around, count_lines};

/// The name of changes in the metadata of a result: a list of [`Change`]s.
pub const METADATA: &str = "changes";

/// The name under which a result says why changes that it may have made are not in it.
pub const UNWATCHED: &str = "changes_unwatched";

/// Most bytes of text kept of a change, before and after together.
const KEPT_MAX: usize = 512 * 1024;

/// A change of one file, as the call that made it saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The path from the root of the workspace; absolute where it lies elsewhere.
    pub path: String,
    /// What was there before; none if there was no file.
    pub before: Option<Version>,
    /// What is there since; none if there is no file any more.
    pub after: Option<Version>,
    /// The lines that differ; none where they are no text, are not known, or are too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
}

/// What a file held at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// How many bytes.
    pub bytes: u64,
    /// The digest of its bytes; none where nobody read them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// Lines that were replaced, with a few around them that stayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lines {
    /// How many lines the file had before.
    pub of: u64,
    /// How many lines come before them.
    pub skipped: u64,
    /// The lines before the change, with their endings.
    pub before: String,
    /// The lines after it.
    pub after: String,
}

impl Version {
    /// Whether another may be the same, as far as is known of both.
    fn may_be(&self, other: &Self) -> bool {
        let known = self.digest.as_ref().zip(other.digest.as_ref());
        self.bytes == other.bytes && known.is_none_or(|(one, other)| one == other)
    }

    fn of(content: &[u8]) -> Self {
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        Self { bytes, digest: Some(Digest::of_bytes(content)) }
    }
}

impl Change {
    /// The change from one content to another; none stands for no file.
    pub(crate) fn between(path: String, before: Option<&[u8]>, after: Option<&[u8]>) -> Self {
        let lines = differing(before.unwrap_or_default(), after.unwrap_or_default());
        Self { path, before: before.map(Version::of), after: after.map(Version::of), lines }
    }

    /// The same where what was there before is too large to be read.
    pub(crate) fn of_unread(path: String, bytes: u64, after: &[u8]) -> Self {
        let before = Some(Version { bytes, digest: None });
        Self { path, before, after: Some(Version::of(after)), lines: None }
    }

    /// The changes in the metadata of a result; none where there are none that can be read.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Vec<Self> {
        let kept = metadata.get(METADATA).cloned();
        kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
    }
}

fn differing(old: &[u8], new: &[u8]) -> Option<Lines> {
    let (start, end) = around(old, new);
    let middle = |text: &[u8]| -> Option<String> {
        let middle = text.get(start..text.len().checked_sub(end)?)?;
        let kept = middle.len() <= KEPT_MAX && !middle.contains(&0);
        std::str::from_utf8(middle).ok().filter(|_| kept).map(str::to_owned)
    };
    let (before, after) = (middle(old)?, middle(new)?);
    if before.len().saturating_add(after.len()) > KEPT_MAX {
        return None;
    }
    let count = |text: &[u8]| u64::try_from(count_lines(text)).unwrap_or(u64::MAX);
    let skipped = count(old.get(..start).unwrap_or_default());
    Some(Lines { of: count(old), skipped, before, after })
}
