//! What is remembered of projects, outside of them: in the person's own state folder.

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

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Records {
    pub(super) version: u32,
    /// What the person said of projects.
    #[serde(default)]
    pub(crate) projects: Vec<Record>,
    /// What instruction files said.
    #[serde(default)]
    pub(super) files: BTreeMap<Name, Known>,
    /// The folders whose files are known, all of them.
    #[serde(default)]
    pub(super) folders: BTreeSet<Name>,
    /// Where runs could write.
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

/// What the person said of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) path: Name,
    /// Who owned it then.
    owner: u32,
    /// Which folder it was; another one of the same name is another project.
    folder: Folder,
    pub(crate) decision: Decision,
    /// When, in milliseconds since 1970 UTC.
    pub(crate) since: u64,
    /// Other users whose files are taken too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) owners: Vec<u32>,
}

/// What the person decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    Trusted,
    /// It is not to be asked about again.
    Refused,
}

/// What tells a folder from another one that came into its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Folder {
    inode: u64,
    /// When it was made, in nanoseconds since 1970 UTC, where the file system says so.
    created: Option<u64>,
}

/// What is known of a file that tells an agent what to do; no digest means no file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// What the person answers for.
    pub(super) own: Option<Digest>,
    /// What was there when the last run that could write to it ended.
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

    /// Whether it is the same; a number is given anew where no time says more.
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

    /// Whether it is about the folder that is there now.
    pub(crate) fn holds(&self) -> bool {
        let path = &self.path.0;
        let owner = fs::metadata(path).map(|found| found.uid());
        owner.is_ok_and(|owner| owner == self.owner)
            && Folder::of(path).is_some_and(|now| self.folder.is(now))
    }
}

impl Records {
    /// What was said of a project, if that still holds.
    pub(crate) fn of(&self, project: &Project) -> Option<&Record> {
        let named = self.projects.iter().find(|record| record.path.0 == project.root);
        named.filter(|record| record.holds())
    }

    /// Remembers what the person says of a project.
    pub(crate) fn say(&mut self, project: &Project, decision: Decision, owners: Vec<u32>) {
        self.forget(&project.root);
        self.projects.extend(Record::new(project, decision, owners));
        self.projects.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// Forgets what was said of a folder; whether anything was.
    pub(crate) fn forget(&mut self, root: &Path) -> Option<Record> {
        let at = self.projects.iter().position(|record| record.path.0 == root)?;
        Some(self.projects.remove(at))
    }
}

/// Where it is kept.
pub(crate) fn place() -> Option<PathBuf> {
    Some(crate::place::home()?.join("trust"))
}
