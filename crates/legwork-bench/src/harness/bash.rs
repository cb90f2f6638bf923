//! How long a command takes in the sandbox, compared with a bare `bwrap`.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use legwork::core::{AgentState, EffectKey, Seq, SessionId, ToolCall};
use legwork::port::{Cancellation, Tool as _, ToolContext};
use legwork::tools::{Environment, Sandbox, Workspace};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::Side;
use crate::{error::Error, workload::Sample};

/// Commands in a sample; one more runs before, because the first probes the sandbox.
const COMMANDS: u32 = 20;
/// Folders of the workspace, and files in each.
const FOLDERS: usize = 50;
const FILES: usize = 20;

/// The arguments of the baseline, `bwrap`: the same namespaces and devices, and the whole system
/// read-only.
const BARE: [&str; 17] = [
    "--unshare-all",
    "--die-with-parent",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
    "--",
    "bash",
    "--noprofile",
    "--norc",
    "-c",
    "true",
];

/// A workspace that is a repository, and a shell in it.
pub(super) struct Bash {
    tool: legwork::tools::Bash,
    runtime: Runtime,
    workspace: TempDir,
}

/// Whether the baseline, `bwrap`, works.
pub(super) fn has_baseline() -> bool {
    let tried = Command::new("bwrap").args(BARE).stdin(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

impl Bash {
    /// Makes the workspace, and runs one command.
    pub(super) fn open(dir: &Path) -> Result<Self, Error> {
        let workspace = tempfile::Builder::new().prefix("legwork-bench-").tempdir_in(dir);
        let workspace = workspace.map_err(Error::io("making a workspace"))?;
        fill(workspace.path()).map_err(Error::io("making a workspace"))?;
        let environment = Environment::filtered(std::env::vars_os());
        let sandbox = Sandbox::bubblewrap(&environment);
        let opened = Workspace::open(workspace.path());
        let opened = opened
            .map_err(|error| Error::io("opening a workspace")(std::io::Error::other(error)))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Error::io("starting a runtime"))?;
        let bash = Self {
            tool: legwork::tools::Bash::new(opened, environment, sandbox),
            runtime,
            workspace,
        };
        bash.command()?;
        Ok(bash)
    }

    /// The time of a command, in milliseconds.
    pub(super) fn measure(&self, side: Side) -> Result<Sample, Error> {
        let start = Instant::now();
        for _ in 0..COMMANDS {
            match side {
                Side::Baseline => self.bare()?,
                Side::Legwork => self.command()?,
            }
        }
        let took = start.elapsed() / COMMANDS;
        Ok([("command_ms".to_owned(), took.as_secs_f64() * 1e3)].into())
    }

    fn bare(&self) -> Result<(), Error> {
        let mut command = Command::new("bwrap");
        command.args(BARE).current_dir(self.workspace.path()).stdin(Stdio::null());
        let ended = command.output().map_err(Error::io("starting `bwrap`"))?;
        match ended.status.success() {
            true => Ok(()),
            false => {
                Err(Error::Child { command: "bwrap".to_owned(), status: ended.status.to_string() })
            }
        }
    }

    fn command(&self) -> Result<(), Error> {
        let session = SessionId::new("bench");
        let key = EffectKey { session: session.clone(), entry: Seq(1), index: 0 };
        let state = AgentState::new(session);
        let cx = ToolContext::new(state, key, Cancellation::new());
        let call = ToolCall::new("call", self.tool.spec().name.clone(), r#"{"command":"true"}"#);
        let found = self.runtime.block_on(self.tool.call(&call, &cx)).to_text();
        match found == "[no output]" {
            true => Ok(()),
            false => {
                let expected = "[no output]".to_owned();
                Err(Error::Outcome { what: "what a command printed", expected, found })
            }
        }
    }
}

/// Makes a repository with hooks, and files next to it.
fn fill(root: &Path) -> std::io::Result<()> {
    for folder in [".git/objects", ".git/refs", ".git/hooks", ".git/info"] {
        fs::create_dir_all(root.join(folder))?;
    }
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n")?;
    fs::write(root.join(".git/config"), "[core]\n")?;
    for hook in 0..14 {
        fs::write(root.join(format!(".git/hooks/hook-{hook}.sample")), "#!/bin/sh\n".repeat(100))?;
    }
    for folder in 0..FOLDERS {
        let place = root.join(format!("folder_{}/part_{folder}", folder % 10));
        fs::create_dir_all(&place)?;
        for file in 0..FILES {
            fs::write(place.join(format!("file_{file}.rs")), "text\n".repeat(20))?;
        }
    }
    Ok(())
}
