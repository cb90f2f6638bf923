//! Private database servers for tests: Postgres and Redis from the system's packages.
//!
//! A server listens on a free port of loopback, keeps its data in a folder below the target
//! directory, and asks for a random password. It is stopped when its handle is dropped, and killed
//! when the process that holds the handle dies in any other way. As root, it runs as the user
//! `nobody`, since Postgres refuses to run as root.
//!
//! `cargo xtask test` starts one server of each kind for all tests and tells its address by
//! [`POSTGRES_URL`] and [`REDIS_URL`]. A test that kills its server starts its own. Where the
//! programs are not installed, `start` prints a line `skipped: ..` and returns none.
//!
//! ```no_run
//! use legwork_testkit::servers::Postgres;
//!
//! # fn main() -> std::io::Result<()> {
//! let Some(mut server) = Postgres::start()? else { return Ok(()) };
//! let url = server.url();
//! server.kill()?;
//! server.restart()?;
//! assert_eq!(server.url(), url);
//! # Ok(())
//! # }
//! ```

mod database;
mod folder;
mod postgres;
mod program;
mod redis;
mod supervised;

pub use database::Database;
pub use postgres::{Postgres, Synced};
pub use redis::Redis;

/// The variable with the address of a Postgres server that all tests of a run share.
pub const POSTGRES_URL: &str = "LEGWORK_TEST_POSTGRES_URL";

/// The variable with the address of a Redis server that all tests of a run share.
pub const REDIS_URL: &str = "LEGWORK_TEST_REDIS_URL";

/// The address of a shared server, if one is there.
fn shared(variable: &str) -> Option<String> {
    std::env::var(variable).ok().filter(|url| !url.is_empty())
}

#[cfg(test)]
mod tests;
