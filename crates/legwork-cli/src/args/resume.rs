//! `legwork resume`.

use clap::{Args, ValueEnum};

use super::{Agent, Output, Store};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork resume a1b2c3d4                    go on where it was
  legwork resume a1b2c3d4 --on-doubt tell    go on after a command was cut off
  legwork resume a1b2c3d4 --max-steps 200    go on after a limit, now raised
  legwork resume --all                       go on with all that was interrupted
  legwork resume --all --watch               the same, and with what becomes due

A command that was running when the process died may or may not have done its
work. By default (ask) nothing is run then: the session waits, this says for
what, and the exit code is 4. With `tell` the model is told that it was cut off
and checks for itself.

With --all, several sessions go on at a time, as `legwork work` runs them: those whose
process died, that were answered or spoken to, or whose time came. A line says what
each came to. The exit code is 1 if one failed or could not be run. The first Ctrl-C
ends the steps under way, a second one ends at once; the exit code is 130 then. With
--watch the first one is how it ends: the exit code is 0.

Model, tools and limits are those of the session, unless given again. What
loosens its confinement is not taken from the journal, which others may have
written: the directory, further paths, the network, a weaker sandbox and the
base URL come from the flags and settings of this command.";

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("sessions").required(true).args(["session", "all"])))]
pub(crate) struct Resume {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: Option<String>,
    /// Resume every session that was interrupted, or has something to do by now
    #[arg(long, conflicts_with_all = ["verbose", "quiet"])]
    pub(crate) all: bool,
    /// Go on until a signal, and resume what becomes due meanwhile
    #[arg(long, requires = "all", conflicts_with = "session")]
    pub(crate) watch: bool,
    /// What to do about a command that may or may not have happened
    #[arg(long, value_enum, default_value_t = OnDoubt::Ask)]
    pub(crate) on_doubt: OnDoubt,
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) output: Output,
}

impl From<OnDoubt> for legwork::core::OnDoubt {
    fn from(on_doubt: OnDoubt) -> Self {
        match on_doubt {
            OnDoubt::Ask => Self::Ask,
            OnDoubt::Tell => Self::Tell,
        }
    }
}

/// What to do about calls that began and have no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnDoubt {
    /// Run nothing, wait for an answer
    Ask,
    /// Tell the model that it was cut off
    Tell,
}
