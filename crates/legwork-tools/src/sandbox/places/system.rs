//! What of the system every command sees, and nothing else of it: a list.

use std::path::{Path, PathBuf};

/// Programs and libraries.
const PROGRAMS: [&str; 10] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
];

/// Files of `/etc` that programs look up and that hold no secret.
const SETTINGS: [&str; 53] = [
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "dpkg",
    "ethertypes",
    "fonts",
    "gai.conf",
    "gitattributes",
    "gitconfig",
    "gnutls",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "locale.conf",
    "localtime",
    "login.defs",
    "lsb-release",
    "magic",
    "mailcap",
    "manpath.config",
    "mime.types",
    "mke2fs.conf",
    "netconfig",
    "networks",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki/ca-trust",
    "pki/java",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "protocols",
    "redhat-release",
    "resolv.conf",
    "rpc",
    "services",
    "sgml",
    "shells",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "static",
    "terminfo",
    "timezone",
    "xml",
];

/// How the settings of a language's tools begin, whose names hold a version.
const OF_LANGUAGES: [&str; 6] = ["java", "jvm", "perl", "php", "python", "ruby"];

/// What the kernel tells of processors and of limits.
const MACHINE: [&str; 4] = [
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
    "/var/lib/ca-certificates",
];

/// A place of the system that is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sandbox) enum Seen {
    /// What is at `source`, which has no symlinks, read-only at `place`.
    Bound { source: PathBuf, place: PathBuf },
    /// A symlink at `place`.
    Link { target: PathBuf, place: PathBuf },
}

impl Seen {
    /// What is shown, where it lies; none for a symlink.
    pub(in crate::sandbox) fn source(&self) -> Option<&Path> {
        match self {
            Self::Bound { source, .. } => Some(source),
            Self::Link { .. } => None,
        }
    }
}

/// What is there of the list.
pub(in crate::sandbox) fn seen() -> Vec<Seen> {
    let etc = Path::new("/etc");
    let programs = PROGRAMS.iter().filter_map(|place| program(Path::new(place)));
    let entries = std::fs::read_dir(etc).into_iter().flatten().flatten();
    let of_language = |name: &str| OF_LANGUAGES.iter().any(|start| name.starts_with(start));
    let of_languages = entries
        .map(|entry| entry.path())
        .filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(of_language));
    let settings = SETTINGS.iter().map(|name| etc.join(name)).chain(of_languages);
    let machine = MACHINE.iter().map(PathBuf::from);
    programs.chain(settings.chain(machine).filter_map(bound)).collect()
}

fn program(place: &Path) -> Option<Seen> {
    match place.read_link() {
        Ok(target) => Some(Seen::Link { target, place: place.to_owned() }),
        Err(_) => bound(place.to_owned()),
    }
}

fn bound(place: PathBuf) -> Option<Seen> {
    let source = place.canonicalize().ok()?;
    // Nobody listens at a directory or a regular file.
    let kind = source.symlink_metadata().ok()?.file_type();
    (kind.is_dir() || kind.is_file()).then_some(Seen::Bound { source, place })
}
