//! A Redis server.

use std::cell::Cell;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::folder::{Folder, password};
use super::supervised::{Supervised, free_port};
use super::{REDIS_URL, program, shared};

/// The signal that ends it at once.
const STOP: &str = "KILL";

/// A private Redis server; dropping it stops it and removes its data.
///
/// It writes each change to its log, and syncs that, before it answers.
#[derive(Debug)]
pub struct Redis {
    server: Supervised,
    programs: PathBuf,
    port: u16,
    password: String,
    /// Dropped after the server.
    folder: Folder,
}

impl Redis {
    /// Starts a server on a free port of loopback; none if Redis is not installed.
    ///
    /// # Errors
    /// If it does not start; the error has what it wrote last.
    pub fn start() -> io::Result<Option<Self>> {
        let Some(programs) = program::redis() else { return Ok(None) };
        let folder = Folder::new("redis")?;
        let password = password()?;
        let port = Cell::new(0);
        let command = || {
            port.set(free_port()?);
            command(&folder, &programs, port.get(), &password)
        };
        let server =
            Supervised::start(&folder, STOP, command, |_| is_ready(port.get(), &password))?;
        Ok(Some(Self { server, programs, port: port.get(), password, folder }))
    }

    /// The address of the server that all tests of a run share, or that of one of its own.
    ///
    /// The server lives as long as what is returned beside the address.
    ///
    /// # Errors
    /// As [`Redis::start`].
    pub fn shared() -> io::Result<Option<(String, Option<Self>)>> {
        if let Some(url) = shared(REDIS_URL) {
            return Ok(Some((url, None)));
        }
        Ok(Self::start()?.map(|server| (server.url(), Some(server))))
    }

    /// The address of its first database, with the password.
    pub fn url(&self) -> String {
        format!("redis://:{}@127.0.0.1:{}/0", self.password, self.port)
    }

    /// The process id of the server.
    pub fn id(&self) -> u32 {
        self.server.id()
    }

    /// Kills it with SIGKILL; its data stay as they are.
    ///
    /// # Errors
    /// If the signal cannot be sent.
    pub fn kill(&mut self) -> io::Result<()> {
        self.server.end("KILL")
    }

    /// Stops its process, so that it answers nothing until [`Redis::resume`].
    ///
    /// # Errors
    /// If the signal cannot be sent.
    pub fn pause(&mut self) -> io::Result<()> {
        self.server.signal("STOP")
    }

    /// Lets it go on after [`Redis::pause`].
    ///
    /// # Errors
    /// If the signal cannot be sent.
    pub fn resume(&mut self) -> io::Result<()> {
        self.server.signal("CONT")
    }

    /// Starts it again on the same data and port, after it was killed.
    ///
    /// # Errors
    /// If it does not start.
    pub fn restart(&mut self) -> io::Result<()> {
        self.kill()?;
        let Self { programs, port, password, folder, .. } = self;
        let command = || command(folder, programs, *port, password);
        self.server = Supervised::start(folder, STOP, command, |_| is_ready(*port, password))?;
        Ok(())
    }

    /// Stops it and removes its data.
    pub fn stop(self) {
        drop(self);
    }
}

fn command(folder: &Folder, programs: &Path, port: u16, password: &str) -> io::Result<Command> {
    let settings = format!(
        "bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir \"{}\"\n\
         appendonly yes\nappendfsync always\nsave \"\"\nmaxmemory-policy noeviction\n",
        folder.path().display(),
    );
    let settings = folder.write("redis.conf", &settings)?;
    let mut command = folder.command(&programs.join("redis-server"));
    command.arg(settings);
    Ok(command)
}

/// Whether the server with this password answers on a port, and has read its data.
fn is_ready(port: u16, password: &str) -> bool {
    let asked = || -> io::Result<String> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(stream, "AUTH {password}\r\nPING\r\nQUIT\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    asked().is_ok_and(|answer| answer.starts_with("+OK\r\n+PONG"))
}
