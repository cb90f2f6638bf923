//! Opening the file: whether it is a store, of which version, and how SQLite is set up.

mod upgrade;

use std::ffi::c_int;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use legwork_port::store::Error;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags};
use tracing::info;

use super::fault::OPENING;
use super::kind;
use super::schema;
use super::{Options, VERSION, claims, sibling};
use crate::lock::Lock;
use crate::name::Name;
use crate::private::{make_folder, owner_only};

/// Marks a SQLite file as a store of Legwork: "LgWk".
const APPLICATION: u32 = 0x4c67_576b;

/// Bytes of a page. An append writes whole pages to the log: with appends of 0.5 to 2 kB
/// this takes half of what pages of 4,096 take, and a large entry still few pages.
const PAGE: u64 = 1024;

/// Pages in the log after which a commit copies them into the file, should no session
/// have come to rest before; it is some 1,900 steps.
const CHECKPOINT: u32 = 8192;

/// The cache of a connection that reads, in KiB below zero: a journal is read once from its
/// beginning to its end, and pages that are kept are memory that is asked for anew.
const READ_CACHE: i32 = -256;

/// Instructions of a read between two looks whether the store closes.
const LOOK: c_int = 1_000;

/// Knows where the file is and how it is to be opened.
#[derive(Debug)]
pub(super) struct Connector {
    name: Name,
    path: PathBuf,
    options: Options,
    closing: Closing,
}

pub(super) struct Connected {
    pub(super) connection: Connection,
    pub(super) read_only: bool,
    pub(super) hurry: Hurry,
}

/// Whether a store closes: then no connection of it waits for another process.
#[derive(Debug, Clone, Default)]
pub(super) struct Closing(Arc<AtomicBool>);

impl Closing {
    pub(super) fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whether a connection waits for another process that writes.
#[derive(Debug, Clone, Default)]
pub(super) struct Hurry {
    now: Arc<AtomicBool>,
    closing: Closing,
}

impl Hurry {
    /// Runs something without waiting for a lock.
    pub(super) fn hurried<T>(&self, work: impl FnOnce() -> T) -> T {
        self.now.store(true, Ordering::Relaxed);
        let done = work();
        self.now.store(false, Ordering::Relaxed);
        done
    }

    fn is_on(&self) -> bool {
        self.now.load(Ordering::Relaxed) || self.closing.has_begun()
    }
}

impl Connector {
    /// Opens the file for the first time: creates it if it is missing, and checks that it is a store.
    pub(super) fn open(
        name: Name,
        path: &Path,
        options: Options,
    ) -> Result<(Self, Connected), Error> {
        let path = place(&name, path, &options)?;
        let connector = Self { name, path, options, closing: Closing::default() };
        let mut connected = connector.connect()?;
        if connector.identity(&connected.connection)? == Identity::New {
            if connected.read_only {
                return connector.nothing().map(|nothing| (connector, nothing));
            }
            let lock = Lock::wait(&claims(&connector.path), "new")
                .map_err(|error| connector.name.unusable(format!("it cannot be made: {error}")))?;
            connected = connector.connect()?;
            if connector.identity(&connected.connection)? == Identity::New {
                connector
                    .create(&connected.connection)
                    .map_err(|error| connector.name.sqlite("making it", &error))?;
                info!(path = %connector.path.display(), version = VERSION, "a schema was created");
            }
            drop(lock);
        }
        if connector.identity(&connected.connection)? == Identity::Old {
            connector.upgrade(&connected)?;
        }
        connector.check_known(&mut connected.connection)?;
        if connected.read_only {
            connector.end_reads(&mut connected.connection)?;
        }
        Ok((connector, connected))
    }

