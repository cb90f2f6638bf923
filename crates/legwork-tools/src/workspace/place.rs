//! Where a file is or would be: a directory held open, and a name in it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use legwork_port::core::ToolSpec;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};
use rustix::io::Errno;
use serde_json::Value;

use crate::changes::mode_of;
use crate::repository::is_of_repository;

use super::draft::is_draft;
use super::kept_out::reopened;
use super::{Access, Error, Workspace, check_system, name_of, path, too_long};

/// How many symlinks are followed, as the kernel does (`MAXSYMLINKS`).
const LINKS_MAX: usize = 40;
/// Most bytes of one name (`NAME_MAX`) and of a path (`PATH_MAX`, less its NUL).
const NAME_MAX: usize = 255;
const PATH_MAX: usize = 4095;
/// Why nothing is written in `.git`.
const GITS: &str = "what lies in .git is git's own; use git commands";

/// A directory for [`super::Workspace::resolve`]; readable, so that it can be synced.
pub(super) const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The place of a file that may not exist yet.
///
/// The directory is held open, so that renaming it or swapping a symlink on
/// the way leads nowhere else. The name is never a symlink when found.
#[derive(Debug)]
pub(crate) struct Location {
    pub(super) workspace: Workspace,
    pub(super) asked: String,
    /// With the symlinks at its end resolved.
    pub(super) relative: PathBuf,
    /// The deepest directory on the way that exists.
    pub(super) directory: OwnedFd,
    /// The folders that are missing below it.
    pub(super) missing: Vec<OsString>,
    pub(super) name: OsString,
}

/// What is at a place, as it was at one moment.
#[derive(Debug)]
pub(crate) struct Current {
    pub(super) stat: Stat,
    pub(super) file: File,
    /// None when the file is larger than was asked for.
    pub(crate) content: Option<Vec<u8>>,
}

impl Current {
    /// Its permission bits.
    pub(crate) fn mode(&self) -> u32 {
        mode_of(&self.stat)
    }

    /// How many bytes the file has.
    pub(crate) fn size(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or(0)
    }
}

impl Workspace {
    /// Finds the place of a file; symlinks are followed as far as they stay inside.
    ///
    /// # Errors
    /// One that says why nothing can be there, fit for a model to read.
    pub(crate) fn place(&self, asked: &str) -> Result<Location, Error> {
        let home = self.home_of(asked);
        let place = home.place_in(asked)?;
        let read_only = |why| Err(Error::ReadOnly { path: asked.to_owned(), why });
        if path::is_gits(&place.relative) {
            return read_only(GITS);
        }
        home.check_write_in(asked, &home.root().join(place.real()), self)?;
        if is_draft(place.name.as_bytes()) {
            return read_only("files of such names are drafts that are removed; give another name");
        }
        Ok(place)
    }

    /// Checks that the file tools may write what has a path, of any file type: that it lies in
    /// the workspace or in what was allowed, holds no secret, and is not part of a repository.
    ///
    /// `real` is absolute, and the symlinks in its parent are resolved.
    ///
    /// # Errors
    /// Why they may not.
    pub fn check_write(&self, real: &Path) -> Result<(), Error> {
        let asked = real.to_string_lossy();
        let holds = |home: &Self| real != home.root() && real.starts_with(home.root());
        let homes = self.homes().filter(holds);
        match homes.max_by_key(|home| home.root().components().count()) {
            Some(home) => home.check_write_in(&asked, real, self),
            None => Err(Error::Outside { path: asked.into_owned() }),
        }
    }

    /// The same for a path in this directory of a workspace.
    fn check_write_in(&self, asked: &str, real: &Path, whole: &Self) -> Result<(), Error> {
        let read_only = |why| Err(Error::ReadOnly { path: asked.to_owned(), why });
        let below = real.strip_prefix(self.root()).unwrap_or(real);
        if whole.access_of(real) == Some(Access::ReadOnly) {
            return read_only("it lies where only reading is allowed; write in the workspace");
        }
        if self.0.secrets.hold(real) {
            return Err(Error::Secret { path: asked.to_owned() });
        }
        // A hook or a setting there is run when git is next used, outside any sandbox.
        if path::is_gits(below) {
            return read_only(GITS);
        }
        if is_of_repository(self.root(), below) {
            return read_only(
                "it lies in a repository of git, or would make one; use git commands",
            );
        }
        Ok(())
    }

    /// The key of the file that a call works on: one for all paths that lead to it, whether
    /// absolute, relative or through symlinks. A path that leads nowhere is taken as text.
    pub(crate) fn resource(&self, spec: &ToolSpec, arguments: &Value) -> Option<String> {
        let asked = arguments.get(spec.resource.as_deref()?)?.as_str()?;
        let place = self.home_of(asked).place_in(asked);
        place.map_or_else(|_| spec.resource_of(arguments), |place| Some(place.shown()))
    }

