//! `legwork man`.

use std::path::PathBuf;

use clap::Args;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork man | man -l -
  legwork man ~/.local/share/man/man1     then: man legwork-sessions-rm";

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The directory to write the pages of all verbs to; made if it is not there
    pub(crate) dir: Option<PathBuf>,
}
