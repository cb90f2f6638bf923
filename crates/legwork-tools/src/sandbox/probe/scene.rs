//! What is at stake while promises are tried.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::Helper;
use super::inside::Segment;
use crate::bash::Environment;
use crate::sandbox::scratch::Scratch;

const KEPT: &str = "kept";
const CONFIG: &str = "[core]\n";

/// A folder with a workspace, a home, and what lies outside of both.
pub(super) struct Scene {
    place: Scratch,
    tcp: TcpListener,
    socket: UnixListener,
    abstracted: UnixListener,
    datagram: UnixDatagram,
    pipe: fs::File,
    victim: Child,
    shared: Segment,
    standing: String,
}

impl Scene {
    pub(super) fn new() -> io::Result<Self> {
        let place = Scratch::new()?;
        let at = |name: &str| place.path().join(name);
        for folder in ["out", "home", "work/.git/hooks", "work/.git/objects"] {
            fs::create_dir_all(at(folder))?;
        }
        fs::write(at("home/private"), KEPT)?;
        fs::write(at("work/.git/HEAD"), "ref: refs/heads/main\n")?;
        mknodat(CWD, at("out/pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0)?;
        let mut pipe = OpenOptions::new();
        pipe.read(true).write(true).custom_flags(libc::O_NONBLOCK);
        let abstracted = at("out");
        let abstracted = SocketAddr::from_abstract_name(abstracted.as_os_str().as_encoded_bytes())?;
        let mut victim = Command::new("sleep");
        let victim = victim.arg("1000").env("LEGWORK_PROBE", "1").stdin(Stdio::null());
        let mut scene = Self {
            tcp: TcpListener::bind("127.0.0.1:0")?,
            socket: UnixListener::bind(at("out/socket"))?,
            abstracted: UnixListener::bind_addr(&abstracted)?,
            datagram: UnixDatagram::bind(at("out/datagram"))?,
            pipe: pipe.open(at("out/pipe"))?,
            victim: victim.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?,
            shared: Segment::new()?,
            place,
            standing: String::new(),
        };
        scene.tcp.set_nonblocking(true)?;
        scene.socket.set_nonblocking(true)?;
        scene.abstracted.set_nonblocking(true)?;
        scene.datagram.set_nonblocking(true)?;
        scene.mend()?;
        Ok(scene)
    }

    pub(super) fn workspace(&self) -> PathBuf {
        self.place.path().join("work")
    }

    /// An environment by which the attempts know what is at stake.
    pub(super) fn environment(&self, base: &Environment, helper: &Helper<'_>) -> Environment {
        let port = self.tcp.local_addr().map(|address| address.port()).unwrap_or_default();
        let program = helper.program.display();
        base.clone()
            .with("HOME", self.place.path().join("home"))
            .with("OUT", self.place.path().join("out"))
            .with("PORT", port.to_string())
            .with("VICTIM", self.victim.id().to_string())
            .with("SHARED", self.shared.id().to_string())
            .with("TRY", format!("{program} {}", helper.arguments))
    }

    /// Whether anything that is at stake is not as it was.
    pub(super) fn is_harmed(&mut self) -> bool {
        let reached = self.is_reached();
        let died = !matches!(self.victim.try_wait(), Ok(None));
        reached || died || self.now() != self.standing
    }

    /// Whether something came to a server or the pipe since this was last asked.
    fn is_reached(&self) -> bool {
        let mut reached = false;
        loop {
            let again = self.tcp.accept().is_ok()
                || self.socket.accept().is_ok()
                || self.abstracted.accept().is_ok()
                || self.datagram.recv(&mut [0; 16]).is_ok()
                || (&self.pipe).read(&mut [0; 16]).is_ok_and(|read| read > 0);
            if !again {
                return reached;
            }
            reached = true;
        }
    }

    /// Makes it as it was.
    pub(super) fn mend(&mut self) -> io::Result<()> {
        let at = |name: &str| self.place.path().join(name);
        for name in ["out/new", "out/kept", "work/.git/hooks/new"] {
            match fs::remove_file(at(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::write(at("out/kept"), KEPT)?;
        fs::set_permissions(at("out/kept"), fs::Permissions::from_mode(0o644))?;
        fs::write(at("work/.git/config"), CONFIG)?;
        // What an attempt reached is none of the next one's.
        self.is_reached();
        self.standing = self.now();
        Ok(())
    }

    /// What files and processes outside look like.
    fn now(&self) -> String {
        let at = |name: &str| self.place.path().join(name);
        let kept = fs::read(at("out/kept")).ok();
        let mode = fs::metadata(at("out/kept")).map(|kept| (kept.mode(), kept.nlink())).ok();
        let new = at("out/new").symlink_metadata().is_ok();
        let git = fs::read(at("work/.git/config")).ok();
        let hooks = fs::read_dir(at("work/.git/hooks")).map_or(0, Iterator::count);
        let files = format!("{kept:?} {mode:?} {new} {git:?} {hooks}");
        format!("{files} {}", standing(self.victim.id()))
    }
}

/// Limits, priority, affinity and scheduling of a process.
fn standing(process: u32) -> String {
    let read = |name: &str| {
        fs::read_to_string(Path::new("/proc").join(process.to_string()).join(name))
            .unwrap_or_default()
    };
    let stat = read("stat");
    let fields: Vec<_> = stat
        .rsplit_once(')')
        .map(|(_, rest)| rest.split_whitespace().collect())
        .unwrap_or_default();
    let status = read("status");
    let cpus = status.lines().find(|line| line.starts_with("Cpus_allowed:"));
    // Priority, nice and policy, as proc_pid_stat(5) counts them.
    format!("{} {:?} {cpus:?}", read("limits"), [15, 16, 38].map(|at: usize| fields.get(at)))
}

impl Drop for Scene {
    fn drop(&mut self) {
        // It may have ended by an attempt.
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}
