//! Trying out a `bwrap`: whether it works here, and what it can do.

use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Features, walls};
use crate::bash::Environment;
use crate::process::Mounts;
use crate::sandbox::error::Error;
use crate::sandbox::places::{Covers, Places};
use crate::sandbox::policy::Policy;
use crate::sandbox::scratch::Scratch;
use crate::sandbox::seccomp::{self, Sockets};

/// Characters kept of what bubblewrap says.
const SAID: usize = 500;
/// A directory that is hidden in a trial, and what lies in it.
const HIDDEN: &str = "hidden";
const INSIDE: &str = "inside";

/// Tries with all that this version says it knows, then without what only some
/// installations and systems can do.
///
/// What is tried are the walls around an empty directory, so that nothing of a workspace
/// decides.
///
/// # Errors
/// Why it does not work at all.
pub(super) fn features(program: &Path) -> Result<Features, Error> {
    let trial = Trial::new(program).map_err(|error| unusable(program, error.to_string()))?;
    let known = known(program);
    let weaker = [
        known,
        Features { mounts: false, ..known },
        Features { disable_userns: false, ..known },
        Features { disable_userns: false, mounts: false, ..known },
    ];
    let mut first = None;
    for features in weaker {
        match trial.run(features) {
            Ok(()) => return Ok(features),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or(Error::Missing))
}

/// What a `bwrap` calls itself.
pub(super) fn version(program: &Path) -> Option<String> {
    let mut asked = Command::new(program);
    let output = asked.arg("--version").env_clear().stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(|line| line.chars().take(SAID).collect())
}

/// The filter in a file that bubblewrap reads from its start.
///
/// # Errors
/// In words.
pub(super) fn filter() -> Result<OwnedFd, String> {
    let bytes = seccomp::filter(Sockets::Usual)?;
    let written = || {
        let file = rustix::fs::memfd_create("legwork-seccomp", rustix::fs::MemfdFlags::CLOEXEC)?;
        let mut file = File::from(file);
        file.write_all(&bytes)?;
        file.rewind()?;
        Ok(file.into())
    };
    written().map_err(|error: io::Error| format!("its filter cannot be written ({error})"))
}

pub(super) fn unusable(program: &Path, said: String) -> Error {
    Error::Unusable { program: program.to_owned(), said }
}

/// What it says that it knows.
fn known(program: &Path) -> Features {
    let help = Command::new(program).arg("--help").env_clear().stdin(Stdio::null()).output();
    let text = help.map(|help| [help.stdout, help.stderr].concat()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let knows = |option: &str| text.split_whitespace().any(|word| word == option);
    Features { disable_userns: knows("--disable-userns"), size: knows("--size"), mounts: true }
}

/// A directory that is empty, but for one that is hidden, and the walls around it.
struct Trial<'p> {
    program: &'p Path,
    directory: Scratch,
    places: Places,
}

impl<'p> Trial<'p> {
    fn new(program: &'p Path) -> io::Result<Self> {
        let directory = Scratch::new()?;
        let hidden = directory.path().join(HIDDEN);
        std::fs::create_dir(&hidden)?;
        File::create_new(hidden.join(INSIDE))?;
        let root = directory.path();
        let places = Places::of(root, &Environment::default(), &Policy::default());
        let mut places = places.map_err(io::Error::other)?;
        let writable = [root.to_owned()];
        let covers = Covers::new(&writable, &[], vec![hidden]);
        places.covers = covers.map_err(io::Error::other)?;
        Ok(Self { program, directory, places })
    }

    /// Runs a shell behind the walls, which looks that the hidden is.
    fn run(&self, features: Features) -> Result<(), Error> {
        let unusable = |said| unusable(self.program, said);
        let filter = filter().map_err(unusable)?;
        let hidden = self.directory.path().join(HIDDEN).join(INSIDE);
        let mut command = Command::new(self.program);
        command
            .args(walls::arguments(&self.places, &Policy::default(), features, &[]))
            .args(["--seccomp", "0", "--", "sh", "-c", "test -e \"$1\" || echo hidden", "sh"])
            .arg(&hidden)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .stdin(filter);
        if features.mounts {
            let mounts = Mounts::new(&self.places.mounts());
            mounts.map_err(|error| unusable(error.to_string()))?.install(&mut command);
        }
        let started = command.output();
        let ended = started.map_err(|error| unusable(format!("it cannot be started ({error})")))?;
        if !ended.status.success() {
            let text = String::from_utf8_lossy(&ended.stderr).into_owned();
            return Err(unusable(said(&text, ended.status)));
        }
        if features.mounts && ended.stdout != b"hidden\n" {
            return Err(unusable("it does not take over mounts".to_owned()));
        }
        Ok(())
    }
}

fn said(text: &str, status: std::process::ExitStatus) -> String {
    match text.trim() {
        "" => format!("its trial run ended with {status}"),
        text => text.chars().take(SAID).collect(),
    }
}
