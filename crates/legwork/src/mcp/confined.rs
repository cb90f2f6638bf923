//! A server that is a program in a sandbox.

use std::time::Duration;

use legwork_mcp::connect::Process;
use legwork_mcp::{Connect, Connected, Error};
use legwork_port::BoxFuture;
use legwork_tools::program::{self, Program, Started};

/// How long a program may take to end once its standard input is closed.
const GRACE: Duration = Duration::from_secs(2);

/// A server that is a program confined as commands of [`Bash`](legwork_tools::Bash) are.
#[derive(Clone)]
pub struct Confined {
    target: String,
    program: Program,
}

impl Confined {
    /// A server that is this program; `target` is what it is called in messages.
    pub fn new(target: impl Into<String>, program: Program) -> Self {
        Self { target: target.into(), program }
    }
}

impl Connect for Confined {
    fn target(&self) -> String {
        self.target.clone()
    }

    fn connect(&self) -> BoxFuture<'_, Result<Connected, Error>> {
        Box::pin(async {
            let started = self.program.start().await;
            let started = started.map_err(|error| Error::Unreachable(error.to_string()))?;
            let Started { input, output, errors, process, .. } = started;
            Ok(Connected::process(output, input, errors, Running(process)))
        })
    }
}

/// A program that runs; dropping it kills all that came of it.
struct Running(program::Process);

impl Process for Running {
    fn end(self: Box<Self>) -> BoxFuture<'static, Option<String>> {
        Box::pin(async move {
            let exit = self.0.end(GRACE).await;
            (exit.is_excess() || exit.is_stuck()).then(|| exit.to_string())
        })
    }
}
