//! The private directory of a command, gone when the command is.

use std::path::PathBuf;

/// A directory that is removed with all it holds, links not followed.
#[derive(Debug, Default)]
pub(super) struct Scratch(Option<PathBuf>);

impl Scratch {
    pub(super) fn of(path: Option<PathBuf>) -> Self {
        Self(path)
    }

    /// Removes it off the runtime's threads: there may be much in it.
    pub(super) async fn remove(self) {
        if self.0.is_some() {
            // What cannot be removed stays in the temporary directory of the system.
            let _ = tokio::task::spawn_blocking(move || drop(self)).await;
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            // Whoever wrote it may have left what cannot be removed.
            let _ = std::fs::remove_dir_all(path);
        }
    }
}
