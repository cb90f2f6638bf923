//! Stores of every kind, what is replayed to them, and the bare writes beside them.

mod floor;
mod place;
mod replay;
mod tape;

pub(crate) use floor::{Floor, Row};
pub(crate) use place::Place;
pub(crate) use replay::Replay;
pub(crate) use tape::Tape;

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In this process.
    Memory,
    /// A SQLite file, written by the thread that appends.
    Sqlite,
    /// Plain files, written by the thread that appends.
    Jsonl,
    /// A private Postgres server.
    Postgres,
    /// A private Redis server.
    Redis,
}

impl Kind {
    /// Its name, as figures begin with it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Sqlite => "sqlite",
            Self::Jsonl => "jsonl",
            Self::Postgres => "postgres",
            Self::Redis => "redis",
        }
    }

    /// Whether this process itself writes to the disk, so that its syncs are counted and timed.
    pub(crate) const fn is_of_files(self) -> bool {
        matches!(self, Self::Sqlite | Self::Jsonl)
    }
}

#[cfg(test)]
mod tests;
