//! The private servers that all tests of a run share.

use std::process::Command;

use private::{POSTGRES_URL, Postgres, REDIS_URL, Redis};

// As source, so that `cargo xtask` needs none of what the test kit stands on.
#[path = "../../crates/legwork-testkit/src/servers/mod.rs"]
#[allow(dead_code, unused_imports, unreachable_pub, reason = "it is public in the test kit")]
mod private;

/// The servers, until it is dropped.
pub(crate) struct Servers {
    postgres: Option<Postgres>,
    redis: Option<Redis>,
}

impl Servers {
    /// Starts those that are installed.
    pub(crate) fn start() -> Result<Self, String> {
        let failed = |what, error| format!("no private {what} server: {error}");
        Ok(Self {
            postgres: Postgres::start().map_err(|error| failed("Postgres", error))?,
            redis: Redis::start().map_err(|error| failed("Redis", error))?,
        })
    }

    /// Tells the tests that a command runs where the servers are.
    pub(crate) fn tell(&self, command: &mut Command) {
        if let Some(postgres) = &self.postgres {
            command.env(POSTGRES_URL, postgres.url());
        }
        if let Some(redis) = &self.redis {
            command.env(REDIS_URL, redis.url());
        }
    }
}

#[cfg(test)]
mod tests;
