//! A program on the façade with an idempotent tool: what is run again has its effect once.

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use legwork::agent::Error;
use legwork::core::{Message, SessionId};
use legwork::port::store::Range;
use legwork::port::{EventKind, Observer, RunEvent};
use legwork_testkit::Turn;
use serde_json::{Value, json};

use crate::counts;
use crate::kill::{Kill, LAST, Point, Side, plan};
use crate::scene::{ANSWER, Program, Scene, is_event};

#[allow(dead_code, reason = "its `main` is for people")]
#[path = "../../../legwork/examples/keyed.rs"]
mod program;

const FOLDER: &str = "LEGWORK_KEYED_FOLDER";
const URL: &str = "LEGWORK_KEYED_URL";
/// The type of the event at which the process stands still, and its step.
const STAND: &str = "LEGWORK_KEYED_STAND";
const SESSION: &str = "ledger";

/// The example `keyed`, played by this test binary so that it can stand still.
struct Keyed;

impl Program for Keyed {
    type Stop = ();

    fn prepare(_: &Path) {}

    fn call(number: usize) -> Turn {
        let call = json!({"name": format!("number {number}")});
        Turn::call("note", call).with_text(format!("I note number {number}."))
    }

    fn command(scene: &Scene<Self>) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["keyed::plays_the_program", "--exact", "--nocapture"]);
        command.env(FOLDER, scene.work()).env(URL, scene.server.base_url());
        command
    }

    fn stop(scene: &mut Scene<Self>, kill: Kill) {
        let kind = match (kill.point, kill.side) {
            (Point::Intent, Side::Before) => "tool_started",
            (Point::Intent, Side::After) => "tool_progress",
            _ => "tool_finished",
        };
        let mut command = Self::command(scene);
        command.env(STAND, format!("{kind} {}", kill.number));
        scene.start_by(command);
        scene.until(kind, |observed| is_event(observed, kind, kill.number));
    }
}

/// Plays the program in a child; in a run of the tests there is nothing to play.
#[test]
fn plays_the_program() {
    let (Some(folder), Ok(url)) = (env::var_os(FOLDER), env::var(URL)) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let model = legwork::model::at("test:scripted", Some(&url), None).unwrap();
        let agent = program::agent(model, Path::new(&folder)).unwrap();
        let teller: Arc<dyn Observer> = Arc::new(Teller { stand: env::var(STAND).ok() });
        let run = match agent.resume(SESSION).observer(Arc::clone(&teller)).await {
            Err(Error::UnknownSession(_)) => {
                agent.run("Note the numbers.").in_session(SESSION).observer(teller).await
            }
            run => run,
        };
        tell("execution_finished", 0, run.unwrap().text());
    });
}

/// Prints what happens, and stands still where it was asked to.
struct Teller {
    stand: Option<String>,
}

impl Observer for Teller {
    fn observe(&self, event: &RunEvent) {
        let kind = match event.kind {
            EventKind::TextDelta { .. }
            | EventKind::ToolStarted { .. }
            | EventKind::ToolProgress { .. }
            | EventKind::ToolFinished { .. } => event.kind.name(),
            _ => return,
        };
        let step = event.step.unwrap_or_default();
        let stands = self.stand.as_deref() == Some(&format!("{kind} {step}"));
        tell(kind, step, "");
        if stands {
            loop {
                std::thread::park();
            }
        }
    }
}

fn tell(kind: &str, step: u32, text: impl Into<String>) {
    let event = json!({"type": kind, "session": SESSION, "step": step, "text": text.into()});
    // The test runner writes to the same place: a line of its own.
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{event}").unwrap();
    out.flush().unwrap();
}

/// What came of a run.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// The names in the ledger.
    names: Vec<String>,
    /// The transcript, as the journal has it.
    transcript: Vec<Value>,
    /// The messages of the last request, as they were sent.
    sent: Value,
}

fn outcome(scene: &mut Scene<Keyed>) -> Outcome {
    let ended = scene.finishes();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert_eq!(ended.events.last().unwrap()["text"], ANSWER);
    let ledger = fs::read_to_string(scene.work().join("ledger.txt")).unwrap();
    let names = ledger.lines().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect();
    let store = scene.work().join("ledger.db");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let state = runtime.block_on(async {
        let store = legwork::store::open(&format!("sqlite:{}", store.display())).unwrap();
        let session = SessionId::from(SESSION);
        store.read(&session, Range::ALL).await.unwrap().journal.fold(&session)
    });
    let messages = state.context().transcript.messages().iter();
    let value = |message: &Arc<Message>| serde_json::to_value(&**message).unwrap();
    let transcript = messages.map(value).collect();
    let sent = scene.server.requests().last().unwrap().body["messages"].clone();
    Outcome { names, transcript, sent }
}

fn check(point: Point) {
    let undisturbed = outcome(&mut Scene::new());
    let all: Vec<_> = (1..=LAST).map(|number| format!("number {number}")).collect();
    assert_eq!(undisturbed.names, all);
    let runs = plan(point, counts::kills());
    for kills in &runs {
        let mut scene = Scene::<Keyed>::new();
        kills.iter().for_each(|kill| scene.killed(*kill));
        assert_eq!(outcome(&mut scene), undisturbed);
    }
    let kills: usize = runs.iter().map(Vec::len).sum();
    println!("idempotent tool killed {point}: {kills} times in {} runs", runs.len());
}

#[test]
fn s6_7_an_idempotent_tool_killed_inside_an_inference_acts_once() {
    check(Point::Inference);
}

#[test]
fn s6_7_an_idempotent_tool_killed_between_intent_and_outcome_acts_once() {
    check(Point::Intent);
}

#[test]
fn s6_7_an_idempotent_tool_killed_between_outcome_and_commit_acts_once() {
    check(Point::Outcome);
}
