//! What confines a child process.

use std::ffi::OsString;
use std::path::Path;

/// Confines commands: turns one into another that runs it confined.
pub trait Sandbox: Send + Sync {
    /// The name that people are shown.
    fn name(&self) -> &str;

    /// The command that runs `command` confined, with `workspace` writable.
    ///
    /// # Errors
    /// Why it cannot be confined here, in words that say what to do. The caller then
    /// refuses to run the command.
    fn confine(&self, workspace: &Path, command: Vec<OsString>) -> Result<Vec<OsString>, String>;
}
