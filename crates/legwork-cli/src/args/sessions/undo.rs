//! `legwork sessions undo`.

use std::path::PathBuf;

use clap::Args;

use crate::args::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork sessions diff a1b2c3d4             look at the changes first
  legwork sessions undo --dry-run a1b2c3d4   what would be done
  legwork sessions undo a1b2c3d4

Each file has to be as the session left it; if one is not, or what it held
before was too large to be kept, the command says so and changes nothing. Only
files in the current directory are changed, or in those of --dir and
--allow-path: a journal does not say where to write. It needs no Git.
Directories that become empty are removed. What diff does not show, undo does not revert. The session itself is
not changed: its model does not learn of the undo, so say it in the next task.";

#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Take back what can be, though some cannot
    #[arg(long)]
    pub(crate) partly: bool,
    /// The directory whose files are taken back [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Another path whose files are taken back; may be given again
    #[arg(long, value_name = "PATH")]
    pub(crate) allow_path: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) store: Store,
}
