//! `legwork sessions rm`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::args::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork sessions rm a1b2c3d4
  legwork sessions rm --yes a1b2c3d4 5e6f7081
  legwork sessions rm --older-than 30d --status completed

What a session said is removed from the files of the store too. A session that
a process works in is not removed. If anything is wrong with one of several,
none is removed.";

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// The sessions: their ids, or the beginnings or ends of them
    #[arg(value_name = "ID", required_unless_present = "older_than", add = crate::complete::sessions())]
    pub(crate) sessions: Vec<String>,
    /// Those that were not changed for so long, such as 30d, 12h or 45m
    #[arg(long, value_name = "AGE", conflicts_with = "sessions", value_parser = age)]
    pub(crate) older_than: Option<Duration>,
    /// Of those, only the ones that ended so
    #[arg(long, value_enum, requires = "older_than")]
    pub(crate) status: Option<Status>,
    /// Do not ask
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) store: Store,
}

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Status {
    Completed,
    Failed,
    Stopped,
    Cancelled,
    #[value(alias = "interrupted")]
    InProgress,
    AwaitingApproval,
    AwaitingInput,
}

impl Status {
    /// The name that lists show.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Cancelled => "cancelled",
            Self::InProgress => "in_progress",
            Self::AwaitingApproval => "awaiting_approval",
            Self::AwaitingInput => "awaiting_input",
        }
    }
}

/// A whole number with its unit.
pub(in crate::args) fn age(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a duration: write 30d, 12h or 45m");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    let number = text.strip_suffix(unit).unwrap_or_default();
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests;