    fn place_in(&self, asked: &str) -> Result<Location, Error> {
        let mut relative = self.relative(asked)?;
        for _ in 0..LINKS_MAX {
            check_length(asked, &relative)?;
            let (parent, name) = self.split(asked, &relative)?;
            let (directory, missing) = self.deepest(asked, &parent)?;
            let link = match missing.is_empty() {
                true => readlinkat(&directory, &name, Vec::new()),
                false => Err(Errno::NOENT),
            };
            match link {
                Ok(target) => {
                    let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                    relative = self.followed(asked, &parent, &target)?;
                }
                Err(Errno::INVAL | Errno::NOENT) => {
                    let (workspace, asked) = (self.clone(), asked.to_owned());
                    return Ok(Location { workspace, asked, relative, directory, missing, name });
                }
                Err(errno) => return Err(self.explain(asked, &relative, errno)),
            }
        }
        Err(self.explain(asked, &relative, Errno::LOOP))
    }

    /// The directory and the name in it; an error where the path can only be a directory.
    fn split(&self, asked: &str, relative: &Path) -> Result<(PathBuf, OsString), Error> {
        let ends = asked.ends_with('/') || asked.ends_with("/.");
        match (relative.components().next_back(), relative.parent()) {
            (Some(Component::Normal(name)), Some(parent)) if !ends => {
                let here = parent.as_os_str().is_empty();
                let parent = if here { Path::new(".") } else { parent };
                Ok((parent.to_owned(), name.to_owned()))
            }
            _ => {
                let opened = self.resolve(relative, DIRECTORY);
                let hint = match opened {
                    Ok(_) => self.contents(relative),
                    Err(Errno::NOENT | Errno::NOTDIR) => {
                        "give a path that ends with the name of a file".to_owned()
                    }
                    Err(errno) => return Err(self.explain(asked, relative, errno)),
                };
                Err(Error::Directory { path: asked.to_owned(), hint })
            }
        }
    }

    /// The deepest directory of a path that exists, and the names below it that do not.
    fn deepest(&self, asked: &str, parent: &Path) -> Result<(OwnedFd, Vec<OsString>), Error> {
        let mut missing = Vec::new();
        let mut dir = parent;
        loop {
            match self.resolve(dir, DIRECTORY) {
                Ok(directory) => {
                    missing.reverse();
                    return Ok((directory, missing));
                }
                Err(Errno::NOENT) => {}
                Err(Errno::NOTDIR) => return Err(self.in_the_way(asked, dir)),
                Err(errno) => return Err(self.explain(asked, dir, errno)),
            }
            // What a `..` below something missing would mean is not known.
            let (Some(Component::Normal(name)), Some(above)) =
                (dir.components().next_back(), dir.parent())
            else {
                return Err(self.explain(asked, parent, Errno::NOENT));
            };
            missing.push(name.to_owned());
            dir = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        }
    }

    fn in_the_way(&self, asked: &str, dir: &Path) -> Error {
        let no_directory =
            |part: &&Path| self.resolve(part, OFlags::PATH | OFlags::CLOEXEC).is_ok();
        let part = dir.ancestors().find(no_directory).unwrap_or(dir);
        Error::InTheWay { path: asked.to_owned(), part: part.display().to_string() }
    }

    /// The path that a symlink in `parent` leads to.
    ///
    /// It need not be safe: whatever comes out is resolved beneath the root.
    fn followed(&self, asked: &str, parent: &Path, target: &Path) -> Result<PathBuf, Error> {
        if target.is_relative() {
            return Ok(parent.join(target));
        }
        if let Some(inner) = path::below(&[&self.0.root, &self.0.given], target) {
            return Ok(inner);
        }
        let outside = || Error::Outside { path: asked.to_owned() };
        let (above, name) = target.parent().zip(target.file_name()).ok_or_else(outside)?;
        let above = above.canonicalize().map_err(|_| outside())?;
        let inner = above.strip_prefix(&self.0.root).map_err(|_| outside())?;
        Ok(inner.join(name))
    }
}

