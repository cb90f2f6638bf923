//! The walls: what a confined command sees, as bubblewrap's arguments.

use std::ffi::OsString;
use std::path::Path;

use super::Features;
use crate::sandbox::git::Repositories;
use crate::sandbox::places::Places;
use crate::sandbox::policy::{Network, Policy};

/// Bytes that a command may keep in `/tmp`, which lies in memory.
const TEMP: u64 = 4 << 30;
/// The same for its home and for shared memory.
const PRIVATE: u64 = 1 << 30;
/// The same for a place that is hidden.
const HIDDEN: u64 = 16 << 20;

/// Read-only system, writable workspace, private `/tmp` and `/run`, a home
/// with toolchains only, own process, IPC, host name and user namespaces, no
/// capability, and no network unless the policy has it.
///
/// `/run` is private because its sockets (a container engine, an agent for
/// keys) reach out of the walls even without a network. The session of its own
/// comes from the guard.
pub(super) fn arguments(places: &Places, policy: &Policy, features: Features) -> Vec<OsString> {
    let mut walls = Walls { arguments: Vec::new(), features };
    walls.add(["--unshare-all", "--unshare-user", "--die-with-parent", "--cap-drop", "ALL"]);
    if features.disable_userns {
        walls.add(["--disable-userns"]);
    }
    if policy.network == Network::Host {
        walls.add(["--share-net"]);
    }
    walls.add(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    walls.empty(Path::new("/dev/shm"), PRIVATE);
    walls.add(["--remount-ro", "/dev"]);
    walls.empty(Path::new("/tmp"), TEMP);
    walls.add(["--setenv", "TMPDIR", "/tmp"]);
    for place in &places.hidden {
        let private = places.home.as_ref() == Some(place) || place.starts_with("/var/tmp");
        walls.hide(place, if private { PRIVATE } else { HIDDEN });
    }
    for place in &places.readable {
        walls.bind("--ro-bind-try", place);
    }
    for place in &places.writable {
        walls.bind("--bind", place);
    }
    for place in &places.masked {
        walls.hide(place, HIDDEN);
    }
    walls.protect(&places.repositories);
    let root = places.writable.first().map(|root| root.as_os_str().to_owned());
    walls.add([OsString::from("--chdir"), root.unwrap_or_default()]);
    walls.arguments
}

struct Walls {
    arguments: Vec<OsString>,
    features: Features,
}

impl Walls {
    fn add<const N: usize>(&mut self, arguments: [impl Into<OsString>; N]) {
        self.arguments.extend(arguments.map(Into::into));
    }

    fn bind(&mut self, how: &str, place: &Path) {
        self.add([OsString::from(how), place.into(), place.into()]);
    }

    fn empty(&mut self, place: &Path, bytes: u64) {
        if self.features.size {
            self.add(["--size".to_owned(), bytes.to_string()]);
        }
        self.add([OsString::from("--tmpfs"), place.into()]);
    }

    fn hide(&mut self, place: &Path, bytes: u64) {
        if place.is_dir() {
            self.empty(place, bytes);
        } else {
            self.add([OsString::from("--ro-bind"), "/dev/null".into(), place.into()]);
        }
    }

    /// A mount cannot be renamed, removed or replaced; so what is read-only
    /// stays where Git looks for it.
    fn protect(&mut self, repositories: &Repositories) {
        for git in &repositories.pinned {
            let how = if git.is_dir() { "--bind" } else { "--ro-bind" };
            self.bind(how, git);
        }
        for git in &repositories.frozen {
            self.bind("--ro-bind", git);
        }
        for directory in &repositories.directories {
            if directory.is_dir() {
                self.bind("--ro-bind", directory);
            } else {
                self.add([OsString::from("--tmpfs"), directory.into()]);
                self.add([OsString::from("--remount-ro"), directory.into()]);
            }
        }
        for file in &repositories.files {
            if file.is_file() {
                self.bind("--ro-bind", file);
            } else {
                self.add([OsString::from("--ro-bind"), "/dev/null".into(), file.into()]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
