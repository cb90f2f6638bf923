//! `legwork undo`.

use std::path::PathBuf;

use clap::Args;

use crate::args::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork sessions diff a1b2c3d4    look at the changes first
  legwork undo --dry-run a1b2c3d4   what would be done
  legwork undo a1b2c3d4             take back all that the session did
  legwork undo a1b2c3d4 7           what it did from step 7 on

Calls are taken back in reverse order, those of subagents too. A step has the
number that `legwork sessions show` gives it. Each file has to be as the session
left it; if one is not, or what it held before was too large to be kept, the
command says so and changes nothing. Only files in the current directory are
changed, or in those of --dir and --allow-path: a journal does not say where to
write. It needs no Git. Directories that were made for a file are removed with
it. What cannot be taken back is named first: of commands, all but the files
that they changed.

Each call is journaled before it is taken back, so that the same command goes on
where it was if it is killed. When the session goes on, its model reads what was
taken back.";

#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// The first step that is taken back [default: the first of the session]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) step: Option<u64>,
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
    /// Print one call a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
