//! A database of a Postgres server, for one test.

use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use super::postgres::Postgres;
use super::supervised::run;
use super::{POSTGRES_URL, program, shared};

/// A new, empty database on the server that all tests of a run share, or on one of its own.
///
/// It is dropped with its handle.
#[derive(Debug)]
pub struct Database {
    url: String,
    name: String,
    access: Access,
    programs: PathBuf,
    /// The server, if it is not a shared one.
    server: Option<Postgres>,
}

/// Where a server is, and who uses it.
#[derive(Debug)]
struct Access {
    user: String,
    password: String,
    host: String,
    port: String,
}

impl Database {
    /// Makes a database; none if Postgres is not installed.
    ///
    /// # Errors
    /// If the server does not start, cannot be reached, or makes no database.
    pub fn create() -> io::Result<Option<Self>> {
        let Some(programs) = program::postgres() else { return Ok(None) };
        if let Some(url) = shared(POSTGRES_URL) {
            return Self::of(&url, programs, None).map(Some);
        }
        let Some(server) = Postgres::start()? else { return Ok(None) };
        Self::of(&server.url(), programs, Some(server)).map(Some)
    }

    fn of(url: &str, programs: PathBuf, server: Option<Postgres>) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", std::process::id());
        let access = Access::of(url)
            .ok_or_else(|| io::Error::other(format!("{POSTGRES_URL} needs a user and a port")))?;
        let base = url.rsplit_once('/').map_or(url, |(base, _)| base);
        let database = Self { url: format!("{base}/{name}"), name, access, programs, server };
        // One of a process that had this id before.
        run(database.command("dropdb").args(["--force", "--if-exists"]).arg(&database.name))?;
        run(database.command("createdb").arg(&database.name))?;
        Ok(database)
    }

    /// The address of the database, with the user and the password.
    pub fn url(&self) -> &str {
        &self.url
    }

    fn command(&self, program: &str) -> Command {
        let Access { user, password, host, port } = &self.access;
        let mut command = Command::new(self.programs.join(program));
        command.args(["-U", user, "-h", host, "-p", port, "--no-password"]);
        // Arguments can be seen by every user of the machine.
        command.env("PGPASSWORD", password);
        command
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if self.server.is_none() {
            let _ = run(self.command("dropdb").args(["--force", "--if-exists"]).arg(&self.name));
        }
    }
}

impl Access {
    /// Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
    fn of(url: &str) -> Option<Self> {
        let (_, rest) = url.split_once("://")?;
        let (user, place) = rest.split_once('@')?;
        let (user, password) = user.split_once(':').unwrap_or((user, ""));
        let (host, port) = place.split_once('/')?.0.rsplit_once(':')?;
        let [user, password, host, port] = [user, password, host, port].map(str::to_owned);
        Some(Self { user, password, host, port })
    }
}
