//! Which places a command sees, reads and writes; what each sandbox is made from.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::git::Repositories;
use super::policy::Policy;
use crate::bash::Environment;

/// Homes, other users' too; empty but for what is shown of them.
const HOMES: [&str; 2] = ["/home", "/root"];

/// What a system keeps from ordinary users, or what reaches out of the walls:
/// sockets of container engines and of agents for keys.
const SYSTEM: [&str; 21] = [
    "/run",
    "/var/run",
    "/var/tmp",
    "/var/lib/docker",
    "/var/lib/docker.sock",
    "/var/lib/containers",
    "/var/lib/containerd",
    "/var/lib/kubelet",
    "/var/lib/sudo",
    "/var/lib/private",
    "/var/spool/cron",
    "/var/backups",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/NetworkManager/system-connections",
    "/etc/krb5.keytab",
];

/// Of the home: toolchains and programs, which builds need. Read-only.
const TOOLCHAINS: [&str; 32] = [
    ".asdf",
    ".bun",
    ".cabal",
    ".cargo",
    ".deno",
    ".dotnet",
    ".fnm",
    ".ghcup",
    ".jenv",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/uv",
    ".m2/repository",
    ".nix-profile",
    ".nodenv",
    ".nvm",
    ".opam",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rvm",
    ".sdkman",
    ".swiftly",
    ".volta",
    "bin",
    "go",
    "miniconda3",
];

/// Variables that say where a toolchain lies.
const HOMES_OF_TOOLS: [&str; 6] =
    ["CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOROOT", "JAVA_HOME", "VIRTUAL_ENV"];

/// Files with keys inside what is shown of a home.
const CREDENTIALS: [&str; 2] = ["credentials", "credentials.toml"];

/// Places of a home that hold keys, for a workspace that is the home itself.
const SECRETS: [&str; 21] = [
    ".aws",
    ".azure",
    ".bash_history",
    ".config/gcloud",
    ".config/gh",
    ".config/legwork",
    ".docker",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".local/share/keyrings",
    ".local/state/legwork",
    ".mozilla",
    ".config/google-chrome",
    ".netrc",
    ".npmrc",
    ".password-store",
    ".pgpass",
    ".pypirc",
    ".ssh",
    ".vault-token",
];

/// Which places a command sees, each as the kernel resolves it, in the order
/// in which they are laid over one another.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The user's own, which is hidden but may be written to in private.
    pub(super) home: Option<PathBuf>,
    /// Empty, but for what follows.
    pub(super) hidden: Vec<PathBuf>,
    /// Shown again inside what is hidden, read-only.
    pub(super) readable: Vec<PathBuf>,
    /// The workspace first, then others.
    pub(super) writable: Vec<PathBuf>,
    /// Keys inside what is shown.
    pub(super) masked: Vec<PathBuf>,
    /// What of the repositories is read-only.
    pub(super) repositories: Repositories,
}

impl Places {
    /// What a command in the workspace `root` sees under a policy.
    pub(super) fn of(root: &Path, environment: &Environment, policy: &Policy) -> Self {
        let home = home(environment);
        let mut places = Self::default();
        places.hide(root, home.as_deref());
        places.show(environment, home.as_deref());
        places.readable.extend(policy.readable.iter().filter_map(|place| resolved(place)));
        places.writable.push(root.to_owned());
        places.writable.extend(policy.writable.iter().filter_map(|place| resolved(place)));
        places.mask(root, home.as_deref(), policy);
        places.repositories = Repositories::find(root);
        places.home = home;
        places
    }

    fn hide(&mut self, root: &Path, home: Option<&Path>) {
        let homes = HOMES.iter().map(Path::new).chain(home);
        for place in
            homes.chain(SYSTEM.iter().map(Path::new)).chain(host_keys().iter().map(AsRef::as_ref))
        {
            let Some(place) = resolved(place) else { continue };
            // What lies in the workspace is not hidden: it is to be worked on.
            if !place.starts_with(root) && !self.hidden.contains(&place) {
                self.hidden.push(place);
            }
        }
        // A place is hidden before what lies in it.
        self.hidden.sort();
    }

    fn show(&mut self, environment: &Environment, home: Option<&Path>) {
        let of_home = home.into_iter().flat_map(|home| TOOLCHAINS.map(|name| home.join(name)));
        let of_tools = HOMES_OF_TOOLS.iter().filter_map(|name| environment.get(name));
        let path = environment.get("PATH").unwrap_or(OsStr::new(""));
        let shown = of_home.chain(of_tools.map(PathBuf::from)).chain(std::env::split_paths(path));
        for place in shown.filter(|place| place.is_absolute()) {
            let Some(place) = resolved(&place) else { continue };
            let covered = self.readable.iter().any(|shown| place.starts_with(shown));
            if self.is_inside_hidden(&place) && !covered {
                self.readable.push(place);
            }
        }
        // Where a system keeps its programs below /run.
        self.readable.extend(resolved(Path::new("/run/current-system")));
    }

    fn mask(&mut self, root: &Path, home: Option<&Path>, policy: &Policy) {
        for shown in &self.readable {
            let keys = CREDENTIALS.iter().map(|name| shown.join(name));
            self.masked.extend(keys.filter_map(|key| resolved(&key)));
        }
        if let Some(home) = home.filter(|home| home.starts_with(root)) {
            self.masked.extend(SECRETS.iter().filter_map(|name| resolved(&home.join(name))));
        }
        self.masked.extend(policy.hidden.iter().filter_map(|place| resolved(place)));
        let chosen =
            |place: &PathBuf| policy.readable.contains(place) || policy.writable.contains(place);
        self.masked.retain(|place| !root.starts_with(place) && !chosen(place));
    }

    fn is_inside_hidden(&self, place: &Path) -> bool {
        self.hidden.iter().any(|hidden| place != hidden && place.starts_with(hidden))
    }
}

/// The home, if hiding it leaves a system.
fn home(environment: &Environment) -> Option<PathBuf> {
    let home = resolved(Path::new(environment.get("HOME")?))?;
    // One part, as in /usr, is a system's, but for root's own.
    let own = home.components().count() > 2 || home == Path::new("/root");
    own.then_some(home)
}

/// The place as the kernel resolves it, if it is there.
fn resolved(place: &Path) -> Option<PathBuf> {
    place.canonicalize().ok()
}

fn host_keys() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/etc/ssh").into_iter().flatten().flatten();
    let keys = entries.map(|entry| entry.path());
    keys.filter(|path| path.to_string_lossy().ends_with("_key")).collect()
}
