//! A place with something to lose outside of the workspace, and who attacks it.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use legwork_port as port;
use legwork_tools::sandbox::{Bubblewrap, Landlock, Policy};
use legwork_tools::{Bash, Environment, Sandbox, Workspace};
use serde_json::json;

use crate::fixture::{call, environment};

/// The user that owns nothing.
const NOBODY: u32 = 65_534;
/// Set for the process that runs a test as that user.
const AS_NOBODY: &str = "LEGWORK_TOOLS_TEST_NOBODY";

/// Which walls a command runs behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walls {
    None,
    Bubblewrap,
    Landlock,
}

/// What there is to lose, and a workspace next to it.
pub(super) struct Scene {
    dir: tempfile::TempDir,
    pub(super) tcp: TcpListener,
    pub(super) udp: UdpSocket,
    pub(super) socket: UnixListener,
    pub(super) abstracted: UnixListener,
    pub(super) victim: Child,
}

impl Scene {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let path = |name: &str| dir.path().join(name);
        for name in ["outside", "home/work/.git/hooks", "home/work/.git/objects"] {
            std::fs::create_dir_all(path(name)).expect("made");
        }
        for (name, text) in [
            ("home/secret", "the secret"),
            ("outside/kept", "kept"),
            ("home/work/.git/HEAD", "ref: refs/heads/main\n"),
            ("home/work/.git/config", "[core]\n"),
            ("home/work/.git/marker", ""),
        ] {
            std::fs::write(path(name), text).expect("written");
        }
        // The helper is this program; a link to it can be reached by every user.
        let this = std::env::current_exe().expect("a name");
        let linked = std::fs::hard_link(&this, path("helper"));
        linked
            .or_else(|_| std::fs::copy("/proc/self/exe", path("helper")).map(drop))
            .expect("a helper");
        let name = dir.path().to_str().expect("ASCII").to_owned();
        let address = SocketAddr::from_abstract_name(name).expect("a name");
        let mut victim = Command::new("sleep");
        let victim = victim.arg("1000").env("VICTIMS_SECRET", "the secret").stdout(Stdio::null());
        let scene = Self {
            tcp: TcpListener::bind("0.0.0.0:0").expect("bound"),
            udp: UdpSocket::bind("127.0.0.1:0").expect("bound"),
            socket: UnixListener::bind(path("outside/socket")).expect("bound"),
            abstracted: UnixListener::bind_addr(&address).expect("bound"),
            victim: victim.spawn().expect("started"),
            dir,
        };
        scene.tcp.set_nonblocking(true).expect("set");
        scene.udp.set_nonblocking(true).expect("set");
        scene.socket.set_nonblocking(true).expect("set");
        scene.abstracted.set_nonblocking(true).expect("set");
        scene
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The name of a place, for a shell.
    pub(super) fn at(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// A command line that runs a part of the helper with an argument.
    pub(super) fn helper(&self, part: &str, argument: &str) -> String {
        let helper = self.at("helper");
        format!(
            "ATTACK={part} ARGUMENT={argument} {helper} --exact sandbox::helper::attack --nocapture"
        )
    }

    pub(super) fn environment(&self) -> Environment {
        environment().with("HOME", self.path("home"))
    }

    pub(super) fn policy(&self) -> Policy {
        Policy::default().with_readable(self.path("helper"))
    }

    /// A shell behind walls, or why there is none.
    pub(super) fn bash(&self, walls: Walls) -> Result<Bash, String> {
        let root = self.path("home/work");
        let environment = self.environment();
        let sandbox = match walls {
            Walls::None => Sandbox::Off,
            _ => {
                let sandbox = sandbox(walls, &environment, self.policy());
                sandbox.confine(&root, vec!["true".into()]).map_err(|error| error.to_string())?;
                Sandbox::By(sandbox)
            }
        };
        Ok(Bash::new(Workspace::open(root).expect("opened"), environment, sandbox))
    }

    /// What a command behind walls prints; none where there are no such walls here.
    pub(super) fn run(&self, walls: Walls, command: &str) -> Option<String> {
        match self.bash(walls) {
            Ok(bash) => Some(run(&bash, command)),
            Err(why) => {
                println!("skipped: {why}");
                None
            }
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // It may have been ended by the attack.
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

pub(super) fn sandbox(
    walls: Walls,
    environment: &Environment,
    policy: Policy,
) -> Arc<dyn port::Sandbox> {
    match walls {
        Walls::Landlock => Arc::new(Landlock::new(environment).with_policy(policy)),
        _ => Arc::new(Bubblewrap::new(environment).with_policy(policy)),
    }
}

/// Runs a command to its end, whatever comes of it.
pub(super) fn run(bash: &Bash, command: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let arguments = json!({ "command": command });
    runtime.expect("a runtime").block_on(call(bash, &arguments)).to_text()
}

pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a test as an ordinary user: in this process if it is one's, else in another.
pub(super) fn as_nobody(test: &str, run: impl FnOnce()) {
    if !is_root() {
        return run();
    }
    assert!(std::env::var_os(AS_NOBODY).is_none(), "still root");
    let (_, path) = test.split_once("::").expect("a path");
    // Reached by this name whatever folder it lies in.
    let output = Command::new("/proc/self/exe")
        .args(["--exact", path, "--nocapture"])
        .env(AS_NOBODY, "1")
        .env("TMPDIR", "/tmp")
        .current_dir("/")
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("1 passed"), "{test} as {NOBODY}");
}