    pub(super) fn closing(&self) -> Closing {
        self.closing.clone()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// An empty store, for reading a file whose creator died before it wrote anything.
    fn nothing(&self) -> Result<Connected, Error> {
        let make = || {
            let connection = Connection::open_in_memory()?;
            self.create(&connection)?;
            Ok(Connected { connection, read_only: true, hurry: Hurry::default() })
        };
        make().map_err(|error| self.name.sqlite(OPENING, &error))
    }

    /// A connection that only reads.
    pub(super) fn reader(&self) -> Result<Connection, Error> {
        let Connected { mut connection, .. } = self.connect()?;
        self.check_known(&mut connection)?;
        self.end_reads(&mut connection)?;
        connection
            .pragma_update(None, "query_only", true)
            .and_then(|()| connection.pragma_update(None, "cache_size", READ_CACHE))
            .map_err(|error| self.name.sqlite(OPENING, &error))?;
        Ok(connection)
    }

    /// Ends what a connection reads when the store closes.
    fn end_reads(&self, connection: &mut Connection) -> Result<(), Error> {
        let closing = self.closing.clone();
        let ends = move || closing.has_begun();
        let set = connection.progress_handler(LOOK, Some(ends));
        set.map_err(|error| self.name.sqlite(OPENING, &error))
    }

    /// Refuses a file that holds anything that no Legwork makes.
    fn check_known(&self, connection: &mut Connection) -> Result<(), Error> {
        let failed = |error| self.name.sqlite(OPENING, &error);
        if let Some(strange) = schema::strange(connection).map_err(failed)? {
            return Err(self.name.unusable(format!(
                "{strange}: another program changed the file; name another one, or restore a copy"
            )));
        }
        schema::opened(connection).map_err(failed)
    }

    fn connect(&self) -> Result<Connected, Error> {
        kind::check(&self.name, &self.path)?;
        let result = self.connect_as(Access::Shared).or_else(|error| {
            // In a folder that may not be written SQLite cannot share the file with
            // writers. Without a log there is none now, and the file holds everything.
            let log = fs::metadata(sibling(&self.path, "-wal")).map_or(0, |log| log.len());
            if log == 0 && is_fixed(&error) { self.connect_as(Access::Fixed) } else { Err(error) }
        });
        result.map_err(|error| self.name.sqlite(OPENING, &error))
    }

    fn connect_as(&self, access: Access) -> rusqlite::Result<Connected> {
        let (path, mode) = match access {
            Access::Fixed => {
                let uri = format!("file:{}?immutable=1", percent_encoded(&self.path));
                let mode = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                (PathBuf::from(uri), mode)
            }
            Access::Shared if self.options.read_only => {
                (self.path.clone(), OpenFlags::SQLITE_OPEN_READ_ONLY)
            }
            // SQLite itself takes less where the file may not be written.
            Access::Shared => (self.path.clone(), OpenFlags::SQLITE_OPEN_READ_WRITE),
        };
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | mode;
        let mut connection = Connection::open_with_flags(path, flags)?;
        let hurry = Hurry { closing: self.closing.clone(), ..Hurry::default() };
        self.set_up(&mut connection, &hurry)?;
        let read_only = connection.is_readonly(MAIN_DB)?;
        Ok(Connected { connection, read_only, hurry })
    }

    fn set_up(&self, connection: &mut Connection, hurry: &Hurry) -> rusqlite::Result<()> {
        connection.busy_handler(Some(waiting(self.options.patience, hurry.clone())))?;
        schema::confine(connection)?;
        connection.set_prepared_statement_cache_capacity(32);
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT)?;
        // The log stays for the next process: to tidy it away and to make it anew takes
        // two syncs each, and the second time a user waits for the first request.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        // Else SQLite plans a statement anew each time that other values are bound to it.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        if let Some(bytes) = self.options.max_bytes {
            connection.pragma_update(None, "max_page_count", bytes.div_ceil(PAGE))?;
        }
        // The first look into the file: that it can be read at all shows here.
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |_| Ok(()))
    }

    fn identity(&self, connection: &Connection) -> Result<Identity, Error> {
        let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
        let read = || -> rusqlite::Result<(u32, u32, u32)> {
            // All of one moment: another process may be making it just now.
            let _moment = connection.unchecked_transaction()?;
            Ok((pragma("application_id")?, pragma("user_version")?, pragma("schema_version")?))
        };
        let (application, version, schema) =
            read().map_err(|error| self.name.sqlite(OPENING, &error))?;
        match (application, version) {
            (APPLICATION, newer) if newer > VERSION => Err(self.name.newer(newer, VERSION)),
            (APPLICATION, VERSION) => Ok(Identity::Known),
            (APPLICATION, 1..VERSION) => Ok(Identity::Old),
            // No table was ever made in it.
            (0, 0) if schema == 0 => Ok(Identity::New),
            _ => Err(self
                .name
                .unusable("the file is a SQLite database of something else; name another file")),
        }
    }

    /// Makes the tables: all of them and the version, or nothing.
    fn create(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.pragma_update(None, "page_size", PAGE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE;\n{}\nPRAGMA application_id = {APPLICATION};\n\
             PRAGMA user_version = {VERSION};\nCOMMIT;",
            schema::MADE,
        ))
    }
}

