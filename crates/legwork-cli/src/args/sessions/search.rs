//! `legwork sessions search`.

use clap::Args;

use crate::args::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork sessions search \"cargo test\"
  legwork sessions search Makefile              a capital letter: case counts
  legwork sessions search --limit 500 --json error | jq -r .session | sort -u

Without a capital letter in the text, case does not count. The session changed
last comes first. Exit code 1 if nothing was found.";

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The text to look for, within a line
    pub(crate) text: String,
    /// How many places to show at most
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print one place a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
