//! What a server asks the model in the middle of a call.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control, Run};
use legwork_core::state::PendingReason;
use legwork_core::{Budget, ExecutionStatus, FinishReason};
use legwork_mcp::Server;
use legwork_port::model;
use legwork_testkit::{Asked, Gate, Script, ScriptedModel, Turn};
use serde_json::{Value, json};

use crate::calls::results;
use crate::fixture::Fixture;

/// Whether a server asks, and not the agent.
fn is_prompt(asked: &Asked) -> bool {
    asked.instructions == "Be brief."
}

/// A model that makes these calls at once and then is done; `answer` is what it says to servers.
fn painter(
    calls: &[(&'static str, Value)],
    answer: impl Fn(&Asked) -> Turn + Send + Sync + 'static,
) -> ScriptedModel {
    let calls = calls.to_vec();
    ScriptedModel::new(Script::from_fn(move |asked| match asked.turn() {
        _ if is_prompt(asked) => answer(asked),
        0 => Turn::calls(calls.clone()),
        _ => Turn::text("Done."),
    }))
}

fn red(_: &Asked) -> Turn {
    Turn::text("red")
}

/// An agent whose server may ask the model; each is another process.
fn agent(fixture: &Fixture, store: &MemoryStore, model: ScriptedModel) -> Agent {
    let server = Server::new("my", fixture.clone()).sampling();
    let agent = Agent::builder(model).toolset(server).instructions("You paint.");
    agent.store_in(Arc::new(store.clone())).build().unwrap()
}

/// What comes of a call of this tool with this answer of the model.
async fn sampled(
    fixture: &Fixture,
    tool: &'static str,
    arguments: Value,
    answer: impl Fn(&Asked) -> Turn + Send + Sync + 'static,
) -> (Run, ScriptedModel) {
    let model = painter(&[(tool, arguments)], answer);
    let run = agent(fixture, &MemoryStore::new(), model.clone()).run("Paint it.").await.unwrap();
    (run, model)
}

#[tokio::test]
async fn s18_18_a_server_asks_the_model_of_the_session_in_both_revisions() {
    for (fixture, calls) in [(Fixture::new(), 2), (Fixture::legacy(), 1)] {
        let (run, model) = sampled(&fixture, "my_samples", json!({}), red).await;
        assert_eq!(results(&run), ["red (scripted:model, endTurn)"]);
        assert_eq!(fixture.called().len(), calls, "a call of 2025 is held meanwhile");
        assert_eq!(*fixture.0.offered.lock().unwrap(), vec![true; calls]);
        let asked: Vec<_> = model.asked().into_iter().filter(is_prompt).collect();
        let [asked] = &asked[..] else { panic!("{asked:?}") };
        let texts: Vec<_> = asked.messages.iter().map(|said| &*said.text).collect();
        assert_eq!(texts, ["Name a colour.", "Which kind?", "A warm one."]);
        assert!(asked.tools.is_empty());
        let most = model.requests()[1].max_output;
        assert!(most.is_some_and(|most| most <= 100), "{most:?}");
        // Three answers of a model, two of which are steps.
        let used = run.used();
        assert_eq!((used.steps, used.tool_calls, used.output), (2, 1, 3 * 5));
    }
}

#[tokio::test]
async fn s18_18_a_server_reads_that_an_answer_is_cut() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        let cut = |_: &Asked| Turn::text("re").with_finish(FinishReason::Length);
        let (run, _) = sampled(&fixture, "my_samples", json!({}), cut).await;
        assert_eq!(results(&run), ["re (scripted:model, maxTokens)"]);
    }
}

#[tokio::test]
async fn s18_18_what_a_server_asked_is_answered_in_another_process() {
    for (fixture, calls) in [(Fixture::new(), 2), (Fixture::legacy(), 2)] {
        let (store, gate, control) = (MemoryStore::new(), Gate::new(), Control::default());
        let stalls = gate.clone();
        let calls_it = [("my_samples", json!({}))];
        let stalled = painter(&calls_it, move |asked| red(asked).behind(&stalls));
        let agent_that_dies = agent(&fixture, &store, stalled);
        let run = agent_that_dies.run("Paint it.").in_session("s").control(control.clone());
        let interrupts = async {
            gate.arrived(1).await;
            control.interrupt.cancel();
        };
        let run = tokio::join!(run.outcome(), interrupts).0.unwrap();
        let [pending] = run.state().pending() else { panic!("{:?}", run.state().pending()) };
        assert_eq!(pending.reason, PendingReason::Model);
        drop((run, agent_that_dies));
        let run = agent(&fixture, &store, painter(&calls_it, red)).resume("s").await.unwrap();
        assert_eq!(results(&run), ["red (scripted:model, endTurn)"]);
        assert_eq!(fixture.called().len(), calls, "it asks the same again, and is answered");
    }
}

