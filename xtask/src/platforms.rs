//! `cargo xtask platforms`: what is portable uses nothing of one system, and compiles for others.
//!
//! Code is read, for that works on each machine: a path or a crate of one system without a `cfg`
//! is an error. A program with the default features is then checked for each of the other systems
//! whose standard library is installed.

use std::path::Path;
use std::process::Command;

use crate::cargo::{self, Package};
use crate::no_arguments;
use crate::outside::Outside;
use crate::sources::{self, Source};

mod code;
#[cfg(test)]
mod tests;

/// The crates that build on any system that tokio runs on.
const PORTABLE: &[&str] = &[
    "legwork-core",
    "legwork-port",
    "legwork-clock",
    "legwork-account",
    "legwork-inference",
    "legwork-memory",
    "legwork-toolset",
    "legwork-lifecycle",
    "legwork-session",
    "legwork-runtime",
    "legwork-agent",
    "legwork-orchestrate",
    "legwork-worker",
    "legwork-acp",
    "legwork-models",
    "legwork-context",
    "legwork-output",
    "legwork-web",
    "legwork-otel",
    "legwork-mcp",
    "legwork-mcp-server",
    "legwork-store",
    "legwork-definitions",
    "legwork-macros",
    "legwork",
];

/// Crates of one system, which a portable one may depend on for that system only.
const OF_A_SYSTEM: &[&str] = &[
    "caps",
    "inotify",
    "landlock",
    "libc",
    "linux-raw-sys",
    "nix",
    "procfs",
    "rustix",
    "seccompiler",
    "windows",
    "windows-sys",
];

/// Crates of the workspace that build on Linux only: optional for a portable one.
const ON_LINUX: &[&str] = &["legwork-tools"];

/// A file that may name something of one system, what, and why.
struct Exception {
    file: &'static str,
    names: &'static str,
    #[allow(dead_code, reason = "for who reads the table")]
    why: &'static str,
    /// The system that nothing compiles for while it stands.
    hinders: Option<&'static str>,
}

const EXCEPTIONS: &[Exception] = &[Exception {
    file: "crates/legwork-store/src/lock.rs",
    names: "\"/proc/",
    why: "it is looked for at run time, and done without",
    hinders: None,
}];

/// Other systems, by the names that `rustup target add` takes.
const TARGETS: &[&str] = &["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];

/// Prints what was checked and fails on what one system alone has.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    no_arguments(args)?;
    let mut wrong = in_code(&sources::all()?);
    wrong.extend(cargo::metadata()?.packages.iter().flat_map(in_dependencies));
    println!("{} crates read: {} uses of one system", PORTABLE.len(), wrong.len());
    let program = Outside::copy_of("hello-agent")?;
    wrong.extend(cargo::tree(&mut program.cargo())?.iter().filter_map(|one| in_program(one)));
    wrong.extend(TARGETS.iter().filter_map(|target| compile(&program, target).err()));
    match wrong.as_slice() {
        [] => Ok(()),
        wrong => Err(format!("not portable:\n  {}", wrong.join("\n  "))),
    }
}

/// What the code of portable crates names of one system, and exceptions that nothing needs.
fn in_code(sources: &[Source]) -> Vec<String> {
    let is_portable = |source: &&Source| {
        let path = source.path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"));
        path.is_some_and(|(krate, _)| PORTABLE.contains(&krate)) && !source.is_test()
    };
    let mut needed = vec![false; EXCEPTIONS.len()];
    let mut wrong = Vec::new();
    for source in sources.iter().filter(is_portable) {
        for (line, names) in code::of_a_system(&source.text) {
            let allowed = |it: &Exception| it.file == source.path && it.names == names;
            match EXCEPTIONS.iter().zip(&mut needed).find(|(it, _)| allowed(it)) {
                Some((_, needed)) => *needed = true,
                None => wrong.push(format!(
                    "{}:{line}: `{names}` without a `cfg`: put #[cfg(..)] on the item or statement",
                    source.path
                )),
            }
        }
    }
    let stale = EXCEPTIONS.iter().zip(needed).filter(|(_, needed)| !needed);
    wrong.extend(stale.map(|(it, _)| {
        format!("{} has no `{}` any more: take its exception out", it.file, it.names)
    }));
    wrong
}

/// What a portable crate depends on that one system alone has.
fn in_dependencies(package: &Package) -> Vec<String> {
    if !PORTABLE.contains(&package.name.as_str()) {
        return Vec::new();
    }
    let built = package.dependencies.iter().filter(|it| it.kind.as_deref() != Some("dev"));
    let of_a_system = built.filter(|it| {
        let name = it.name.as_str();
        let everywhere = OF_A_SYSTEM.contains(&name) && it.target.is_none();
        everywhere || (ON_LINUX.contains(&name) && !it.optional)
    });
    of_a_system.map(|it| format!("{} -> {}: for one system only", package.name, it.name)).collect()
}

/// What a program with the default features is built of that Linux alone has.
fn in_program(name_and_version: &str) -> Option<String> {
    let name = name_and_version.split(' ').next()?;
    let of_linux = ["landlock", "linux-raw-sys", "procfs", "seccompiler"];
    let is_one = ON_LINUX.contains(&name) || of_linux.contains(&name);
    is_one.then(|| format!("hello-agent -> {name}: for Linux only"))
}

/// Checks the program for another system.
fn compile(program: &Outside, target: &str) -> Result<(), String> {
    let hinders = |it: &&Exception| it.hinders.is_some_and(|system| target.contains(system));
    if let Some(exception) = EXCEPTIONS.iter().find(hinders) {
        println!("{target}: left out while {} has `{}`", exception.file, exception.names);
        return Ok(());
    }
    if !is_installed(target) {
        println!("{target}: not installed; `rustup target add {target}` lets it be checked");
        return Ok(());
    }
    println!("{target}: checking");
    let mut command = program.cargo();
    command.args(["check", "--quiet", "--target", target]).env("RUSTFLAGS", "--deny warnings");
    // Nothing is linked, so that C is not needed: a program that does nothing compiles it.
    let of_target = target.replace('-', "_");
    for tool in ["CC", "AR"] {
        command.env(format!("{tool}_{of_target}"), "true");
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("hello-agent does not compile without warnings for {target}")),
        Err(error) => Err(format!("cannot start cargo: {error}")),
    }
}

/// Whether the standard library of a system is there.
fn is_installed(target: &str) -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    let output = command.args(["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout);
        output.status.success() && Path::new(folder.trim()).is_dir()
    })
}
