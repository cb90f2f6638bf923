//! `legwork compact`.

use clap::Args;

use super::{Agent, Output, Store};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork compact a1b2c3d4
  legwork compact a1b2c3d4 --focus \"what was decided about the parser\"

A model writes a summary, which is read from then on in place of the beginning of
the conversation: requests become shorter. The latest messages stay as they are,
and so does what is pinned. The journal keeps everything, and going back to an
entry before it (`legwork sessions branch`) shows everything again.

A session is also compacted by itself, when it fills the window of its model.";

#[derive(Debug, Args)]
pub(crate) struct Compact {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// What the summary is to heed, in words
    #[arg(long, value_name = "TEXT")]
    pub(crate) focus: Option<String>,
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) output: Output,
}
