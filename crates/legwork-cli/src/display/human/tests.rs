//! What people and programs see of subagents: a scripted run, whole.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork::agent::memory::MemoryStore;
use legwork::agent::{Agent, Control, Subagent, subagent};
use legwork::core::budget::Amounts;
use legwork::core::{EffectClass, ExecutionStatus, SessionId, ToolCall, ToolOutcome, ToolSpec};
use legwork::port::{BoxFuture, Emitter, EventKind, Observer, Origin, Retry, Tool, ToolContext};
use legwork_testkit::{Gate, Script, ScriptedModel, Turn, VirtualClock};
use serde_json::{Value, json};

use crate::display::marks::{Marks, Signs};
use crate::display::tests::piped;
use crate::display::{Again, Displayer, Human, Json, Screen, Terminal, Verbosity};

/// Written by a display, read by a test.
#[derive(Clone, Default)]
pub(super) struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Written {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

struct Look;

impl Tool for Look {
    fn spec(&self) -> Arc<ToolSpec> {
        let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
        Arc::new(ToolSpec::new("look", "Looks.", schema).effect(EffectClass::ReadOnly))
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        cx.progress("looking");
        let arguments: Value = call.parse().unwrap();
        let path = arguments["path"].as_str().unwrap_or_default();
        Box::pin(std::future::ready(match path {
            "secret" => ToolOutcome::failed("no such file"),
            path => ToolOutcome::text(format!("1\n2\nthe end of {path}\n")),
        }))
    }
}

fn model(name: &str, turns: impl IntoIterator<Item = Turn>) -> ScriptedModel {
    ScriptedModel::new(turns.into_iter().collect::<Vec<_>>()).named(name)
}

fn spawn(agent: &str, prompt: &str) -> (&'static str, Value) {
    (subagent::TOOL, json!({"agent": agent, "prompt": prompt}))
}

fn look(path: &str) -> Turn {
    Turn::call("look", json!({"path": path}))
}

/// Two reviewers at once: the first waits for its model until that of the second failed,
/// and asks a helper then.
fn agent() -> Agent {
    let gate = Gate::new();
    let reviews = Script::from_fn(move |asked| {
        let second = asked.messages[0].text.contains("again");
        match asked.turn() {
            _ if second => {
                gate.open();
                Turn::status(500).with_message("overheated\x1b[2J")
            }
            0 => look("src/a_rather_long_name/of_a_file.rs")
                .with_text("I look.\x1b]0;x\x07")
                .behind(&gate),
            1 => Turn::calls([spawn("helper", "Fetch\nthe secret")]),
            _ => Turn::text("all well"),
        }
    });
    let reviews = ScriptedModel::new(reviews).named("x:reviewer");
    let helps = [look("secret"), Turn::text("helped")];
    let both = [spawn("reviewer", "Look at it"), spawn("reviewer", "Look at it again")];
    Agent::builder(model("x:root", [Turn::calls(both), Turn::text("Done.")]))
        .tools([Look])
        .subagent(Subagent::new("reviewer", "Reviews.", "You review.").model(reviews))
        .subagent(Subagent::new("helper", "Helps.", "You help.").model(model("x:helper", helps)))
        .clock(Arc::new(VirtualClock::new()))
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .unwrap()
}

async fn shown(displayer: impl Displayer + 'static) {
    let screen = Screen::new(displayer, Control::default(), Again::default());
    let observer = Arc::clone(&screen) as Arc<dyn Observer>;
    agent().run("go").in_session("s").observer(observer).await.unwrap();
}

fn plain() -> Terminal {
    Terminal { columns: 80, marks: Marks::of(Signs::Ascii), ..piped() }
}

/// What stays on standard error, times left out.
async fn told(terminal: Terminal, verbosity: Verbosity) -> String {
    let (out, err) = (Written::default(), Written::default());
    let human = Human::new(out.clone(), err.clone(), terminal).verbosity(verbosity);
    shown(human).await;
    assert_eq!(out.text(), "Done.\n");
    let text = err.text();
    assert!(!text.contains("\x1b[2J") && !text.contains('\x07'), "{text:?}");
    text.lines().map(|line| without_time(line) + "\n").collect()
}

fn without_time(line: &str) -> String {
    let Some((before, rest)) = line.split_once(" (") else { return line.to_owned() };
    match rest.split_once("s)") {
        Some((time, after)) if time.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{before}{after}")
        }
        _ => line.to_owned(),
    }
}

#[tokio::test]
async fn people_see_what_subagents_do_under_their_calls() {
    insta::assert_snapshot!("plain_80", told(plain(), Verbosity::Usual).await);
    let narrow = Terminal { columns: 40, err: true, ..plain() };
    let text = told(narrow, Verbosity::Usual).await;
    insta::assert_snapshot!("plain_40", text);
    let styled = Terminal { colour: true, marks: Marks::of(Signs::Unicode), ..plain() };
    insta::assert_snapshot!("styled_80", told(styled, Verbosity::Usual).await);
}

