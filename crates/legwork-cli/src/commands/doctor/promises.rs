//! Trying what the sandboxes promise.

use std::io;
use std::sync::Arc;

use legwork::port::Sandbox;
use legwork::tools::Environment;
use legwork::tools::sandbox::probe::{self, Found, Helper, Promise};
use legwork::tools::sandbox::{Bubblewrap, Landlock, Policy};
use serde::Serialize;

use crate::commands::{print, print_json};
use crate::display::text::{visible, wrapped};
use crate::display::{Terminal, Tone};
use crate::error::Error;
use crate::exit::Exit;

/// What came of a sandbox.
#[derive(Debug, Serialize)]
struct Tried {
    r#type: &'static str,
    sandbox: &'static str,
    /// Whether it holds all that the documentation says that it holds.
    ok: bool,
    promises: Vec<Outcome>,
}

#[derive(Debug, Serialize)]
struct Outcome {
    name: &'static str,
    promise: &'static str,
    found: State,
    /// Whether the documentation says that it is held.
    promised: bool,
    /// Why it was not tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Held,
    NotHeld,
    Untried,
}

impl Tried {
    fn works(&self) -> bool {
        self.promises.iter().any(|promise| promise.found != State::Untried)
    }
}

/// Makes an attempt from inside of a sandbox, and says whether it succeeded.
pub(super) fn attempted(attempt: &[String]) -> Result<Exit, Error> {
    let [name, argument] = attempt else { return Ok(Exit::Usage) };
    print(if probe::attempt(name, argument) { "ESCAPED\n" } else { "" })?;
    Ok(Exit::Done)
}

/// Tries both sandboxes, and prints what came of it.
pub(super) fn tried(json: bool) -> Result<Exit, Error> {
    let environment = Environment::filtered(std::env::vars_os());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let all = runtime.map_err(failed)?.block_on(async {
        let bubblewrap = try_out("bubblewrap", &environment, |environment, policy| {
            Arc::new(Bubblewrap::new(environment).with_policy(policy))
        });
        let bubblewrap = bubblewrap.await?;
        let landlock = try_out("landlock", &environment, |environment, policy| {
            Arc::new(Landlock::new(environment).with_policy(policy))
        });
        Ok::<_, Error>([bubblewrap, landlock.await?])
    })?;
    let lines = || all.iter().filter_map(|one| serde_json::to_string(one).ok());
    match json {
        true => print_json(&lines().map(|line| line + "\n").collect::<String>())?,
        false => print(&shown(&all, Terminal::detect()))?,
    };
    let mut working = all.iter().filter(|one| one.works()).peekable();
    let ok = working.peek().is_some() && working.all(|one| one.ok);
    Ok(if ok { Exit::Done } else { Exit::Failed })
}

async fn try_out(
    sandbox: &'static str,
    environment: &Environment,
    make: impl FnOnce(&Environment, Policy) -> Arc<dyn Sandbox>,
) -> Result<Tried, Error> {
    let program = std::env::current_exe().map_err(failed)?;
    let helper = Helper { program: &program, arguments: "doctor --attempt" };
    let found = probe::try_all(make, environment, &helper).await.map_err(failed)?;
    let outcome = |(promise, found)| outcome(sandbox, promise, found);
    let promises: Vec<_> = found.into_iter().map(outcome).collect();
    let ok = promises.iter().all(|one| !one.promised || one.found == State::Held);
    Ok(Tried { r#type: "sandbox", sandbox, ok, promises })
}

fn failed(source: io::Error) -> Error {
    Error::System { doing: "trying the sandboxes", source }
}

fn outcome(sandbox: &str, promise: &'static Promise, found: Found) -> Outcome {
    let (found, why) = match found {
        Found::Held => (State::Held, None),
        Found::NotHeld => (State::NotHeld, None),
        Found::Untried(why) => (State::Untried, Some(why)),
        _ => (State::Untried, None),
    };
    let promised = !promise.not_held_by.contains(&sandbox);
    Outcome { name: promise.name, promise: promise.words, found, promised, why }
}

/// A line for each promise, with what each sandbox makes of it.
fn shown(all: &[Tried], terminal: Terminal) -> String {
    let most = if terminal.out { terminal.columns } else { usize::MAX };
    let mut text = String::new();
    for one in all {
        text += &format!("{}\n", one.sandbox);
        for promise in one.promises.iter().filter(|_| one.works()) {
            let found = match (promise.found, promise.promised) {
                (State::Held, _) => "✓ held     ".to_owned(),
                (State::NotHeld, false) => terminal.paint(Tone::Strong, "! not held "),
                (State::NotHeld, true) => terminal.paint(Tone::Bad, "✗ NOT HELD "),
                (State::Untried, _) => "? not tried".to_owned(),
            };
            // Behind what was found, and two blanks on each side of it.
            const INDENT: usize = 15;
            let words = wrapped(promise.promise, most.saturating_sub(INDENT).max(20), 0);
            let words = words.replace('\n', &format!("\n{:INDENT$}", ""));
            text += &format!("  {found}  {words}\n");
        }
        let why = one.promises.iter().find_map(|promise| promise.why.as_deref());
        if let Some(why) = why {
            text += &format!("{}\n", wrapped(&format!("  not tried: {}", visible(why)), most, 4));
        }
        text.push('\n');
    }
    let broken = all.iter().flat_map(|one| &one.promises);
    let broken = broken.filter(|one| one.found == State::NotHeld && one.promised).count();
    let verdict = match (broken, all.iter().any(Tried::works)) {
        (0, true) => "a command cannot do what is held; what is not held, docs/sandbox.md says too"
            .to_owned(),
        (0, false) => "no sandbox works here; `legwork doctor` says why".to_owned(),
        (broken, _) => format!("{broken} that should be held are not: do not rely on them here"),
    };
    text + &wrapped(&verdict, most, 0) + "\n"
}
