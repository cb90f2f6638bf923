//! The environment of a command: an allow-list of what the caller gives.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::sandbox::resolve;

/// Names that a command may see without being asked for; no secret has its
/// place in one of them. `LC_*` comes on top.
const ALLOWED: [&str; 24] = [
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
    // Files with certificates of those who may vouch for a server, which are public.
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];

/// The variables that a command sees, and no others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Keeps of `variables` what is known to be no secret.
    ///
    /// Kept are `PATH`, `HOME`, `LANG`, `LC_*`, `TERM`, `TZ`, `USER`, `TMPDIR`
    /// the homes of a few toolchains, and where certificates lie. A caller hands in its own variables;
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

    /// The first program of that name on this environment's `PATH`.
    ///
    /// Relative places of the `PATH` are passed over: what they mean changes
    /// with the working directory, which the model may write to.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        self.programs(name).next()
    }

    /// The first program of that name on this environment's `PATH` that no command can have
    /// put there.
    ///
    /// What is started outside of a sandbox has to come from here: a command may put a
    /// program, or a link to one, into a place that it may write. Passed over are the places
    /// that lie in `writable`, or in the repository that one of those is a part of, as
    /// environments of languages do.
    #[must_use]
    pub fn program_outside(&self, name: &str, writable: &[&Path]) -> Option<PathBuf> {
        let untrusted = self.untrusted(writable);
        self.programs(name).find_map(|path| {
            let folder = outside(path.parent()?, &untrusted)?;
            // By its name there: some programs are many, distinguished by it.
            outside(&path, &untrusted).map(|_| folder.join(name))
        })
    }

    /// The places of the `PATH` in which no command can have put a program; see
    /// [`program_outside`](Self::program_outside).
    #[must_use]
    pub fn path_outside(&self, writable: &[&Path]) -> OsString {
        let untrusted = self.untrusted(writable);
        let places = self.get("PATH").unwrap_or_default();
        let absolute = std::env::split_paths(places).filter(|place| place.is_absolute());
        let trusted = absolute.filter_map(|place| outside(&place, &untrusted));
        // What came of such a list has nothing in it that a list cannot hold.
        std::env::join_paths(trusted).unwrap_or_default()
    }

    /// What commands may write, and the repositories that it is a part of, but for a home.
    fn untrusted(&self, writable: &[&Path]) -> Vec<PathBuf> {
        let home = self.get("HOME").and_then(|home| Path::new(home).canonicalize().ok());
        let wide = |place: &Path| home.as_ref().is_some_and(|home| home.starts_with(place));
        let mut all: Vec<PathBuf> = Vec::new();
        for place in writable.iter().filter_map(|place| place.canonicalize().ok()) {
            let holds_git = |above: &&Path| above.join(".git").symlink_metadata().is_ok();
            let around = place.ancestors().find(holds_git).filter(|around| !wide(around));
            all.extend(around.map(Path::to_owned));
            all.push(place);
        }
        all
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

/// The place as the kernel resolves it, unless it lies in one of others.
fn outside(place: &Path, others: &[PathBuf]) -> Option<PathBuf> {
    let real = resolve(place, others).ok().flatten()?;
    (!others.iter().any(|other| real.starts_with(other))).then_some(real)
}

fn is_allowed(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b"LC_") || ALLOWED.iter().any(|allowed| name == OsStr::new(allowed))
}
