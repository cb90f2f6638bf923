//! Where a value came from.

use std::fmt;
use std::path::PathBuf;

use super::locate::shown;

/// A value, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sourced<T> {
    pub(crate) value: T,
    pub(crate) source: Source,
}

/// Where a value came from; a later one comes before an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// Nobody said anything.
    Default,
    /// The user's file.
    User(Line),
    /// The project's file.
    Project(Line),
    /// The file that defines the agent.
    Agent(PathBuf),
    /// A variable of the environment.
    Environment(&'static str),
    /// What the session remembers.
    Session,
    /// The file of permissions that a flag names.
    Permissions(Line),
    /// A flag.
    Flag(&'static str),
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) path: PathBuf,
    /// Counted from 1.
    pub(crate) number: usize,
}

impl<T> Sourced<T> {
    pub(crate) fn new(value: T, source: Source) -> Self {
        Self { value, source }
    }

    /// This, or what a layer above says.
    pub(crate) fn or(self, above: Option<Self>) -> Self {
        above.unwrap_or(self)
    }

    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Sourced<U> {
        Sourced { value: change(self.value), source: self.source }
    }
}

impl Source {
    /// Its name for programs.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User(_) => "user_file",
            Self::Project(_) => "project_file",
            Self::Agent(_) => "agent",
            Self::Environment(_) => "environment",
            Self::Session => "session",
            Self::Permissions(_) => "permissions_file",
            Self::Flag(_) => "flag",
        }
    }

    /// The line, where it is one of a file.
    pub(crate) fn line(&self) -> Option<&Line> {
        match self {
            Self::User(line) | Self::Project(line) | Self::Permissions(line) => Some(line),
            _ => None,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User(line) | Self::Project(line) | Self::Permissions(line) => line.fmt(f),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
            Self::Agent(path) => f.write_str(&shown(path)),
            Self::Session => f.write_str("the session"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", shown(&self.path), self.number)
    }
}
