//! What a server asks of a person in the middle of a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use legwork_agent::form::Form;
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Run, hook};
use legwork_core::inbox::Answer;
use legwork_core::state::{Pending, PendingReason};
use legwork_core::{AgentState, ExecutionStatus, Mask};
use legwork_mcp::Server;
use legwork_testkit::{Gate, Script, ScriptedModel, Turn};
use serde_json::json;
use tokio::time::timeout;

use crate::calls::results;
use crate::fixture::Fixture;

/// An agent that calls a tool of the fixture; each is another process.
fn agent(fixture: &Fixture, store: &MemoryStore, tools: &[&'static str]) -> Agent {
    let calls = tools.iter().map(|tool| (*tool, json!({})));
    let model = ScriptedModel::new([Turn::calls(calls), Turn::text("Done.")]);
    let agent = Agent::builder(model).toolset(Server::new("my", fixture.clone()));
    agent.store_in(Arc::new(store.clone())).build().unwrap()
}

fn waits(run: &Run) -> Pending {
    assert_eq!(run.status(), ExecutionStatus::AwaitingInput, "{:?}", results(run));
    let [pending] = run.state().pending() else { panic!("{:?}", run.state().pending()) };
    assert_eq!(pending.reason, PendingReason::Input);
    pending.clone()
}

/// The results of the calls of a turn that are not those that wait.
fn answered(run: &Run) -> Vec<String> {
    let calls = run.state().calls().filter_map(|(_, slot)| slot.execution());
    calls.map(|done| done.outcome.to_text()).collect()
}

#[tokio::test]
async fn s18_17_a_question_of_a_server_waits_and_is_answered_from_another_process() {
    for (fixture, calls) in [(Fixture::new(), 3), (Fixture::legacy(), 3)] {
        let store = MemoryStore::new();
        let build = || agent(&fixture, &store, &["my_asks"]);
        let mut run = build().run("go").in_session("s").outcome().await.unwrap();
        let mut asked = Vec::new();
        for _ in 0..2 {
            let pending = waits(&run);
            let form = Form::of(&pending).unwrap();
            let answer = match form.message.as_str() {
                "Which colour?" => {
                    let refused = form.read(&pending, "blue").unwrap_err().to_string();
                    assert_eq!(refused, "\"blue\" is none of the choices: 1 red, 2 green");
                    form.read(&pending, "green")
                }
                // What nobody changes has its default.
                _ => form.read(&pending, "{}"),
            };
            asked.push(form.message);
            build().session("s").answer(answer.unwrap()).await.unwrap();
            run = build().resume("s").outcome().await.unwrap();
        }
        asked.sort();
        assert_eq!(asked, ["How many?", "Which colour?"]);
        assert_eq!(results(&run), [r#"[{"colour":"green"},{"count":3}]"#]);
        assert_eq!(fixture.called().len(), calls);
    }
}

/// Writes into each form of the fixture.
fn written(pending: &Pending) -> Option<Answer> {
    let form = Form::of(pending)?;
    let value = if form.message == "How many?" { "7" } else { "RED" };
    form.read(pending, value).ok()
}

#[tokio::test]
async fn s18_17_whoever_is_there_is_asked_and_the_call_goes_on() {
    for (fixture, calls) in [(Fixture::new(), 3), (Fixture::legacy(), 1)] {
        let model = ScriptedModel::new([Turn::call("my_asks", json!({})), Turn::text("Done.")]);
        let person = async |pending: Pending, _: AgentState| written(&pending);
        let server = Server::new("my", fixture.clone());
        let agent = Agent::builder(model).toolset(server).approver(person);
        let run = agent.build().unwrap().run("go").await.unwrap();
        assert_eq!(results(&run), [r#"[{"colour":"red"},{"count":7}]"#]);
        assert_eq!(run.state().ledger().spent.tool_calls, 1);
        assert_eq!(fixture.called().len(), calls, "a call of 2025 is not made anew");
    }
}

/// The server is told that a call is cancelled.
async fn is_told(fixture: &Fixture) {
    // The time stands still as long as anything is done.
    timeout(Duration::from_secs(60), fixture.0.told.pass()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn s18_17_a_call_that_waits_is_over_when_it_is_denied() {
    let fixture = Fixture::legacy();
    let call = |tool| Turn::call(tool, json!({}));
    let model = ScriptedModel::new([call("my_asks"), call("my_told"), Turn::text("Done.")]);
    let person = async |pending: Pending, _: AgentState| Some(Answer::deny(&pending, "No."));
    let agent = Agent::builder(model).toolset(Server::new("my", fixture.clone())).approver(person);
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert_eq!(results(&run), ["Denied by a person: No.", "{}"]);
    is_told(&fixture).await;
    assert_eq!(fixture.called(), ["asks", "told"]);
}

#[tokio::test(start_paused = true)]
async fn s18_17_a_call_that_waits_is_over_when_another_one_is_made() {
    let fixture = Fixture::legacy();
    // What each session is told to call; the connection to the server is the same.
    let model = ScriptedModel::new(Script::from_fn(|asked| match asked.turn() {
        0 => Turn::call(asked.last(), json!({})),
        _ => Turn::text("Done."),
    }));
    let gate = Gate::new();
    let (arrives, server) = (gate.clone(), fixture.clone());
    let person = move |pending: Pending, _: AgentState| {
        let (arrives, server) = (arrives.clone(), server.clone());
        async move {
            arrives.open();
            is_told(&server).await;
            written(&pending)
        }
    };
    let agent = Agent::builder(model).toolset(Server::new("my", fixture.clone())).approver(person);
    let agent = agent.build().unwrap();
    let (asks, ()) = tokio::join!(agent.run("my_asks"), async {
        gate.pass().await;
        agent.run("my_echo").await.unwrap();
    });
    assert_eq!(results(&asks.unwrap()), [r#"[{"colour":"red"},{"count":7}]"#]);
    assert_eq!(fixture.called(), ["asks", "echo", "asks"]);
    assert_eq!(fixture.connections(), 1);
}

#[tokio::test(start_paused = true)]
async fn s18_17_a_denied_call_is_over_before_the_next_inference() {
    let fixture = Fixture::legacy();
    let told = Arc::new(AtomicBool::new(false));
    let (server, is_known) = (fixture.clone(), Arc::clone(&told));
    // A hook that panics does not fail the run: what it saw is asserted behind it.
    let looks = hook::before_inference("looks", move |inference, _| {
        let (server, is_known) = (server.clone(), Arc::clone(&is_known));
        async move {
            if !server.called().is_empty() {
                is_told(&server).await;
                is_known.store(true, Ordering::SeqCst);
            }
            inference
        }
    });
    let model = ScriptedModel::new([Turn::call("my_asks", json!({})), Turn::text("Done.")]);
    let person = async |pending: Pending, _: AgentState| Some(Answer::deny(&pending, "No."));
    let agent = Agent::builder(model).toolset(Server::new("my", fixture)).approver(person);
    let agent = agent.hook(looks);
    agent.build().unwrap().run("go").await.unwrap();
    assert!(told.load(Ordering::SeqCst), "the server was told before the second inference");
}

#[tokio::test(start_paused = true)]
async fn s18_17_a_call_that_waits_is_over_when_nobody_is_there() {
    let (fixture, store) = (Fixture::legacy(), MemoryStore::new());
    let run = agent(&fixture, &store, &["my_asks"]).run("go").in_session("s").outcome().await;
    waits(&run.unwrap());
    is_told(&fixture).await;
}

#[tokio::test(start_paused = true)]
async fn s18_17_a_call_that_waits_is_over_when_the_run_is_dropped() {
    let fixture = Fixture::legacy();
    let asked = Gate::new();
    let is_asked = asked.clone();
    let person = move |_: Pending, _: AgentState| {
        is_asked.open();
        std::future::pending::<Option<Answer>>()
    };
    let model = ScriptedModel::new([Turn::call("my_asks", json!({})), Turn::text("Done.")]);
    let agent = Agent::builder(model).toolset(Server::new("my", fixture.clone())).approver(person);
    let agent = agent.build().unwrap();
    tokio::select! {
        run = agent.run("go") => panic!("{:?}", run.unwrap().status()),
        () = asked.pass() => {}
    }
    is_told(&fixture).await;
}

#[tokio::test(start_paused = true)]
async fn s18_17_a_call_whose_server_ended_while_it_waited_is_made_anew() {
    let fixture = Fixture::legacy();
    let model = ScriptedModel::new([Turn::call("my_asks", json!({})), Turn::text("Done.")]);
    let server = fixture.clone();
    let person = move |pending: Pending, _: AgentState| {
        let server = server.clone();
        async move {
            if server.connections() == 1 {
                server.die();
                // The client sees that; no time passes before it does.
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            written(&pending)
        }
    };
    let agent = Agent::builder(model).toolset(Server::new("my", fixture.clone())).approver(person);
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert_eq!(results(&run), [r#"[{"colour":"red"},{"count":7}]"#]);
    assert_eq!((fixture.connections(), fixture.called().len()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn s18_17_a_server_that_does_not_wait_for_a_person_has_the_last_word() {
    let fixture = Fixture::legacy();
    let model = ScriptedModel::new([Turn::call("my_hurries", json!({})), Turn::text("Done.")]);
    let person = async |pending: Pending, _: AgentState| {
        tokio::time::sleep(Duration::from_secs(60)).await;
        written(&pending)
    };
    let agent = Agent::builder(model).toolset(Server::new("my", fixture.clone())).approver(person);
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert_eq!(results(&run), ["request timeout after PT1S"]);
    assert_eq!(fixture.called(), ["hurries"]);
}

#[tokio::test]
async fn s18_17_a_question_that_is_denied_is_a_denied_call() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        let store = MemoryStore::new();
        let agent = agent(&fixture, &store, &["my_asks", "my_echo"]);
        let run = agent.run("go").in_session("s").outcome().await.unwrap();
        let denied = Answer::deny(&waits(&run), "Not now.").by("Ann");
        agent.session("s").answer(denied).await.unwrap();
        let run = agent.resume("s").await.unwrap();
        assert_eq!(results(&run), ["Denied by Ann: Not now.", "{}"]);
    }
}

#[tokio::test]
async fn s18_17_what_is_not_offered_to_a_server_fails_the_call() {
    let (fixture, store) = (Fixture::new(), MemoryStore::new());
    let run = agent(&fixture, &store, &["my_visits"]).run("go").await.unwrap();
    let why = "the server `my`: it asks for something that this client does not offer";
    assert_eq!(results(&run), [why]);
}

#[tokio::test]
async fn s18_17_a_question_waits_until_no_other_call_can_ask_it() {
    let (fixture, store) = (Fixture::legacy(), MemoryStore::new());
    let agent = agent(&fixture, &store, &["my_slow", "my_asks"]);
    let run = agent.run("go").in_session("s");
    let (run, ()) = tokio::join!(run.outcome(), async {
        fixture.0.gate.arrived(1).await;
        fixture.0.asks.pass().await;
        fixture.0.gate.open();
    });
    let run = run.unwrap();
    assert_eq!((&*waits(&run).tool, answered(&run)), ("my_asks", vec!["{}".to_owned()]));
}

#[tokio::test]
async fn s18_17_a_question_that_two_calls_may_ask_is_dismissed() {
    let (fixture, store) = (Fixture::legacy(), MemoryStore::new());
    let agent = agent(&fixture, &store, &["my_asks", "my_asks"]);
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    waits(&run);
    assert_eq!(answered(&run), ["nobody answered"], "of the other one");
}

#[tokio::test]
async fn s18_17_what_a_journal_masks_is_no_other_question_and_no_other_state() {
    let person = async |pending: Pending, _: AgentState| {
        let form = Form::of(&pending)?;
        let is_colour = form.fields.iter().any(|field| field.name == "colour");
        form.read(&pending, if is_colour { "red" } else { "{}" }).ok()
    };
    let painted = r#"[{"colour":"red"},{"count":3}]"#;
    let why = "the server `my`: what it wants back holds a secret, which is not journaled";
    for (fixture, secret, expected) in [
        (Fixture::legacy(), "Which colour?", painted),
        (Fixture::new(), "Which colour?", painted),
        (Fixture::new(), "both-of-them", why),
    ] {
        let model = ScriptedModel::new([Turn::call("my_asks", json!({})), Turn::text("Done.")]);
        let agent = Agent::builder(model).toolset(Server::new("my", fixture)).approver(person);
        let agent = agent.mask(&Mask::of([secret])).build().unwrap();
        assert_eq!(results(&agent.run("go").await.unwrap()), [expected], "{secret}");
    }
}
