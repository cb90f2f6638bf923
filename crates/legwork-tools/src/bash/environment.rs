//! The environment of a command: an allow-list of what the caller gives.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::sandbox::resolve;

/// Names that a command may see without being asked for; no secret has its
/// place in one of them. `LC_*` comes on top.
const ALLOWED: [&str; 16] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TZ",
    "TMPDIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "VIRTUAL_ENV",
];

/// The variables that a command sees, and no others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Keeps of `variables` what is known to be no secret.
    ///
    /// Kept are `PATH`, `HOME`, `LANG`, `LC_*`, `TERM`, `TZ`, `USER`, `TMPDIR`
    /// and the homes of a few toolchains. A caller hands in its own variables;
    /// the library reads none.
    pub fn filtered<K, V>(variables: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: Into<OsString>,
        V: Into<OsString>,
    {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self(variables.filter(|(name, _): &(OsString, _)| is_allowed(name)).collect())
    }

    /// Adds a variable that the caller wants the command to see.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The same, but for places that commands may write.
    ///
    /// What is started outside of a sandbox has to come from here: a command may put a
    /// program, or a link to one, into a place that it may write.
    #[must_use]
    pub fn program_outside(&self, name: &str, writable: &[&Path]) -> Option<PathBuf> {
        let writable: Vec<_> =
            writable.iter().filter_map(|place| place.canonicalize().ok()).collect();
        let outside = |place: &PathBuf| !writable.iter().any(|one| place.starts_with(one));
        let resolved = |place: &Path| resolve(place, &writable).ok().flatten().filter(outside);
        self.programs(name).find_map(|path| {
            let folder = resolved(path.parent()?)?;
            // By its name there: some programs are many, told apart by it.
            resolved(&path).map(|_| folder.join(name))
        })
    }

    /// The first program of that name on this environment's `PATH`.
    ///
    /// Relative places of the `PATH` are passed over: what they mean changes
    /// with the working directory, which the model may write to.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        self.programs(name).next()
    }

    /// All programs of that name, the first one on the `PATH` first.
    fn programs(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let places = self.get("PATH").unwrap_or_default();
        let absolute = std::env::split_paths(places).filter(|place| place.is_absolute());
        absolute.map(move |place| place.join(name)).filter(|path| {
            path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
        })
    }
}

fn is_allowed(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b"LC_") || ALLOWED.iter().any(|allowed| name == OsStr::new(allowed))
}
