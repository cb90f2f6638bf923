//! One run of some tests of a package in the copy.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Stdio;

use super::switch::VARIABLE;
use crate::cargo;

#[cfg(test)]
mod tests;

/// Runs tests in a tree.
pub(super) struct Runner {
    pub(super) tree: PathBuf,
    /// Where it is built; kept, so that the next build has little to do.
    pub(super) target: PathBuf,
}

/// What a run of tests came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ran {
    Passed,
    /// These failed, by name.
    Failed(Vec<String>),
    /// No test has such a name.
    NoTests,
    /// All that the compiler said.
    DoesNotBuild(String),
}

impl Runner {
    /// Builds a package's tests and runs those that nextest's filter means.
    ///
    /// With `binaries` only these of its integration tests are built. `on` names the mutation
    /// that is switched on.
    pub(super) fn run(
        &self,
        package: &str,
        binaries: Option<&BTreeSet<String>>,
        filter: &str,
        on: Option<&str>,
    ) -> Result<Ran, String> {
        let mut command = cargo::command();
        command.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.target);
        // That a property fails is enough; the smallest case that does is not asked for.
        command.env("PROPTEST_MAX_SHRINK_ITERS", "0");
        command.envs(on.map(|name| (VARIABLE, name)));
        // Nobody reads a backtrace here, and without its lines much is built sooner.
        command.env("CARGO_PROFILE_DEV_DEBUG", "false");
        // With all features, as in the workspace: a test may belong to one that is off by default.
        command.args(["nextest", "run", "--package", package, "--all-features"]);
        command.args(["--filterset", filter]);
        for binary in binaries.into_iter().flatten() {
            command.args(["--test", binary]);
        }
        command.args(["--profile", "broken", "--cargo-quiet", "--color", "never"]);
        // One test that fails is enough, and others may hang.
        command.args(["--max-fail", "1:immediate"]);
        command.args(["--status-level", "fail", "--final-status-level", "none"]);
        command.args(["--success-output", "never", "--failure-output", "never"]);
        let output = command
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot start cargo: {error}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ran(output.status.code(), &said).ok_or_else(|| {
            format!("`cargo nextest` ended with {}:\n{}", output.status, said.trim())
        })
    }
}

/// Reads nextest's exit code, as its documentation has them; none for another kind of end.
fn ran(code: Option<i32>, said: &str) -> Option<Ran> {
    match code? {
        0 => Some(Ran::Passed),
        4 => Some(Ran::NoTests),
        100 => Some(Ran::Failed(failed(said))),
        101 => Some(Ran::DoesNotBuild(said.to_owned())),
        _ => None,
    }
}

/// The names on lines like `FAIL [   0.004s] (3/9) legwork-core::it budget::s5_2_x`.
fn failed(said: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in said.lines().map(str::trim) {
        let ends = ["FAIL", "TIMEOUT", "ABORT", "SIG", "LEAK-FAIL"];
        let Some((_, test)) = line.split_once("s] ") else { continue };
        let Some(name) = test.split_whitespace().last() else { continue };
        // Ended for the failure of another one.
        let ended = line.starts_with("SIGTERM");
        if !ended
            && ends.iter().any(|end| line.starts_with(end))
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

/// The compiler's errors with the lines that belong to them, the first few.
pub(super) fn errors(said: &str) -> String {
    let from = said.lines().skip_while(|line| !line.starts_with("error"));
    from.take(12).collect::<Vec<_>>().join("\n")
}
