//! Postgres's errors as errors of the port.

use std::io;

use legwork_port::store::Error;

use crate::name::Name;

/// What follows from an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The connection broke; what was asked may have been done or not.
    Broken,
    /// Nothing was done, and the same may succeed at once.
    Undone,
    /// The server refused it.
    Refused,
}

impl Fault {
    pub(super) fn of(error: &sqlx::Error) -> Self {
        let Some(code) = code(error) else {
            return match error {
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::Protocol(_)
                | sqlx::Error::WorkerCrashed => Self::Broken,
                _ => Self::Refused,
            };
        };
        match &*code {
            // Another post of the same key came first, two deadlocked, or the server gave up one
            // of two transactions.
            "23505" | "40001" | "40P01" => Self::Undone,
            // Connections that were ended, and servers that start or stop.
            code if code.starts_with("57P0") || code.starts_with("08") => Self::Broken,
            _ => Self::Refused,
        }
    }

    /// Whether a connection may be made a moment later: the server starts, or is full.
    pub(super) fn may_pass(error: &sqlx::Error) -> bool {
        match code(error) {
            Some(code) => code == "53300" || Self::of(error) == Self::Broken,
            None => match error {
                sqlx::Error::Io(error) => error.kind() != io::ErrorKind::InvalidData,
                error => matches!(error, sqlx::Error::Protocol(_)),
            },
        }
    }
}

/// The five characters by which Postgres names an error.
pub(super) fn code(error: &sqlx::Error) -> Option<String> {
    Some(error.as_database_error()?.code()?.into_owned())
}

/// Whether there is no table, or not even a schema, of this name.
pub(super) fn is_missing(error: &sqlx::Error) -> bool {
    code(error).is_some_and(|code| code == "42P01" || code == "3F000")
}

impl Name {
    /// The error of something that was tried, from Postgres's.
    pub(super) fn postgres(&self, tried: &str, error: &sqlx::Error) -> Error {
        let said = match error {
            // What it says beside its message may have values of rows in it.
            sqlx::Error::Database(error) => error.message().to_owned(),
            error => error.to_string(),
        };
        let failed = |what: &str| self.failed(format!("{tried}: {what}"));
        let unusable = |what: &str| self.unusable(format!("{tried}: {what}"));
        match code(error).as_deref() {
            Some("28P01" | "28000") => unusable(&format!(
                "{said}; check the user and the password in its address, and what the server's \
                 pg_hba.conf allows"
            )),
            Some("3D000") => unusable(&format!("{said}; create it, or name another one")),
            Some("42501") => unusable(&format!(
                "{said}; have the user granted that, or name a schema of its own by `?schema=`"
            )),
            Some("25006") => unusable("this server only answers reads; name the primary one"),
            Some("53100" | "58030") => {
                failed(&format!("{said}: nothing was written; make room on the server and go on"))
            }
            Some("53300") => {
                failed(&format!("{said}; let programs use fewer connections, or the server more"))
            }
            Some("42P01" | "3F000" | "42703") => unusable(&format!(
                "{said}; its tables were changed by another program: restore a copy"
            )),
            Some(_) => failed(&said),
            None => self.disconnected(tried, error),
        }
    }

    fn disconnected(&self, tried: &str, error: &sqlx::Error) -> Error {
        match error {
            sqlx::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
                self.failed(format!("{tried}: the server does not answer; try again later"))
            }
            sqlx::Error::PoolTimedOut => self.failed(format!(
                "{tried}: all of its connections are in use; let it use more of them"
            )),
            // What TLS says of a certificate comes so, too.
            sqlx::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
                self.unsecured(tried, error)
            }
            sqlx::Error::Io(error) => self.failed(format!(
                "{tried}: the server cannot be reached ({error}); see whether it runs and go on"
            )),
            sqlx::Error::Tls(error) => self.unsecured(tried, error),
            error => self.failed(format!("{tried}: {error}")),
        }
    }

    fn unsecured(&self, tried: &str, error: &dyn std::fmt::Display) -> Error {
        self.unusable(format!(
            "{tried}: no secure connection ({error}); check `sslmode` and `sslrootcert`"
        ))
    }
}

/// The error of something that took too long.
pub(super) fn timed_out() -> sqlx::Error {
    sqlx::Error::Io(io::ErrorKind::TimedOut.into())
}
