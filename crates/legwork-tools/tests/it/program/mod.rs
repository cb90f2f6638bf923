//! Programs that run until they are ended: their streams, their walls, their ends.

mod confined;
mod ending;
mod limits;
mod starting;
mod streams;

use std::process::Command;
use std::time::Duration;

use legwork_tools::sandbox::{Bubblewrap, Landlock};
use legwork_tools::{Environment, Program, Sandbox};
use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, waitid};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::fixture::{Fixture, PATIENCE, environment};

/// Longer than any program here takes to end by itself.
const LONG: Duration = Duration::from_secs(50);
/// Too short for anything to end.
const SHORT: Duration = Duration::from_millis(100);

/// A workspace, and a sandbox for programs in it.
struct Stage {
    place: Fixture,
    environment: Environment,
    sandbox: Sandbox,
}

impl Stage {
    fn new(sandbox: impl Fn(&Environment) -> Sandbox, environment: Environment) -> Self {
        Self { place: Fixture::new(), sandbox: sandbox(&environment), environment }
    }

    /// Without walls.
    fn open() -> Self {
        Self::new(|_| Sandbox::Off, environment())
    }

    /// One for each sandbox that works here.
    fn walled() -> Vec<Self> {
        Self::walled_with(&environment())
    }

    fn walled_with(environment: &Environment) -> Vec<Self> {
        let stages: [Self; 2] = [Sandbox::bubblewrap, Sandbox::landlock]
            .map(|kind| Self::new(kind, environment.clone()));
        let [bubblewrap, landlock] = &stages;
        let reasons = [
            Bubblewrap::new(environment).check(&bubblewrap.place.path("")).err(),
            Landlock::new(environment).check(&landlock.place.path("")).err(),
        ];
        let mut works = Vec::new();
        for (stage, reason) in stages.into_iter().zip(reasons) {
            match reason {
                Some(why) => println!("skipped: {why}"),
                None => works.push(stage),
            }
        }
        works
    }

    /// Those, and one without walls.
    fn all() -> Vec<Self> {
        Self::walled().into_iter().chain([Self::open()]).collect()
    }

    fn program(&self, name: &str) -> Program {
        let workspace = self.place.workspace();
        Program::new(workspace, self.environment.clone(), self.sandbox.clone(), name)
            .with_grace(SHORT)
    }

    fn shell(&self, script: &str) -> Program {
        self.program("sh").with_arguments(["-c", script])
    }
}

/// Everything that comes from a pipe until its end.
async fn all_of(mut pipe: impl AsyncRead + Unpin) -> String {
    let mut text = String::new();
    pipe.read_to_string(&mut text).await.expect("read");
    text
}

/// Whether this process has no child, not even one that waits to be reaped.
fn is_childless() -> bool {
    let any = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(waitid(WaitId::All, any), Err(Errno::CHILD))
}

/// Waits until this process has no child.
async fn childless() {
    let waited = tokio::time::timeout(PATIENCE, async {
        while !is_childless() {
            tokio::task::yield_now().await;
        }
    });
    waited.await.expect("a child is left");
}

/// Set for the process that runs a test alone.
const ALONE: &str = "LEGWORK_TOOLS_TEST_ALONE";
/// What its environment has of secrets.
const SECRET: (&str, &str) = ("SERVICE_API_KEY", "the secret of the parent");

/// Runs a test in a process without other tests, whose environment has a secret.
fn alone<R: Future<Output = ()>>(test: &str, run: impl FnOnce() -> R) {
    if std::env::var_os(ALONE).is_some() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        return runtime.expect("a runtime").block_on(run());
    }
    let (_, path) = test.split_once("::").expect("a path");
    let output = Command::new(std::env::current_exe().expect("a name"))
        .args(["--exact", path, "--nocapture"])
        .envs([(ALONE, "1"), SECRET])
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("1 passed"), "{test} alone");
}