#[tokio::test]
async fn s18_18_calls_of_an_old_server_that_asks_are_made_one_at_a_time() {
    let fixture = Fixture::legacy();
    let asks = |text: &str| ("my_samples", json!({"text": text}));
    let says = |asked: &Asked| Turn::text(format!("{}!", asked.last()));
    let model = painter(&[asks("warm"), asks("cold"), ("my_echo", json!({}))], says);
    let run = agent(&fixture, &MemoryStore::new(), model).run("Paint it.").await.unwrap();
    let said = ["warm", "cold"].map(|text| format!("{text}! (scripted:model, endTurn)"));
    assert_eq!(results(&run)[..2], said);
    assert_eq!(fixture.called(), ["samples", "samples", "echo"], "none is made anew");
}

#[tokio::test]
async fn s18_18_each_session_has_a_connection_of_its_own() {
    let fixture = Fixture::legacy();
    let model = ScriptedModel::new(Script::from_fn(|asked| match asked.turn() {
        _ if is_prompt(asked) => Turn::text(format!("{}!", asked.last())),
        0 => Turn::call("my_samples", json!({"text": asked.last()})),
        _ => Turn::text("Done."),
    }));
    let agent = agent(&fixture, &MemoryStore::new(), model);
    let (warm, cold) = tokio::join!(agent.run("warm"), agent.run("cold"));
    for (run, text) in [(warm, "warm"), (cold, "cold")] {
        assert_eq!(results(&run.unwrap()), [format!("{text}! (scripted:model, endTurn)")]);
    }
    assert_eq!((fixture.connections(), fixture.called().len()), (2, 2), "none is made anew");
}

#[tokio::test]
async fn s18_18_a_server_reads_why_there_is_no_answer() {
    let fails = |_: &Asked| Turn::error(model::Error::new(model::Kind::BadRequest, "no paint"));
    for (fixture, before, after) in [
        (Fixture::new(), "the server `my`: the model did not answer what it asks: ", ""),
        (Fixture::legacy(), "refused: ", "-1"),
    ] {
        let (run, _) = sampled(&fixture, "my_samples", json!({}), fails).await;
        let [result] = &results(&run)[..] else { panic!() };
        assert!(result.starts_with(before) && result.contains("no paint"), "{result}");
        assert!(result.contains(after), "{result}");
    }
}

#[tokio::test]
async fn s18_18_a_prompt_stays_within_the_budget_of_the_session() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        let usage = legwork_core::Usage { input: 9_900, output: 96, ..Default::default() };
        let first = Turn::call("my_samples", json!({})).with_usage(usage);
        let model = ScriptedModel::new([first, Turn::text("Done.")]);
        let server = Server::new("my", fixture).sampling();
        let agent = Agent::builder(model.clone()).toolset(server);
        let agent = agent.budget(Budget::unlimited().tokens(10_000)).build().unwrap();
        let run = agent.run("Paint it.").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Stopped);
        let [result] = &results(&run)[..] else { panic!() };
        assert!(result.contains("limit"), "{result}");
        assert_eq!(model.asked().len(), 1, "the model is not asked for it");
    }
}

#[tokio::test]
async fn s18_18_nothing_is_offered_that_was_not_asked_for() {
    let model = painter(&[("my_samples", json!({}))], red);
    let run = |fixture: Fixture| {
        let agent = Agent::builder(model.clone()).toolset(Server::new("my", fixture.clone()));
        let agent = agent.build().unwrap();
        async move {
            let run = agent.run("Paint it.").await.unwrap();
            assert_eq!(*fixture.0.offered.lock().unwrap(), [false]);
            results(&run)
        }
    };
    let why = "the server `my`: it asks for something that this client does not offer";
    assert_eq!(run(Fixture::new()).await, [why]);
    let [refused] = &run(Fixture::legacy()).await[..] else { panic!() };
    assert!(refused.starts_with("refused: ") && refused.contains("-32601"), "{refused}");
    assert!(!model.asked().iter().any(is_prompt));
}

#[tokio::test]
async fn s18_18_a_prompt_has_texts_and_images_within_bounds_and_no_tools() {
    for (with, why) in [
        ("tools", "offers the model no tools of servers"),
        ("audio", "asks the model with texts and images only"),
        ("much", "at most 256 KiB"),
    ] {
        for fixture in [Fixture::new(), Fixture::legacy()] {
            let (run, model) = sampled(&fixture, "my_samples", json!({"with": with}), red).await;
            let [result] = &results(&run)[..] else { panic!() };
            assert!(result.contains(why), "{result}");
            assert!(!model.asked().iter().any(is_prompt), "{with}");
        }
    }
}

#[tokio::test]
async fn s18_17_s18_18_a_call_asks_twenty_questions_at_most() {
    // Three at once are more than are left after eighteen.
    for (fixture, why, count) in [
        (Fixture::new(), "it asks for more than this client keeps", 18),
        (Fixture::legacy(), "it asks without end", 20),
    ] {
        let (run, model) = sampled(&fixture, "my_samples_on", json!({}), red).await;
        assert_eq!(results(&run), [format!("the server `my`: {why}")]);
        assert_eq!(model.asked().iter().filter(|asked| is_prompt(asked)).count(), count);
    }
}
