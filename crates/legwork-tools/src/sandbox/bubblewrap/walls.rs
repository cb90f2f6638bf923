//! The walls: what a confined command sees, as bubblewrap's arguments.

use std::ffi::OsString;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use super::Features;
use crate::sandbox::network::Network;
use crate::sandbox::places::{Held, Places, Seen};
use crate::sandbox::policy::Policy;

/// Bytes that a command may keep in `/tmp`, which lies in memory.
const TEMP: u64 = 4 << 30;
/// The same for its home, for `/var/tmp` and for shared memory.
const PRIVATE: u64 = 1 << 30;
/// The same for a place that is hidden.
const HIDDEN: u64 = 16 << 20;

/// Nothing but the system that is listed, toolchains and what was allowed, read-only; the
/// workspace and what may be written besides; a private `/tmp` and home; own process, IPC,
/// host name and user namespaces, no capability, and no network unless the policy has it.
///
/// No path inside of what may be written is named here: bubblewrap follows symbolic links,
/// which a command that still runs may change. What is protected there was mounted before.
/// The session of its own comes from the guard.
///
/// `files` are the files of the system, opened: they are copied, for a mount of each takes
/// its time. Without them they are mounted.
pub(super) fn arguments(
    places: &Places,
    policy: &Policy,
    features: Features,
    files: &[OwnedFd],
) -> Vec<OsString> {
    let mut walls = Walls { arguments: Vec::new(), features };
    walls.add(["--unshare-all", "--unshare-user", "--die-with-parent", "--cap-drop", "ALL"]);
    if features.disable_userns {
        walls.add(["--disable-userns"]);
    }
    match policy.network {
        Network::Off => {}
        // One with hosts is the command's own, and was entered before.
        Network::Hosts(_) | Network::All => walls.add(["--share-net"]),
    }
    walls.system(&places.system, files);
    for (place, bytes) in [("/tmp", TEMP), ("/var/tmp", PRIVATE)] {
        walls.empty(Path::new(place), bytes);
    }
    walls.add(["--setenv", "TMPDIR", "/tmp"]);
    if let Some(home) = &places.home {
        walls.empty(home, PRIVATE);
    }
    for place in places.bound() {
        walls.bind("--ro-bind", place, place);
    }
    walls.mask(&places.masked.now(), places.readable.iter().map(Held::path));
    for place in places.writable.iter().map(Held::path) {
        walls.bind("--bind", place, place);
    }
    walls.add(["--remount-ro", "/"]);
    walls.add([OsString::from("--chdir"), places.root.clone().into()]);
    walls.arguments
}

/// The directories that lie in memory, as a command sees them.
pub(super) fn private(places: &Places) -> Vec<PathBuf> {
    let usual = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    usual.into_iter().chain(places.home.clone()).collect()
}

struct Walls {
    arguments: Vec<OsString>,
    features: Features,
}

impl Walls {
    fn add<const N: usize>(&mut self, arguments: [impl Into<OsString>; N]) {
        self.arguments.extend(arguments.map(Into::into));
    }

    fn bind(&mut self, how: &str, source: &Path, place: &Path) {
        self.add([OsString::from(how), source.into(), place.into()]);
    }

    /// The system, processes and devices, of which nothing can be written: root may change
    /// the machine by files of `/proc`.
    fn system(&mut self, system: &[Seen], files: &[OwnedFd]) {
        let mut files = files.iter();
        for seen in system {
            match seen {
                Seen::Folder { source, place } => self.bind("--ro-bind", source, place),
                Seen::File { source, place } => match files.next() {
                    Some(file) => {
                        let file = file.as_raw_fd().to_string();
                        self.add([OsString::from("--file"), file.into(), place.into()]);
                    }
                    None => self.bind("--ro-bind", source, place),
                },
                Seen::Link { target, place } => self.bind("--symlink", target, place),
            }
        }
        self.add(["--dir", "/run", "--symlink", "../run", "/var/run"]);
        self.add(["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]);
        self.empty(Path::new("/dev/shm"), PRIVATE);
        self.add(["--remount-ro", "/dev"]);
    }

    fn empty(&mut self, place: &Path, bytes: u64) {
        if self.features.size {
            self.add(["--size".to_owned(), bytes.to_string()]);
        }
        self.add([OsString::from("--tmpfs"), place.into()]);
    }

    /// Hides places outside of what may be written, which no command can move, but for what
    /// may be read in them; and hidden places in that.
    fn mask<'p>(&mut self, masked: &'p [PathBuf], readable: impl Iterator<Item = &'p Path>) {
        let in_masked = |place: &&Path| masked.iter().any(|masked| place.starts_with(masked));
        let shown = readable.filter(in_masked).map(|place| (place, true));
        let mut all: Vec<_> = masked.iter().map(|place| (place.as_path(), false)).collect();
        all.extend(shown);
        // An outer place comes before those in it.
        all.sort();
        let mut folders = Vec::new();
        for (at, (place, is_shown)) in all.iter().enumerate() {
            let before = all.iter().take(at).rev();
            let mut around = before.filter(|(above, _)| place.starts_with(above));
            let around_is_shown = around.next().is_none_or(|(_, is_shown)| *is_shown);
            if *is_shown == around_is_shown {
                continue;
            }
            if *is_shown {
                self.bind("--ro-bind", place, place);
            } else if place.is_dir() {
                self.empty(place, HIDDEN);
                folders.push(*place);
            } else {
                self.bind("--ro-bind", Path::new("/dev/null"), place);
            }
        }
        for folder in folders {
            self.add([OsString::from("--remount-ro"), folder.into()]);
        }
    }
}

#[cfg(test)]
mod tests;
