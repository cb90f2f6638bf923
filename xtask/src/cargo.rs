//! Asking Cargo: where the workspace is, what it holds, what a crate pulls in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

/// What `cargo metadata` tells about the workspace.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) target_directory: PathBuf,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) dependencies: Vec<Dependency>,
    /// Each feature, and what it enables.
    #[serde(default)]
    pub(crate) features: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` is a normal dependency.
    pub(crate) kind: Option<String>,
    /// Where it lies when it is a path dependency.
    pub(crate) path: Option<PathBuf>,
    /// The systems that need it; `None` is all of them.
    #[serde(default)]
    pub(crate) target: Option<String>,
    #[serde(default)]
    pub(crate) optional: bool,
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// The commit that the workspace stands at, if it is a checkout of Git.
pub(crate) fn commit() -> Option<String> {
    let mut git = Command::new("git");
    let output = git.current_dir(root()).args(["rev-parse", "HEAD"]).output().ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !commit.is_empty()).then_some(commit)
}

/// The Cargo that runs us, so that one toolchain does everything.
pub(crate) fn command() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root());
    command
}

/// The workspace's own packages, without their dependencies' packages.
pub(crate) fn metadata() -> Result<Metadata, String> {
    metadata_by(&mut command())
}

/// The same of the workspace that another `cargo` works on.
pub(crate) fn metadata_by(cargo: &mut Command) -> Result<Metadata, String> {
    let text = output(cargo.args(["metadata", "--no-deps", "--format-version", "1"]))?;
    serde_json::from_str(&text).map_err(|error| format!("cannot read `cargo metadata`: {error}"))
}

/// The crates of the normal tree of a package that `cargo` works on, itself included, each once.
pub(crate) fn tree(cargo: &mut Command) -> Result<BTreeSet<String>, String> {
    tree_of(cargo, &[])
}

/// The same with features.
pub(crate) fn tree_of(cargo: &mut Command, features: &[&str]) -> Result<BTreeSet<String>, String> {
    cargo.args(["tree", "--edges", "normal", "--prefix", "none"]).args(features);
    let text = output(cargo)?;
    Ok(text.lines().filter_map(name_and_version).collect())
}

/// `serde v1.0.2 (*)` is `serde v1.0.2`: marks and paths do not make another crate.
fn name_and_version(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let version = words.next()?;
    Some(format!("{name} {version}"))
}

/// Builds one program of the workspace with the profile that the tests use too.
pub(crate) fn build(what: &[&str]) -> Result<PathBuf, String> {
    build_by(&mut command(), what)
}

/// The same by another `cargo`.
pub(crate) fn build_by(cargo: &mut Command, what: &[&str]) -> Result<PathBuf, String> {
    // Diagnostics go to the terminal, and where the program lies comes to us.
    let build = ["build"];
    let format = ["--message-format", "json-render-diagnostics"];
    let line = format!("cargo build {}", what.join(" "));
    let output = cargo
        .args([&build, what, &format].concat())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start `{line}`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{line}` failed; its messages stand above"));
    }
    let built = String::from_utf8_lossy(&output.stdout);
    let program = built.lines().rev().find_map(executable);
    program.ok_or_else(|| format!("`{line}` told no program that it made"))
}

/// The program that a message of Cargo's tells.
fn executable(line: &str) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Artifact {
        executable: Option<PathBuf>,
    }
    serde_json::from_str::<Artifact>(line).ok()?.executable
}

fn output(cargo: &mut Command) -> Result<String, String> {
    let args: Vec<_> = cargo.get_args().map(|arg| arg.to_string_lossy()).collect();
    let line = format!("cargo {}", args.join(" "));
    let output = cargo.output().map_err(|error| format!("cannot start `{line}`: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{line}` failed:\n{}", said.trim()));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("`{line}` is not UTF-8: {error}"))
}
