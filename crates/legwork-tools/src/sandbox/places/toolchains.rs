//! Toolchains that are not the system's: of the home, of variables, of the `PATH`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::bash::Environment;

/// Of the home: toolchains and programs, which builds need.
const OF_HOME: [&str; 32] = [
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
const VARIABLES: [&str; 6] =
    ["CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOROOT", "JAVA_HOME", "VIRTUAL_ENV"];

/// Folders that hold much else; a toolchain lies in one, it is not one.
const SHARED: [&str; 16] = [
    "/",
    "/boot",
    "/etc",
    "/home",
    "/media",
    "/mnt",
    "/opt",
    "/root",
    "/run",
    "/srv",
    "/tmp",
    "/usr",
    "/usr/local",
    "/var",
    "/var/lib",
    "/var/tmp",
];

/// File systems of the kernel's own.
const KERNEL: [&str; 3] = ["/dev", "/proc", "/sys"];

/// The folders of toolchains outside of what a command may write, as the kernel resolves
/// them.
///
/// One that lies in a place that may be written is seen there; its name is not followed,
/// for a command may lead it elsewhere.
pub(super) fn folders(
    environment: &Environment,
    home: Option<&Path>,
    writable: &[PathBuf],
) -> Vec<PathBuf> {
    let of_home = home.into_iter().flat_map(|home| OF_HOME.map(|name| home.join(name)));
    let of_variables = VARIABLES.iter().filter_map(|name| environment.get(name));
    let path = environment.get("PATH").unwrap_or(OsStr::new(""));
    let of_path = std::env::split_paths(path).flat_map(|place| with_libraries(place, home));
    let named = of_home.chain(of_variables.map(PathBuf::from)).chain(of_path);
    let mut found: Vec<PathBuf> = Vec::new();
    for place in named.filter(|place| place.is_absolute()) {
        let Ok(Some(place)) = super::held::resolve(&place, writable) else { continue };
        let within = |others: &[PathBuf]| others.iter().any(|other| place.starts_with(other));
        let above = |other: &Path| other.starts_with(&place);
        let shared = SHARED.iter().any(|shared| place == Path::new(shared))
            || KERNEL.iter().any(|kernel| place.starts_with(kernel));
        let wide = shared || home.is_some_and(above) || writable.iter().any(|one| above(one));
        if !wide && !within(writable) && !within(&found) && (place.is_dir() || place.is_file()) {
            found.push(place);
        }
    }
    found
}

/// Folders next to the programs of a toolchain that they need.
const SIBLINGS: [&str; 12] = [
    "conf",
    "include",
    "jmods",
    "jre",
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "pkg",
    "pyvenv.cfg",
    "share",
    "src",
];

/// A folder of programs, with the folders next to it that they need.
fn with_libraries(place: PathBuf, home: Option<&Path>) -> Vec<PathBuf> {
    let of_home = home.is_some_and(|home| place.starts_with(home));
    let programs = place.file_name().is_some_and(|name| name == "bin" || name == "sbin");
    let around = place.parent().filter(|_| programs && !of_home).map(Path::to_owned);
    let siblings = around.into_iter().flat_map(|around| SIBLINGS.map(|name| around.join(name)));
    let siblings: Vec<_> = siblings.collect();
    [place].into_iter().chain(siblings).collect()
}
