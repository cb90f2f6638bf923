//! `legwork doctor`.

use std::path::PathBuf;

use clap::Args;

use super::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork doctor
  legwork doctor --dir ~/project
  legwork doctor --json | jq '.checks[] | select(.state != \"good\")'

The exit code is 0 if commands can run in a sandbox and the store works, else 1.";

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// The directory that an agent would work in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print what was found as one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}
