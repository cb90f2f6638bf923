//! The records of trust, kept outside of the projects in the user's state folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use legwork::core::digest::Digest;
use serde::{Deserialize, Serialize};

use super::name::Name;
use super::project::Project;
use crate::display::text::now;

/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// Decisions about projects, and the state of their files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Records {
    pub(super) version: u32,
    /// The user's decisions about projects.
    #[serde(default)]
    pub(crate) projects: Vec<Record>,
    /// The known files that instruct an agent.
    #[serde(default)]
    pub(super) files: BTreeMap<Name, Known>,
    /// The folders of which all files are known.
    #[serde(default)]
    pub(super) folders: BTreeSet<Name>,
    /// The places that runs could write to.
    #[serde(default)]
    pub(super) places: BTreeSet<Name>,
}

impl Default for Records {
    fn default() -> Self {
        let (projects, files) = (Vec::new(), BTreeMap::new());
        let (folders, places) = (BTreeSet::new(), BTreeSet::new());
        Self { version: VERSION, projects, files, folders, places }
    }
}

/// The user's decision about a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) path: Name,
    /// Its owner at that time.
    owner: u32,
    /// The identity of its folder; another folder at the same path is another project.
    folder: Folder,
    pub(crate) decision: Decision,
    /// The time of the decision, in milliseconds since 1970 UTC.
    pub(crate) since: u64,
    /// Other users whose files are used too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) owners: Vec<u32>,
}

/// What the user decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    Trusted,
    /// Not trusted, and not to be asked about again.
    Refused,
}

/// The identity of a folder, which differs from that of one that replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Folder {
    inode: u64,
    /// Its time of creation, in nanoseconds since 1970 UTC, where the file system has one.
    created: Option<u64>,
}

/// The state of a file that instructs an agent; no digest means no file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// The content that the user approved.
    pub(super) own: Option<Digest>,
    /// The content at the end of the last run that could write to it.
    pub(super) left: Option<Digest>,
}

impl Folder {
    fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        let created = found.created().ok();
        let created = created.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let created = created.and_then(|time| u64::try_from(time.as_nanos()).ok());
        Some(Self { inode: found.ino(), created })
    }

    /// Whether it is the same folder: inodes are reused, so the creation time goes first.
    fn is(self, now: Self) -> bool {
        match (self.created, now.created) {
            (Some(then), Some(now)) => then == now,
            _ => self.inode == now.inode,
        }
    }
}

impl Record {
    fn new(project: &Project, decision: Decision, owners: Vec<u32>) -> Option<Self> {
        let folder = Folder::of(&project.root)?;
        let (path, owner, since) = (Name(project.root.clone()), project.owner, now().0);
        Some(Self { path, owner, folder, decision, since, owners })
    }

    /// Whether the folder at its path is still the one that was decided about.
    pub(crate) fn holds(&self) -> bool {
        let path = &self.path.0;
        let owner = fs::metadata(path).map(|found| found.uid());
        owner.is_ok_and(|owner| owner == self.owner)
            && Folder::of(path).is_some_and(|now| self.folder.is(now))
    }
}

impl Records {
    /// The decision about a project, if it still holds.
    pub(crate) fn of(&self, project: &Project) -> Option<&Record> {
        let named = self.projects.iter().find(|record| record.path.0 == project.root);
        named.filter(|record| record.holds())
    }

    /// Records a decision about a project.
    pub(crate) fn say(&mut self, project: &Project, decision: Decision, owners: Vec<u32>) {
        self.forget(&project.root);
        self.projects.extend(Record::new(project, decision, owners));
        self.projects.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// Removes the decision about a folder, and returns it.
    pub(crate) fn forget(&mut self, root: &Path) -> Option<Record> {
        let at = self.projects.iter().position(|record| record.path.0 == root)?;
        Some(self.projects.remove(at))
    }
}

/// The folder that the records are kept in.
pub(crate) fn place() -> Option<PathBuf> {
    Some(crate::store_address::home()?.join("trust"))
}