#[tokio::test]
async fn what_subagents_do_just_now_is_taken_back() {
    let lively = Terminal { err: true, lively: true, ..plain() };
    let (out, err) = (Written::default(), Written::default());
    shown(Human::new(out, err.clone(), lively)).await;
    let text = err.text();
    for what in
        ["reviewer 2: asking x:reviewer", "reviewer/helper: look secret", "reviewer: looking"]
    {
        assert!(text.contains(&format!("\r\x1b[2K| {what}")), "{what}: {text:?}");
    }
    let shown: String = text.lines().map(|line| line.rsplit("\x1b[2K").next().unwrap()).collect();
    assert!(!shown.contains("asking") && !shown.contains("looking"), "{shown:?}");
}

#[test]
fn what_is_to_be_known_of_a_subagent_is_told_with_its_name() {
    let (out, err) = (Written::default(), Written::default());
    let human = Human::new(out.clone(), err.clone(), plain());
    let screen = Screen::new(human, Control::default(), Again::default());
    let root = Origin::root(SessionId::new("s"));
    let origin = root.child("re\x1bviewer", SessionId::new("s/1"));
    let observer = Arc::clone(&screen) as Arc<dyn Observer>;
    let child = origin.session.clone();
    let root = Emitter::new(Arc::new(root), Arc::clone(&observer));
    let below = Emitter::new(Arc::new(origin), observer);
    root.warn(|| "mind this".to_owned());
    below.warn(|| "mind\x1b[2J that".to_owned());
    below.emit(|| EventKind::JournalCut { damage: "half an entry".to_owned() });
    let (wait, left) = (Duration::from_secs(2), Duration::from_secs(60));
    let error = "refused\x1b";
    let retry = Retry { attempt: 1, wait, left, error, discarded: false, charged_attempts: 0 };
    below.emit(|| retry.into());
    root.emit(|| EventKind::SubagentFinished {
        index: 0,
        agent: "re\x1bviewer".to_owned(),
        child,
        status: ExecutionStatus::AwaitingApproval,
        steps: 1,
        used: Amounts::default(),
    });
    let name = "re\\u{1b}viewer";
    let told = [
        "warning: mind this".to_owned(),
        format!("warning: {name}: mind\\u{{1b}}[2J that"),
        format!("warning: {name}: half an entry"),
        format!("  {name}: waiting 2.0 s before attempt 2: refused\\u{{1b}} (retries end ..."),
        format!("  {name} awaiting approval - 1 step - 0 tokens in, 0 out"),
    ];
    assert_eq!(err.text().lines().collect::<Vec<_>>(), told);
    assert_eq!(out.text(), "");
}

#[tokio::test]
async fn nothing_of_subagents_is_told_quietly_and_each_event_verbosely() {
    let quiet = told(plain(), Verbosity::Quiet).await;
    assert!(!quiet.contains("reviewer") && !quiet.contains("overheated"), "{quiet}");
    insta::assert_snapshot!("verbose_80", told(plain(), Verbosity::Verbose).await);
}

#[tokio::test]
async fn programs_are_told_whose_each_line_is() {
    let out = Written::default();
    shown(Json::new(out.clone())).await;
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/events.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let mut told = Vec::new();
    for line in out.text().lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        assert!(validator.is_valid(&event), "{line}");
        assert_eq!(event["version"], 1);
        told.push(event);
    }
    let of = |path: Value, kind: &str| -> Vec<&Value> {
        told.iter().filter(|event| event["path"] == path && event["type"] == kind).collect()
    };
    let (root, reviewer) = (Value::Null, json!(["reviewer"]));
    let started = of(root.clone(), "subagent_started");
    assert_eq!(started.len(), 2);
    let first = &started[0]["child"];
    let looks = of(reviewer.clone(), "tool_finished");
    assert_eq!((&looks[0]["session"], &looks[0]["step"]), (first, &json!(1)));
    assert_eq!(looks[0]["call"]["name"], "look");
    let helped = of(reviewer.clone(), "subagent_finished");
    assert_eq!(
        (&helped[0]["agent"], &helped[0]["status"]),
        (&json!("helper"), &json!("completed"))
    );
    assert_eq!((&helped[0]["steps"], &helped[0]["session"]), (&json!(2), first));
    let deep = of(json!(["reviewer", "helper"]), "tool_finished");
    assert_eq!(
        (&deep[0]["outcome"]["ok"], &deep[0]["session"]),
        (&Value::Null, &helped[0]["child"])
    );
    let errors = of(reviewer, "error");
    assert_eq!(errors[0]["session"], started[1]["child"]);
    let ended = of(root.clone(), "subagent_finished");
    let mut ends: Vec<_> = ended.iter().map(|event| event["status"].as_str().unwrap()).collect();
    ends.sort_unstable();
    assert_eq!(ends, ["completed", "failed"]);
    // Whoever reads only lines without a path reads the run alone.
    let text: String =
        of(root.clone(), "text_delta").iter().map(|e| e["text"].as_str().unwrap()).collect();
    assert_eq!(text, "Done.");
    assert_eq!(of(root, "execution_started").len(), 1);
}
