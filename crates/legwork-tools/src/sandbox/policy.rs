//! The walls: what a confined command sees, as bubblewrap's arguments.

use std::ffi::OsString;
use std::path::Path;

/// Places of a home that hold keys and tokens; empty inside the walls.
const SECRETS: [&str; 12] = [
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".docker",
    ".gnupg",
    ".kube",
    ".local/share/keyrings",
    ".netrc",
    ".password-store",
    ".ssh",
    ".git-credentials",
];

/// Read-only system, writable workspace, private `/tmp` and `/run`, no
/// network, own process, IPC, host name and user namespaces, no capability.
///
/// `/run` is private because its sockets (a container engine, an agent for
/// keys) reach out of the walls even without a network. The session of its own
/// comes from the guard.
pub(super) fn arguments(root: &Path, home: Option<&Path>) -> Vec<OsString> {
    let mut walls = Walls::default();
    walls.add(["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]);
    walls.add(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    walls.add(["--tmpfs", "/tmp", "--setenv", "TMPDIR", "/tmp", "--tmpfs", "/run"]);
    // Where a system keeps its programs below /run.
    walls.add(["--ro-bind-try", "/run/current-system", "/run/current-system"]);
    if Path::new("/var/tmp").is_dir() {
        walls.add(["--tmpfs", "/var/tmp"]);
    }
    walls.add([OsString::from("--bind"), root.into(), root.into()]);
    for secret in home.into_iter().flat_map(|home| SECRETS.map(|name| home.join(name))) {
        walls.hide(&secret, root);
    }
    walls.add([OsString::from("--chdir"), root.into()]);
    walls.0
}

#[derive(Default)]
struct Walls(Vec<OsString>);

impl Walls {
    fn add<const N: usize>(&mut self, arguments: [impl Into<OsString>; N]) {
        self.0.extend(arguments.map(Into::into));
    }

    /// Hides what is there, unless the workspace itself lies in it.
    fn hide(&mut self, place: &Path, root: &Path) {
        let Ok(place) = place.canonicalize() else {
            return;
        };
        if root.starts_with(&place) {
            return;
        }
        if place.is_dir() {
            self.add([OsString::from("--tmpfs"), place.into()]);
        } else {
            self.add([OsString::from("--ro-bind"), "/dev/null".into(), place.into()]);
        }
    }
}
