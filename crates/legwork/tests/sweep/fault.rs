//! What happens to a run, and where.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A fault, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// The process is killed at a commit.
    Commit {
        commit: Commit,
        /// Which commit of its kind, from 1.
        number: usize,
        side: Side,
    },
    /// Something happens at a system call.
    Call {
        call: String,
        /// Which call of its name, from 1.
        number: usize,
        what: What,
    },
    /// The server is killed at a moment that this number chooses.
    Server {
        seed: u64,
    },
}

/// A kind of commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Commit {
    /// Entries are appended to a journal.
    Append,
    /// An item is posted to an inbox.
    Post,
}

/// The side of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// What happens at a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Kill,
    /// It fails with this error, and the program ends with what is reported.
    Eio,
    /// It fails with this error, and the program goes on in the same process.
    Enospc,
    /// It and all later calls of its name fail as on a full disk, until the program runs again.
    Full,
}

const COMMITS: [(&str, Commit); 2] = [("append", Commit::Append), ("post", Commit::Post)];
const SIDES: [(&str, Side); 2] = [("before", Side::Before), ("after", Side::After)];
const WHATS: [(&str, What); 4] =
    [("kill", What::Kill), ("eio", What::Eio), ("enospc", What::Enospc), ("full", What::Full)];

impl Fault {
    /// The cases that are counted together, in words.
    pub(crate) fn class(&self) -> &'static str {
        match self {
            Self::None => "undisturbed",
            Self::Commit { .. } => "SIGKILL at commits",
            Self::Call { what: What::Kill, .. } => "SIGKILL at calls",
            Self::Call { what: What::Eio, .. } => "EIO at calls",
            Self::Call { what: What::Enospc, .. } => "ENOSPC at calls",
            Self::Call { what: What::Full, .. } => "ENOSPC from a call on",
            Self::Server { .. } => "SIGKILL of the server",
        }
    }

    /// How long a call waits for a server that is away.
    pub(crate) fn patience(&self) -> Duration {
        match self {
            Self::Server { seed } if !seed.is_multiple_of(2) => Duration::from_millis(20),
            _ => Duration::from_secs(20),
        }
    }

    /// Whether the program goes on in its process after an error.
    pub(crate) fn goes_on(&self) -> bool {
        !matches!(self, Self::Call { what: What::Eio, .. })
    }

    /// What happens to the run that resumes: one that was killed at a commit is killed at another.
    pub(crate) fn again(&self) -> Option<Self> {
        let Self::Commit { number, side, .. } = self else { return None };
        let side = match side {
            Side::Before => Side::After,
            Side::After => Side::Before,
        };
        Some(Self::Commit { commit: Commit::Append, number: 1 + number % 4, side })
    }

    /// Whether it kills the process of the run.
    pub(crate) fn kills(&self) -> bool {
        matches!(self, Self::Commit { .. } | Self::Call { what: What::Kill, .. })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Commit { commit, number, side } => {
                write!(f, "{}-{number}-{}", word(&COMMITS, *commit), word(&SIDES, *side))
            }
            Self::Call { call, number, what } => {
                write!(f, "{}-{call}-{number}", word(&WHATS, *what))
            }
            Self::Server { seed } => write!(f, "server-{seed}"),
        }
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a fault that a sweep prints");
        let number = |text: &str| text.parse().map_err(|_| wrong());
        let parts: Vec<_> = text.split('-').collect();
        Ok(match parts[..] {
            ["none"] => Self::None,
            ["server", seed] => Self::Server { seed: seed.parse().map_err(|_| wrong())? },
            [first, middle, last] => match (find(&COMMITS, first), find(&WHATS, first)) {
                (Some(commit), _) => {
                    let side = find(&SIDES, last).ok_or_else(wrong)?;
                    Self::Commit { commit, number: number(middle)?, side }
                }
                (None, Some(what)) => {
                    Self::Call { call: middle.to_owned(), number: number(last)?, what }
                }
                (None, None) => return Err(wrong()),
            },
            _ => return Err(wrong()),
        })
    }
}

fn word<T: PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    table.iter().find(|(_, known)| *known == value).map_or("", |(word, _)| word)
}

fn find<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

#[test]
fn a_fault_reads_back_as_it_is_printed() {
    for text in ["none", "append-12-before", "post-1-after", "kill-pwrite64-70", "eio-write-3"] {
        assert_eq!(text.parse::<Fault>().unwrap().to_string(), text);
    }
    for text in ["", "append-x-before", "kill-write", "server-", "melt-write-3"] {
        assert!(text.parse::<Fault>().is_err(), "{text}");
    }
}
