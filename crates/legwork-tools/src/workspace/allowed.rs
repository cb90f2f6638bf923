//! Directories that may be used besides a workspace, and what is kept out of it.

use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::fstat;

use super::{Access, Error, Inner, Workspace, path};
use crate::sandbox::{self, resolve};
use crate::secret::Secrets;

impl Workspace {
    /// The same with another directory, whose files are named by absolute paths.
    ///
    /// # Errors
    /// [`Error::Root`] when it is missing, no directory, or cannot be entered.
    pub fn allow(self, dir: impl AsRef<Path>, access: Access) -> Result<Self, Error> {
        let dir = dir.as_ref();
        let other = Self::open_as(dir, Some(access))?;
        let mut writable = self.writable();
        writable.extend(Some(other.root()).filter(|_| access == Access::ReadWrite));
        let writable: Vec<_> = writable.into_iter().map(Path::to_owned).collect();
        if let Err(sandbox::Error::Movable { link, .. }) = resolve(dir, &writable) {
            return Err(Error::Movable { path: dir.to_owned(), link });
        }
        let mut allowed = self.0.allowed.clone();
        allowed.push(other);
        // The narrowest of those that hold a path decides.
        allowed.sort_by_key(|other| std::cmp::Reverse(other.root().components().count()));
        self.with(&self.0.secrets, allowed)
    }

    /// The same, but for what is secret: it is neither read, listed, searched nor written,
    /// by any name.
    ///
    /// A secret that was allowed by name, as the workspace or besides it, is not one.
    ///
    /// # Errors
    /// [`Error::Root`] when no more files can be opened.
    pub fn keep_out(self, secrets: &Secrets) -> Result<Self, Error> {
        let roots: Vec<_> = self.roots().collect();
        let secrets = Arc::new(secrets.but_for(&roots));
        let allowed = self.0.allowed.iter();
        let allowed = allowed.map(|other| other.clone().with(&secrets, Vec::new()));
        let allowed = allowed.collect::<Result<_, _>>()?;
        self.with(&secrets, allowed)
    }

    fn roots(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.root()).chain(self.0.allowed.iter().map(Self::root))
    }

    fn with(&self, secrets: &Arc<Secrets>, allowed: Vec<Self>) -> Result<Self, Error> {
        let inner = &self.0;
        let handle = inner.handle.try_clone();
        let root = |source| Error::Root { path: inner.root.clone(), source };
        Ok(Self(Arc::new(Inner {
            given: inner.given.clone(),
            root: inner.root.clone(),
            handle: handle.map_err(root)?,
            access: inner.access,
            allowed,
            secrets: Arc::clone(secrets),
        })))
    }

    /// The directories that are allowed besides it, and what may be done beneath them.
    pub fn allowed(&self) -> impl Iterator<Item = (&Path, Access)> {
        let access = |other: &Self| other.0.access.unwrap_or(Access::ReadOnly);
        self.0.allowed.iter().map(move |other| (other.root(), access(other)))
    }

    /// The directories that may be written.
    pub(crate) fn writable(&self) -> Vec<&Path> {
        let writable = self.allowed().filter(|(_, access)| *access == Access::ReadWrite);
        std::iter::once(self.root()).chain(writable.map(|(path, _)| path)).collect()
    }

    /// The workspace and the directories that are allowed besides it.
    pub(crate) fn homes(&self) -> impl Iterator<Item = Self> {
        std::iter::once(self).chain(&self.0.allowed).cloned()
    }

    /// What may be done here; none for the workspace itself.
    pub(crate) fn access(&self) -> Option<Access> {
        self.0.access
    }

    /// Whether it is a directory that was allowed besides a workspace.
    pub(crate) fn is_additional(&self) -> bool {
        self.0.access.is_some()
    }

    /// The directory that a path lies beneath: the workspace, or one allowed besides it.
    ///
    /// By its spelling alone; the path is then resolved beneath it.
    pub(crate) fn home_of(&self, asked: &str) -> Self {
        let path = Path::new(asked);
        let holds = |home: &&Self| path::below(&[&home.0.root, &home.0.given], path).is_some();
        let others = self.0.allowed.iter().filter(|_| path.is_absolute());
        std::iter::once(self).chain(others).find(holds).unwrap_or(self).clone()
    }

    /// What may be done at a path whose symlinks are resolved: the narrowest of what holds it
    /// decides.
    pub(super) fn access_of(&self, real: &Path) -> Option<Access> {
        let holds = |home: &&Self| real.starts_with(home.root());
        let homes = std::iter::once(self).chain(&self.0.allowed).filter(holds);
        homes.max_by_key(|home| home.root().components().count())?.0.access
    }

    /// Refuses what is secret, or in a secret directory, by any name that it was opened with.
    pub(super) fn check_secret(&self, asked: &str, handle: &OwnedFd) -> Result<(), Error> {
        let real = std::fs::read_link(format!("/proc/self/fd/{}", handle.as_raw_fd()));
        let by_name = real.is_ok_and(|real| self.0.secrets.hold(&real));
        let by_identity = fstat(handle).is_ok_and(|stat| self.0.secrets.are(&stat));
        match by_name || by_identity {
            true => Err(Error::Secret { path: asked.to_owned() }),
            false => Ok(()),
        }
    }

    /// What is secret here.
    pub(crate) fn secrets(&self) -> &Arc<Secrets> {
        &self.0.secrets
    }
}
