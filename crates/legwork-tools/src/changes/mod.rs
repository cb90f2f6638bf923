//! What calls changed in files: kept with their results, shown as one difference.
//!
//! `write` and `edit` leave a [`Change`] in the metadata of their result, under
//! [`METADATA`]; a journal holds it, and no model reads it. [`net()`] puts the changes of a
//! session together: what its files held before the first and after the last of them, as
//! a patch that `git apply` reads. Of a large file only the lines around a change are kept;
//! of what is not text both contents. [`back()`] says what a file has to be for its changes
//! to be taken back.
//!
//! What `bash` changes is seen by looking at the files before and after a call. A command
//! in the background is not looked at: what it changes while another `bash` call runs is
//! reported as that call's, and the rest is not reported. The result that started it says so, under
//! [`UNWATCHED`].

mod binary;
mod chain;
mod content;
mod lines;
mod net;
mod patch;
mod undo;
mod watch;

use legwork_port::core::digest::Digest;
use legwork_port::core::tool::Metadata;
use rustix::fs::Stat;
use serde::{Deserialize, Serialize};

pub use content::Content;
pub use net::{FileChange, net};
pub use undo::{Back, Cannot, Held, back};
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
    /// What is there since; none if the file is gone.
    pub after: Option<Version>,
    /// The lines that differ; none if they are not text, are not known, or are too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// How many folders were made for the file; none if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folders: Option<u32>,
}

/// What is recorded of a file at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Its size in bytes.
    pub bytes: u64,
    /// The digest of its bytes; none if they were not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// What it is. The content of a symbolic link is its target.
    #[serde(default, skip_serializing_if = "Kind::is_file")]
    pub kind: Kind,
    /// Its permission bits; none for a link, and if they were not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// Its bytes, if a change cannot be given in lines and they are not too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
}

/// The kind of a file: regular or a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A regular file.
    #[default]
    File,
    /// A symbolic link.
    Link,
}

impl Kind {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
    fn is_file(&self) -> bool {
        *self == Self::File
    }
}

/// Lines that were replaced, with a few around them that stayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lines {
    /// How many lines the file had before.
    pub of: u64,
    /// The number of lines before them that are the same.
    pub skipped: u64,
    /// The lines before the change, with their endings.
    pub before: String,
    /// The lines after the change.
    pub after: String,
}

impl Version {
    /// Whether another may be the same, as far as is known of both.
    pub(crate) fn may_be(&self, other: &Self) -> bool {
        let known = self.digest.as_ref().zip(other.digest.as_ref());
        let modes = self.mode.zip(other.mode);
        (self.bytes, self.kind) == (other.bytes, other.kind)
            && known.is_none_or(|(one, other)| one == other)
            && modes.is_none_or(|(one, other)| one == other)
    }

    /// Whether both are known to have the same bytes, and to be of one kind.
    fn has_bytes_of(&self, other: &Self) -> bool {
        self.digest.is_some() && self.digest == other.digest && self.kind == other.kind
    }

    /// A regular file.
    pub(crate) fn file(content: &[u8], mode: Option<u32>) -> Self {
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        let digest = Some(Digest::of_bytes(content));
        Self { bytes, digest, kind: Kind::File, mode, content: None }
    }

    /// A symbolic link.
    pub(crate) fn link(target: &[u8]) -> Self {
        Self { kind: Kind::Link, ..Self::file(target, None) }
    }

    /// A regular file that was not read.
    pub(crate) fn unread(bytes: u64, mode: Option<u32>) -> Self {
        Self { bytes, digest: None, kind: Kind::File, mode, content: None }
    }
}

impl Change {
    /// The change from one version to another, with the content of each where it is known;
    /// none means no file.
    pub(crate) fn between(path: String, before: Option<Side<'_>>, after: Option<Side<'_>>) -> Self {
        let both = bytes_of(before.as_ref()).zip(bytes_of(after.as_ref()));
        let (old, new) = (before.map(|side| side.0), after.map(|side| side.0));
        let kind = |side: &Option<Version>| side.as_ref().map(|version| version.kind);
        let lines = both.and_then(|(before, after)| match kind(&old) == kind(&new) {
            // Only its mode is another one.
            true if before == after => differing(before, after, (before.len(), 0)),
            true => differing(before, after, around(before, after)),
            // A patch removes what was there, whole, and makes something else.
            false => differing(before, after, (0, 0)),
        });
        let mut change = Self { path, before: old, after: new, lines, folders: None };
        if let Some((before, after)) = both.filter(|_| change.lines.is_none()) {
            change.keep(before, after);
        }
        change
    }

    /// The same of a file for which so many folders were made.
    pub(crate) fn with_folders(self, folders: u32) -> Self {
        Self { folders: Some(folders), ..self }
    }

    /// Whether what was there before can be made of what was there after.
    pub(crate) fn is_reversible(&self) -> bool {
        let Some(before) = &self.before else { return true };
        let stayed = self.after.as_ref().is_some_and(|after| after.has_bytes_of(before));
        before.content.is_some() || self.lines.is_some() || stayed
    }

    /// Keeps what was there before and after, where that is not too much.
    fn keep(&mut self, before: &[u8], after: &[u8]) {
        if before.len().saturating_add(after.len()) > KEPT_MAX {
            return;
        }
        for (version, content) in [(&mut self.before, before), (&mut self.after, after)] {
            if let Some(version) = version {
                version.content = Some(Content::of(content));
            }
        }
    }

    /// Bytes that are kept of it.
    pub(crate) fn kept(&self) -> usize {
        let of = |version: &Option<Version>| {
            version.as_ref().and_then(|version| version.content.as_ref()).map_or(0, Content::len)
        };
        let lines = self.lines.as_ref().map_or(0, |lines| lines.before.len() + lines.after.len());
        lines.saturating_add(of(&self.before)).saturating_add(of(&self.after))
    }

    /// The paths of the changes in the metadata of a result.
    pub(crate) fn paths(metadata: &Metadata) -> impl Iterator<Item = &str> {
        let kept = metadata.get(METADATA).and_then(|kept| kept.as_array());
        kept.into_iter().flatten().filter_map(|change| change.get("path")?.as_str())
    }

    /// The changes in the metadata of a result; none where there are none that can be read.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Vec<Self> {
        let kept = metadata.get(METADATA).cloned();
        kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
    }
}

/// The permission bits of a file.
#[allow(clippy::useless_conversion, reason = "their width differs by architecture")]
pub(crate) fn mode_of(stat: &Stat) -> u32 {
    u32::from(stat.st_mode) & 0o7777
}

/// A version, and its bytes where they are known.
pub(crate) type Side<'a> = (Version, Option<&'a [u8]>);

/// The bytes of a side: none if they are not known, empty if there is no file.
fn bytes_of<'a>(side: Option<&Side<'a>>) -> Option<&'a [u8]> {
    side.map_or(Some(&[]), |side| side.1)
}

/// The lines between a start and an end that stayed.
fn differing(old: &[u8], new: &[u8], (start, end): (usize, usize)) -> Option<Lines> {
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
