//! What is secret on a machine: places that hold keys, passwords and private records.

mod below;
mod folders;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat, lstat};

use crate::repository::shared_place;
use crate::workspace::KeptOut;
pub(crate) use below::Below;
use folders::Folders;

/// Where homes of users lie, but for root's.
const HOMES: &str = "/home";

/// Of a home: keys, tokens, passwords, histories of shells, profiles of browsers.
const OF_HOME: [&str; 71] = [
    ".age",
    ".aws",
    ".azure",
    ".bash_history",
    ".boto",
    ".cache/huggingface/token",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".composer/auth.json",
    ".config/BraveSoftware",
    ".config/Signal",
    ".config/age",
    ".config/chromium",
    ".config/composer/auth.json",
    ".config/containers/auth.json",
    ".config/doctl",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/github-copilot",
    ".config/glab-cli",
    ".config/google-chrome",
    ".config/hcloud",
    ".config/hub",
    ".config/legwork",
    ".config/microsoft-edge",
    ".config/op",
    ".config/rclone",
    ".config/sops",
    ".databrickscfg",
    ".docker",
    ".fly",
    ".gem/credentials",
    ".gemini/oauth_creds.json",
    ".git-credentials",
    ".gnupg",
    ".gradle/gradle.properties",
    ".kube",
    ".local/share/fish/fish_history",
    ".local/share/gnupg",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/legwork",
    ".local/state/legwork",
    ".m2/settings-security.xml",
    ".m2/settings.xml",
    ".mozilla",
    ".my.cnf",
    ".mysql_history",
    ".netrc",
    ".node_repl_history",
    ".npmrc",
    ".oci",
    ".password-store",
    ".pgpass",
    ".pki",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".s3cfg",
    ".snowsql",
    ".ssh",
    ".subversion/auth",
    ".terraform.d/credentials.tfrc.json",
    ".thunderbird",
    ".vault-token",
    ".yarnrc.yml",
    ".zsh_history",
    "_netrc",
];

/// Of the system: what it keeps from ordinary users.
const OF_SYSTEM: [&str; 17] = [
    "/etc/NetworkManager/system-connections",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/krb5.keytab",
    "/etc/pki/tls/private",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssl/private",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/wireguard",
    "/var/backups",
    "/var/lib/docker",
    "/var/lib/kubelet",
    "/var/lib/private",
    "/var/lib/sudo",
    "/var/spool/cron",
];

/// Most files and folders of secret places that are looked at, for those with further names.
const LOOKED_AT: usize = 200_000;

/// Places that no tool opens and no command sees, with all that lies in them.
///
/// One is open all the same where it is allowed by name: a workspace, or a path that is
/// allowed besides it, that is the place itself or lies in it.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    places: BTreeSet<PathBuf>,
    /// What is secret once it is there; where a link is now, once it is something else.
    absent: BTreeSet<PathBuf>,
    /// Allowed by name; one of the places, or in one.
    open: Vec<PathBuf>,
    /// What lies there, by device and inode: it may have another name, too.
    identities: HashMap<(u64, u64), PathBuf>,
    /// The files of the store that this process writes.
    kept_out: KeptOut,
}

impl Secrets {
    /// What is secret on this machine: in the homes of users and of root, and of the system.
    ///
    /// `home` is the user's own.
    #[must_use]
    pub fn of_machine(home: Option<&Path>) -> Self {
        let others = std::fs::read_dir(HOMES).into_iter().flatten().flatten();
        let others = others.map(|entry| entry.path());
        let homes = others.chain([PathBuf::from("/root")]).chain(home.map(Path::to_owned));
        let of_homes = homes.flat_map(|home| OF_HOME.map(|name| home.join(name)));
        let own = [shared_place()];
        let of_system = OF_SYSTEM.iter().map(PathBuf::from).chain(host_keys()).chain(own);
        let (mut secrets, mut folders) = (Self::default(), Folders::default());
        of_homes.chain(of_system).for_each(|place| secrets.add(&place, &mut folders));
        secrets
    }

    /// The same with another place, be it there yet or not.
    #[must_use]
    pub fn with(mut self, place: impl AsRef<Path>) -> Self {
        self.add(place.as_ref(), &mut Folders::default());
        self
    }