impl Location {
    /// What is there now, with its content when it has at most `limit` bytes.
    ///
    /// # Errors
    /// When it is not a regular file, cannot be read, or changes meanwhile.
    pub(crate) fn current(&self, limit: u64) -> Result<Option<Current>, Error> {
        if !self.missing.is_empty() {
            return Ok(None);
        }
        let explain = |errno| self.workspace.explain(&self.asked, &self.relative, errno);
        // Looked at first, since opening a device may do something.
        match self.look() {
            Ok(stat) => self.check_kind(&stat)?,
            // A new file would be shown just like the one that was meant.
            Err(Errno::NOENT) if self.workspace.has_broken_twin(&self.relative) => {
                return Err(self.nothing());
            }
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(explain(errno)),
        }
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let seen =
            openat(&self.directory, &self.name, flags, Mode::empty()).map_err(
                |errno| match errno {
                    Errno::LOOP | Errno::NOENT => self.changed(),
                    errno => explain(errno),
                },
            )?;
        self.check_kind(&fstat(&seen).map_err(explain)?)?;
        self.workspace.check_regular(&self.asked, &self.relative, &seen)?;
        self.workspace.check_secret(&self.asked, &seen)?;
        let handle = reopened(&seen).map_err(explain)?;
        let stat = fstat(&handle).map_err(explain)?;
        let mut current = Current { stat, file: File::from(handle), content: None };
        if current.size() <= limit {
            current.content = Some(self.content(&current, limit)?);
        }
        Ok(Some(current))
    }

    /// The path as it is shown: from the root of the workspace, as it really is,
    /// without symlinks; absolute in a path that was allowed in addition to it.
    pub(crate) fn shown(&self) -> String {
        let real = self.real();
        let path = match self.workspace.0.access {
            None => real,
            Some(_) => self.workspace.root().join(real),
        };
        path.to_string_lossy().into_owned()
    }

    /// The path from the root as it really is.
    pub(super) fn real(&self) -> PathBuf {
        let link = format!("/proc/self/fd/{}", self.directory.as_raw_fd());
        let directory = std::fs::read_link(link).ok();
        let root = self.workspace.root();
        let inner = directory.as_deref().and_then(|real| real.strip_prefix(root).ok());
        let Some(inner) = inner else { return self.relative.clone() };
        let folders = self.missing.iter().fold(inner.to_owned(), |path, folder| path.join(folder));
        folders.join(&self.name)
    }

    /// That there is nothing here, and what is near.
    pub(crate) fn nothing(&self) -> Error {
        self.workspace.explain(&self.asked, &self.relative, Errno::NOENT)
    }

    pub(super) fn changed(&self) -> Error {
        Error::Changed { path: self.asked.clone() }
    }

    /// What has the name now, itself and not where it leads to.
    pub(super) fn look(&self) -> Result<Stat, Errno> {
        statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW)
    }

    fn check_kind(&self, stat: &Stat) -> Result<(), Error> {
        let path = self.asked.clone();
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => check_system(&self.asked, &self.directory),
            FileType::Directory => {
                Err(Error::Directory { path, hint: self.workspace.contents(&self.relative) })
            }
            FileType::Symlink => Err(self.changed()),
            kind => Err(Error::Special { path, kind: name_of(kind) }),
        }
    }

    fn content(&self, current: &Current, limit: u64) -> Result<Vec<u8>, Error> {
        let io = |source| Error::Io { path: self.asked.clone(), source };
        let mut content = Vec::new();
        let mut bounded = (&current.file).take(limit.saturating_add(1));
        bounded.read_to_end(&mut content).map_err(io)?;
        let now = fstat(current.file.as_fd()).map_err(|errno| io(errno.into()))?;
        // A file that says it is empty and is not belongs to the kernel.
        let whole = u64::try_from(content.len()).is_ok_and(|length| length == current.size());
        if !whole || !is_same(&current.stat, &now) {
            return Err(self.changed());
        }
        Ok(content)
    }
}

/// Whether a file is what it was: the same inode, neither written nor
/// changed in its attributes, as far as the clock of its file system shows.
pub(super) fn is_same(then: &Stat, now: &Stat) -> bool {
    (then.st_dev, then.st_ino, then.st_size) == (now.st_dev, now.st_ino, now.st_size)
        && (then.st_mode, then.st_nlink) == (now.st_mode, now.st_nlink)
        && (then.st_uid, then.st_gid) == (now.st_uid, now.st_gid)
        && (then.st_mtime, then.st_mtime_nsec) == (now.st_mtime, now.st_mtime_nsec)
        && (then.st_ctime, then.st_ctime_nsec) == (now.st_ctime, now.st_ctime_nsec)
}

fn check_length(asked: &str, relative: &Path) -> Result<(), Error> {
    let fits = |name: &OsStr| name.len() <= NAME_MAX;
    if relative.as_os_str().len() > PATH_MAX || !relative.iter().all(fits) {
        return Err(too_long(asked));
    }
    Ok(())
}
