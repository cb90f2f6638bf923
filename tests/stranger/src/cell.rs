//! A sandbox: the whole system read-only, the workspace writable, no network.

use std::ffi::OsString;
use std::path::Path;

use legwork_port::Sandbox;
use legwork_port::sandbox::{Confined, Error};

/// Confines commands by a bare `bwrap`.
///
/// It holds less than Legwork's own: what can be read stays readable, and no system call is
/// filtered. What it does not hold it names, and the conformance suite
/// (`legwork_tools::sandbox::probe`) finds out for itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cell;

impl Sandbox for Cell {
    fn name(&self) -> &str {
        "cell"
    }

    fn confine(&self, workspace: &Path, command: Vec<OsString>) -> Result<Confined, Error> {
        let words = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"];
        let mut line: Vec<OsString> = words.map(OsString::from).into();
        line.extend(["--dev", "/dev", "--proc", "/proc", "--bind"].map(OsString::from));
        line.extend([workspace.into(), workspace.into(), "--chdir".into(), workspace.into()]);
        line.push("--".into());
        line.extend(command);
        Ok(Confined::from(line))
    }

    fn rules(&self) -> String {
        "only the workspace can be written, and there is no network".to_owned()
    }

    fn gaps(&self) -> Vec<String> {
        vec!["all files of the system can be read".to_owned()]
    }
}