    fn add(&mut self, place: &Path, folders: &mut Folders) {
        let place = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
        if place.file_name().is_none() {
            // The root, or what is above another place.
            return self.places.extend(place.canonicalize());
        }
        let Some(named) = folders.named(&place) else { return };
        match lstat(&named).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
            Ok(FileType::Symlink) => {
                self.places.extend(named.canonicalize());
                // Something else may take the place of a link.
                self.absent.insert(named);
            }
            Ok(_) => drop(self.places.insert(named)),
            Err(_) => drop(self.absent.insert(named)),
        }
    }

    /// The same with the files of the store that this process writes, be they there yet or
    /// not: no tool opens them, and no path that is allowed opens them either.
    #[must_use]
    pub fn with_store(mut self, path: impl AsRef<Path>) -> Self {
        self.kept_out = self.kept_out.with_store(path.as_ref());
        self
    }

    /// The same, but for what lies in paths that are allowed by name.
    pub(crate) fn but_for(&self, allowed: &[&Path]) -> Self {
        let named = |path: &&&Path| self.places.iter().any(|place| path.starts_with(place));
        let open = allowed.iter().filter(named).map(|path| path.to_path_buf()).collect();
        Self { open, ..self.clone() }.identified()
    }

    /// The same without some places.
    pub(crate) fn without(mut self, named: impl Fn(&Path) -> bool) -> Self {
        self.places.retain(|place| !named(place));
        self.absent.retain(|place| !named(place));
        self
    }

    /// Each of them that is there, as the kernel resolves it.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Path> {
        self.places.iter().map(PathBuf::as_path)
    }

    /// Each of them that is not there yet, or is a link.
    pub(crate) fn absent(&self) -> impl Iterator<Item = &Path> {
        self.absent.iter().map(PathBuf::as_path)
    }

    /// The files in them that have further names, by device and inode.
    pub(crate) fn linked(&self) -> BTreeSet<(u64, u64)> {
        self.files().into_iter().map(|(stat, _)| (stat.st_dev, stat.st_ino)).collect()
    }

    /// Whether a path, whose symlinks are resolved, is one of them or lies in one.
    pub(crate) fn hold(&self, real: &Path) -> bool {
        if self.kept_out.hold(real) {
            return true;
        }
        let is = |above: &Path| self.places.contains(above) || self.absent.contains(above);
        let secret = real.ancestors().any(is);
        secret && !self.open.iter().any(|open| real.starts_with(open))
    }

    /// Whether a file is one of them by another name.
    pub(crate) fn are(&self, stat: &Stat) -> bool {
        is_there(&self.identities, stat) || self.kept_out.are(stat)
    }

    /// The same, and what lies in them is known by other names, too.
    fn identified(mut self) -> Self {
        let files = self.files().into_iter();
        self.identities = files.map(|(stat, place)| ((stat.st_dev, stat.st_ino), place)).collect();
        self
    }

    /// The files in them that have further names.
    fn files(&self) -> Vec<(Stat, PathBuf)> {
        let mut files = Vec::new();
        let mut waiting: Vec<_> = self.places.iter().cloned().collect();
        let mut seen = 0_usize;
        while let Some(place) = waiting.pop() {
            seen = seen.saturating_add(1);
            if seen > LOOKED_AT {
                break;
            }
            if self.open.contains(&place) {
                continue;
            }
            let Ok(stat) = lstat(&place) else { continue };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => {
                    let entries = std::fs::read_dir(&place).into_iter().flatten().flatten();
                    waiting.extend(entries.map(|entry| entry.path()));
                }
                FileType::RegularFile if stat.st_nlink > 1 => files.push((stat, place)),
                _ => {}
            }
        }
        files
    }
}

/// Whether a file is the one that lies at a known place.
///
/// One that is gone gives its number to another file, so the place is looked at again.
fn is_there(known: &HashMap<(u64, u64), PathBuf>, stat: &Stat) -> bool {
    let identity = |stat: &Stat| (stat.st_dev, stat.st_ino);
    let now = known.get(&identity(stat)).and_then(|place| lstat(place).ok());
    now.is_some_and(|now| identity(&now) == identity(stat))
}

fn host_keys() -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir("/etc/ssh").into_iter().flatten().flatten();
    let keys = entries.map(|entry| entry.path());
    keys.filter(|path| path.to_string_lossy().ends_with("_key"))
}
