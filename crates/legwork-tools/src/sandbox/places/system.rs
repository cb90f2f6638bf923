//! What of the system every command sees, and nothing else of it: a list.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
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
const SETTINGS: [&str; 44] = [
    "alternatives",
    "ca-certificates",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gai.conf",
    "gitattributes",
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
    "services",
    "shells",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "static",
    "terminfo",
    "timezone",
];

/// How the settings of a language's tools begin, whose names hold a version.
const OF_LANGUAGES: [&str; 4] = ["java", "perl", "php", "python"];

/// Information of the kernel about processors and limits.
const MACHINE: [&str; 4] = [
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
    "/var/lib/ca-certificates",
];

/// A place of the system that is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sandbox) enum Seen {
    /// The folder `source`, whose path has no symlinks, read-only at `place`.
    Folder { source: PathBuf, place: PathBuf },
    /// The regular file `source`, the same way.
    File { source: PathBuf, place: PathBuf },
    /// A symlink at `place`.
    Link { target: PathBuf, place: PathBuf },
}

impl Seen {
    /// What is shown, where it lies; none for a symlink.
    pub(in crate::sandbox) fn source(&self) -> Option<&Path> {
        match self {
            Self::Folder { source, .. } | Self::File { source, .. } => Some(source),
            Self::Link { .. } => None,
        }
    }

    /// The folder that is shown under its own path, if it is one.
    pub(in crate::sandbox) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder { source, place } if source == place => Some(place),
            _ => None,
        }
    }
}

/// Opens the files of a list, in its order, to be copied.
///
/// # Errors
/// When one cannot be read any more.
pub(in crate::sandbox) fn open_files(system: &[Seen]) -> io::Result<Vec<OwnedFd>> {
    let files = system.iter().filter_map(|seen| match seen {
        Seen::File { source, .. } => Some(source),
        Seen::Folder { .. } | Seen::Link { .. } => None,
    });
    files.map(|source| Ok(File::open(source)?.into())).collect()
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
    // No program listens at a directory or a regular file.
    let kind = source.symlink_metadata().ok()?.file_type();
    if kind.is_dir() {
        return Some(Seen::Folder { source, place });
    }
    // What cannot be read now cannot be read by a command either.
    let readable = kind.is_file() && File::open(&source).is_ok();
    readable.then_some(Seen::File { source, place })
}