#[derive(Clone, Copy)]
enum Access {
    /// With other processes, writers too.
    Shared,
    /// As a file that no process changes.
    Fixed,
}

#[derive(PartialEq, Eq)]
enum Identity {
    New,
    Known,
    /// A store of an earlier version.
    Old,
}

/// Whether it failed because the folder cannot be written.
fn is_fixed(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{CannotOpen, ReadOnly};
    matches!(error.sqlite_error_code(), Some(CannotOpen | ReadOnly))
}

/// Finds the file, and makes it with its folders if that is wanted.
///
/// One file has one path from here on, whatever links lead to it: claims are next to it.
fn place(name: &Name, path: &Path, options: &Options) -> Result<PathBuf, Error> {
    let failed = |error: io::Error| name.unusable(format!("it cannot be opened: {error}"));
    let path = std::path::absolute(path).map_err(failed)?;
    match fs::canonicalize(&path) {
        Ok(found) if found.is_dir() => {
            Err(name.unusable("it is a folder; name the file that it shall be in"))
        }
        Ok(found) => Ok(found),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
        Err(_) if options.read_only => {
            Err(name.unusable("there is no such file; name an existing one"))
        }
        Err(_) => {
            make(&path).map_err(|error| name.unusable(format!("it cannot be made: {error}")))?;
            fs::canonicalize(&path).map_err(failed)
        }
    }
}

fn make(path: &Path) -> io::Result<()> {
    let missing = path.ancestors().skip(1).take_while(|folder| !folder.exists());
    for folder in missing.collect::<Vec<_>>().into_iter().rev() {
        make_folder(folder)?;
        if let Some(parent) = folder.parent() {
            // Else a loss of power could take the folder away with all that is in it.
            File::open(parent)?.sync_all()?;
        }
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        // SQLite gives the files that it makes next to this one the same rights.
        Ok(file) => owner_only(&file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Waits while another process writes: ever longer, up to 10 ms at a time.
fn waiting(patience: Duration, hurry: Hurry) -> impl FnMut(i32) -> bool + Send + 'static {
    let mut waited = Duration::ZERO;
    move |attempt| {
        if hurry.is_on() {
            return false;
        }
        if attempt == 0 {
            waited = Duration::ZERO;
        }
        let pause = pause(attempt);
        waited += pause;
        if waited > patience {
            return false;
        }
        thread::sleep(pause);
        true
    }
}

/// The pause before a lock is tried again: 0.5 ms at first, 10 ms at most.
fn pause(attempt: i32) -> Duration {
    let grown = Duration::from_micros(500 + 250 * u64::from(attempt.unsigned_abs()));
    grown.min(Duration::from_millis(10))
}

/// The path as part of a URI: every byte encoded, as no byte has to be left as it is.
fn percent_encoded(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().map(|byte| format!("%{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
