//! A Postgres server.

use std::cell::Cell;
use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::folder::{Folder, home, password};
use super::program;
use super::supervised::{Supervised, free_port, run};

/// The user of the database, who may do everything there.
const USER: &str = "legwork";

/// The signal that ends it and its processes at once: killed, it would leave them behind.
const STOP: &str = "QUIT";

/// How long its processes may live on after it was killed.
const DYING: Duration = Duration::from_secs(30);

/// The file with the user's password, within the data of a server.
const PASSWORD: &str = "legwork-password";

/// Increased when data are made in another way, so that those of before are not used.
const LAYOUT: u32 = 1;

/// Whether a server waits until the disk has what it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synced {
    /// It does not: what it answered survives that it is killed, and not a loss of power.
    #[default]
    No,
    /// It does, as servers in production do: for measurements.
    Yes,
}

/// A private Postgres server; dropping it stops it and removes its data.
#[derive(Debug)]
pub struct Postgres {
    server: Supervised,
    programs: PathBuf,
    port: u16,
    password: String,
    synced: Synced,
    /// Dropped after the server.
    folder: Folder,
}

impl Postgres {
    /// Starts a server on a free port of loopback; none if Postgres is not installed.
    ///
    /// # Errors
    /// If it does not start; the error has what it wrote last.
    pub fn start() -> io::Result<Option<Self>> {
        Self::start_with(Synced::default())
    }

    /// The same, and says whether it waits for the disk.
    ///
    /// # Errors
    /// As [`Postgres::start`].
    pub fn start_with(synced: Synced) -> io::Result<Option<Self>> {
        let Some(programs) = program::postgres() else { return Ok(None) };
        let folder = Folder::new("postgres")?;
        fill(&folder, &programs)?;
        let password = fs::read_to_string(data(&folder).join(PASSWORD))?;
        let port = Cell::new(0);
        let command = || {
            port.set(free_port()?);
            Ok(command(&folder, &programs, port.get(), synced))
        };
        let server = Supervised::start(&folder, STOP, command, |id| is_ready(&folder, id))?;
        Ok(Some(Self { server, programs, port: port.get(), password, synced, folder }))
    }

    /// The address of its database `postgres`, with the user and the password.
    pub fn url(&self) -> String {
        format!("postgres://{USER}:{}@127.0.0.1:{}/postgres", self.password, self.port)
    }

    /// The process id of the server.
    pub fn id(&self) -> u32 {
        self.server.id()
    }

    /// Kills it with SIGKILL; its data stay as they are.
    ///
    /// When it returns, no process of the server accepts connections.
    ///
    /// # Errors
    /// If the signal cannot be sent.
    pub fn kill(&mut self) -> io::Result<()> {
        self.server.end("KILL")?;
        // A process that it had just forked may have its port still.
        let until = Instant::now() + DYING;
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok() {
            if Instant::now() > until {
                return Err(io::Error::other("processes of a killed server do not end"));
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Ends it as an administrator does, which closes all connections; its data stay.
    ///
    /// # Errors
    /// If the signal cannot be sent.
    pub fn shut_down(&mut self) -> io::Result<()> {
        self.server.end("INT")
    }

    /// Starts it again on the same data and port, after it was killed or shut down.
    ///
    /// # Errors
    /// If it does not start.
    pub fn restart(&mut self) -> io::Result<()> {
        self.kill()?;
        let Self { programs, port, synced, folder, .. } = self;
        let command = || Ok(command(folder, programs, *port, *synced));
        self.server = Supervised::start(folder, STOP, command, |id| is_ready(folder, id))?;
        Ok(())
    }

    /// Stops it and removes its data.
    pub fn stop(self) {
        drop(self);
    }
}

fn data(folder: &Folder) -> PathBuf {
    folder.path().join("data")
}

/// The command that runs a server on the data in a folder.
fn command(folder: &Folder, programs: &Path, port: u16, synced: Synced) -> Command {
    let mut command = folder.command(&programs.join("postgres"));
    command.arg("-D").arg(data(folder)).args(["-p", &port.to_string()]);
    let fsync = match synced {
        Synced::Yes => "fsync=on",
        Synced::No => "fsync=off",
    };
    let settings = [
        fsync,
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "max_connections=300",
        "shared_buffers=64MB",
        "max_wal_size=256MB",
        "min_wal_size=32MB",
        "jit=off",
    ];
    for setting in settings {
        command.args(["-c", setting]);
    }
    command
}

/// Whether the server of this process id says that it accepts connections, in the file that it
/// keeps for that.
fn is_ready(folder: &Folder, id: u32) -> bool {
    let text = fs::read_to_string(data(folder).join("postmaster.pid")).unwrap_or_default();
    let mut lines = text.lines();
    lines.next() == Some(&id.to_string()) && lines.nth(6).is_some_and(|line| line.trim() == "ready")
}

/// Fills the folder of a server with empty data: a copy of those that were made first, since
/// making them takes a second.
fn fill(folder: &Folder, programs: &Path) -> io::Result<()> {
    let Some(home) = home() else { return init(folder, programs) };
    let version = programs.parent().and_then(Path::file_name).unwrap_or_default();
    let template = home.join(format!("postgres-{}-{LAYOUT}", version.display()));
    let lock = File::create(home.join("lock"))?;
    lock.lock()?;
    if !template.is_dir() {
        let first = Folder::new("template")?;
        init(&first, programs)?;
        fs::rename(data(&first), &template)?;
    }
    lock.unlock()?;
    let mut copy = folder.command(Path::new("cp"));
    run(copy.arg("-Rp").arg(&template).arg(data(folder)))
}

fn init(folder: &Folder, programs: &Path) -> io::Result<()> {
    let password = folder.write(PASSWORD, &password()?)?;
    let mut initdb = folder.command(&programs.join("initdb"));
    initdb.arg("-D").arg(data(folder)).args(["-U", USER]).arg("--pwfile").arg(&password);
    initdb.args(["--auth-host=password", "--auth-local=reject"]);
    initdb.args(["--no-sync", "--locale=C", "--encoding=UTF8", "--wal-segsize=1"]);
    run(&mut initdb)?;
    fs::rename(password, data(folder).join(PASSWORD))
}
