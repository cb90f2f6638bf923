//! The shell, the project, Git and the terminal.

use std::path::Path;
use std::process::{Command, Stdio};

use legwork::tools::Environment;

use super::check::Check;
use crate::config::Config;
use crate::display::Terminal;
use crate::trust::{self, Flag, Trust, Wanted};

pub(super) fn shell(environment: &Environment, writable: &[&Path]) -> Check {
    let program = |name| environment.program_outside(name, writable);
    match program("bash").or_else(|| program("sh")) {
        Some(shell) => Check::good("shell", shell.display().to_string()),
        None => Check::bad("shell", "there is no bash or sh on the PATH outside of the workspace")
            .with_hint("install bash, or set PATH so that it is found"),
    }
}

/// Whether the project is trusted, and what of it is left out.
pub(super) fn project(dir: Option<&Path>, config: &Config) -> Check {
    let dir = dir.unwrap_or(Path::new("."));
    let trust = Trust::of(Wanted { dir, kinds: &trust::ALL, flag: Flag::Not }, config);
    let summary = trust.summary().unwrap_or_else(|| "there is none".to_owned());
    let warnings = trust.warnings();
    match warnings.is_empty() {
        true => Check::good("project", format!("{summary}: none of its files is ignored")),
        false => Check::warning("project", summary).with_hint(warnings.join("; ")),
    }
}

pub(super) fn git(environment: &Environment, writable: &[&Path]) -> Check {
    let Some(program) = environment.program_outside("git", writable) else {
        return Check::warning("git", "not on the PATH outside of the workspace")
            .with_hint("install git");
    };
    let version = Command::new(&program).arg("--version").stdin(Stdio::null()).output();
    match version {
        Ok(version) if version.status.success() => {
            Check::good("git", String::from_utf8_lossy(&version.stdout).trim().to_owned())
        }
        Ok(version) => {
            Check::warning("git", format!("{} fails: {}", program.display(), version.status))
        }
        Err(error) => Check::warning("git", format!("{} fails: {error}", program.display())),
    }
}

pub(super) fn terminal(terminal: Terminal) -> Check {
    let found = match (terminal.asks, terminal.out) {
        (true, true) => format!("{} columns, interactive", terminal.columns),
        (true, false) => "interactive, output redirected".to_owned(),
        (false, _) => "not interactive: no prompts".to_owned(),
    };
    Check::good("terminal", found)
}
