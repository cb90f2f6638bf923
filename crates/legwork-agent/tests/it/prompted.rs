//! Bodies that ask the model in the middle of their work.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Tools, ToolsetExt as _};
use legwork_agent::{Agent, Builder, Control, Error, Run, Subagent};
use legwork_core::event::Purpose;
use legwork_core::inbox::Answer;
use legwork_core::inference::{Incomplete, ThinkingLevel};
use legwork_core::state::{Pending, PendingReason, Refusal};
use legwork_core::tool::{ExecutionMode, InputRequest, Prompt, Prompted};
use legwork_core::{
    Budget, EffectClass, Event, ExecutionStatus, FinishReason, ModelSettings, ToolOutcome, Usage,
};
use legwork_port::{Tool, model};
use legwork_testkit::{Asked, Gate, Script, ScriptedModel, Turn, crash};
use serde_json::json;

use crate::tools::{World, made, noting, once, outcomes, spec};

/// What the body of `name` asks.
const QUESTION: &str = "Name a colour.";

/// A tool that asks the model for a colour, and then for a shade of it.
fn name(effect: EffectClass, world: &World) -> Arc<dyn Tool> {
    let world = world.clone();
    made(spec("name").effect(effect), move |_, cx| {
        let prompted: Vec<_> = cx.supplied().iter().map(|one| one.read().unwrap()).collect();
        let outcome = match &prompted[..] {
            [] => {
                let prompt = Prompt::new(QUESTION).with_instructions("Be brief.");
                let request = InputRequest::of_model(prompt.with_max_output(100));
                request.with_state(json!({"seen": 3})).into()
            }
            [Prompted::Answered { text, .. }] => {
                assert_eq!(cx.supplied()[0].request.state(), Some(&json!({"seen": 3})));
                Prompt::new(format!("A shade of {text}?")).into()
            }
            [
                Prompted::Answered { text, .. },
                Prompted::Answered { text: shade, model, is_cut },
            ] => {
                world.note(format!("painted {text} {shade}"));
                ToolOutcome::text(format!("{text}, {shade}, by {model}, cut: {is_cut}"))
            }
            failed => ToolOutcome::failed(format!("{failed:?}")),
        };
        world.note(format!("{} answers", prompted.len()));
        Box::pin(std::future::ready(outcome))
    })
}

/// Whether a body asks, and not the agent.
fn is_prompt(asked: &Asked) -> bool {
    asked.last() == QUESTION || asked.last().starts_with("A shade of")
}

/// A model that calls these tools at once and then is done; `answer` is what it says to bodies.
fn painter(
    calls: &'static [&'static str],
    answer: impl Fn(&Asked) -> Turn + Send + Sync + 'static,
) -> ScriptedModel {
    ScriptedModel::new(Script::from_fn(move |asked| match asked.turn() {
        _ if is_prompt(asked) => answer(asked),
        0 => Turn::calls((1..).zip(calls).map(|(n, name)| (*name, json!({"n": n})))),
        _ => Turn::text("done"),
    }))
}

fn colours(asked: &Asked) -> Turn {
    let (input, output) = (7, 3);
    let usage = Usage { input, output, ..Usage::default() };
    Turn::text(if asked.last() == QUESTION { "red" } else { "dark" }).with_usage(usage)
}

fn agent(model: ScriptedModel, world: &World, store: &MemoryStore) -> Builder {
    let tools = [name(once(), world), noting("send", once(), world)];
    Agent::builder(model).tools(tools).store_in(Arc::new(store.clone()))
}

#[tokio::test]
async fn s7_10_a_body_asks_the_model_and_runs_again_with_all_its_answers() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = painter(&["name", "send"], colours);
    let agent = agent(model.clone(), &world, &store).instructions("You paint.").build().unwrap();
    let run = agent.run("Paint it.").in_session("s").await.unwrap();
    let painted = ToolOutcome::text("red, dark, by scripted:model, cut: false");
    assert_eq!(outcomes(run.state()), [painted, ToolOutcome::value(json!(2))]);
    let notes = ["0 answers", "send 2", "1 answers", "painted \"red\" \"dark\"", "2 answers"];
    let notes = notes.map(|note| note.replace('"', ""));
    assert_eq!(world.notes(), notes, "the rest of the turn runs first");

    // The model reads the prompt and nothing else.
    let asked: Vec<_> = model.asked().into_iter().filter(is_prompt).collect();
    let [first, second] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!((&*first.instructions, &*second.instructions), ("Be brief.", ""));
    assert_eq!((first.messages.len(), second.last()), (1, "A shade of red?"));
    assert!(asked.iter().all(|asked| asked.tools.is_empty()), "{asked:?}");
    let most: Vec<_> = model.requests().iter().map(|request| request.max_output).collect();
    assert!(most[1].is_some_and(|most| most <= 100), "{most:?}");

    // It is one call, no step, and paid for.
    let used = run.used();
    assert_eq!((used.tool_calls, used.steps), (2, 2));
    assert_eq!((used.input, used.output), (2 * 10 + 2 * 7, 2 * 5 + 2 * 3));
    let journal = agent.session("s").journal().await.unwrap();
    let kinds: Vec<_> = journal.entries().iter().map(|entry| entry.event.kind()).collect();
    let of = |kind: &str| kinds.iter().filter(|one| **one == kind).count();
    assert_eq!((of("auxiliary_started"), of("auxiliary_finished"), of("answered")), (2, 2, 2));
    // The charge of each is where its answer is.
    let charges = journal.charges();
    let answers = journal.entries().iter().filter(|entry| entry.event.kind() == "answered");
    let charged: Vec<_> = answers.map(|entry| charges[&entry.seq].total_tokens()).collect();
    assert_eq!(charged, [10, 10]);
    assert!(journal.entries().iter().all(|entry| match &entry.event {
        Event::AuxiliaryStarted(started) => started.purpose == Purpose::ToolPrompt,
        Event::Answered(answered) => answered.answer.by.as_deref() == Some("the model"),
        _ => true,
    }));
}

/// What the bodies read that ask once, with these answers of the model.
async fn answered(answer: impl Fn(&Asked) -> Turn + Send + Sync + 'static) -> ToolOutcome {
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = agent(painter(&["name"], answer), &world, &store).build().unwrap();
    let run = agent.run("Paint it.").await.unwrap();
    assert_eq!(run.text(), "done", "the run goes on");
    outcomes(run.state()).swap_remove(0)
}

#[tokio::test]
async fn s7_10_a_body_reads_why_there_is_no_answer_and_whether_one_is_cut() {
    let cut = |asked: &Asked| match asked.last() {
        QUESTION => Turn::text("red"),
        _ => Turn::text("da").with_finish(FinishReason::Length),
    };
    assert_eq!(answered(cut).await, ToolOutcome::text("red, da, by scripted:model, cut: true"));
    let failed = async |turn: Turn, why: &str| {
        let outcome = answered(move |_| turn.clone()).await.to_text();
        assert!(outcome.starts_with("[Failed(") && outcome.contains(why), "{outcome}");
    };
    failed(Turn::text(" "), "it wrote no text (finish reason: stop)").await;
    failed(Turn::text("red").incomplete(Incomplete::Cut), "came incomplete").await;
    let refused = model::Error::new(model::Kind::BadRequest, "no such colour");
    failed(Turn::error(refused), "no such colour").await;
}

#[tokio::test]
async fn s7_10_what_the_budget_forbids_is_not_asked_and_the_body_reads_it() {
    let (world, store) = (World::default(), MemoryStore::new());
    // The first step leaves four tokens, which no prompt fits.
    let (input, output) = (9_900, 96);
    let usage = Usage { input, output, ..Usage::default() };
    let first = Turn::call("name", json!({"n": 1})).with_usage(usage);
    let model = ScriptedModel::new([first, Turn::text("done")]);
    let agent = agent(model.clone(), &world, &store).budget(Budget::unlimited().tokens(10_000));
    let run = agent.build().unwrap().run("Paint it.").outcome().await.unwrap();
    let [outcome] = &outcomes(run.state())[..] else { panic!("{:?}", run.status()) };
    assert!(outcome.to_text().contains("tokens"), "{outcome:?}");
    assert_eq!((model.asked().len(), run.used().total_tokens()), (1, 9_996));
}

/// A run that is interrupted while the model is asked by a body.
async fn interrupted(world: &World, store: &MemoryStore) -> (Run, Pending) {
    let gate = Gate::new();
    let stalls = gate.clone();
    let model = painter(&["name", "send"], move |asked| colours(asked).behind(&stalls));
    let control = Control::default();
    let agent = agent(model, world, store).build().unwrap();
    let run = agent.run("Paint it.").in_session("s").control(control.clone());
    let interrupts = async {
        gate.arrived(1).await;
        control.interrupt.cancel();
    };
    let run = tokio::join!(run.outcome(), interrupts).0.unwrap();
    assert_eq!(run.status(), ExecutionStatus::InProgress, "it waits for nobody");
    let [pending] = run.state().pending() else { panic!("{:?}", run.state().pending()) };
    assert_eq!((&pending.reason, &*pending.tool), (&PendingReason::Model, "name"));
    let pending = pending.clone();
    (run, pending)
}

#[tokio::test]
async fn s7_10_a_run_that_resumes_the_session_asks_the_model_again() {
    let (world, store) = (World::default(), MemoryStore::new());
    let (run, pending) = interrupted(&world, &store).await;
    let charged = run.used();
    assert!(charged.output > 5 && run.state().ledger().auxiliary().is_none(), "{charged:?}");
    assert!(run.state().due_at().is_some());

    let agent = agent(painter(&["name", "send"], colours), &world, &store).build().unwrap();
    let session = agent.session("s");
    let supplied = session.answer(Answer::supply(&pending, json!("red"))).await.unwrap_err();
    assert!(matches!(supplied, Error::Refused(Refusal::OtherAnswer { .. })), "{supplied}");
    let run = agent.resume("s").await.unwrap();
    assert_eq!(outcomes(run.state())[0].to_text(), "red, dark, by scripted:model, cut: false");
    assert_eq!(world.count("send 2"), 1);
}

#[tokio::test]
async fn s7_10_a_call_that_waits_for_the_model_is_denied_steered_away_or_left() {
    for how in ["deny", "steer", "new input"] {
        let (world, store) = (World::default(), MemoryStore::new());
        let (_, pending) = interrupted(&world, &store).await;
        let model = painter(&["name", "send"], colours);
        let agent = agent(model.clone(), &world, &store).build().unwrap();
        let session = agent.session("s");
        let run = match how {
            "deny" => {
                session.answer(Answer::deny(&pending, "no paint").by("Ann")).await.unwrap();
                agent.resume("s").await.unwrap()
            }
            "steer" => {
                session.steer("leave it").await.unwrap();
                agent.resume("s").await.unwrap()
            }
            _ => session.run("And now?").await.unwrap(),
        };
        assert!(!model.asked().iter().any(is_prompt), "{how}");
        assert_eq!(world.count("1 answers"), 0, "{how}: its body does not run again");
        if how == "deny" {
            let denied = ToolOutcome::Denied { by: "Ann".into(), reason: "no paint".into() };
            assert_eq!(outcomes(run.state())[0], denied);
        }
        if how == "steer" {
            assert_eq!(outcomes(run.state())[0], ToolOutcome::Interrupted);
        }
    }
}

#[tokio::test]
async fn s7_10_several_calls_ask_one_after_the_other_before_a_person_is_asked() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = painter(&["name", "ask", "name"], colours);
    let ask = made(spec("ask"), |_, cx| {
        let outcome = match cx.supplied() {
            [] => ToolOutcome::needs_input("Where?"),
            [place, ..] => ToolOutcome::value(place.value.clone()),
        };
        Box::pin(std::future::ready(outcome))
    });
    let agent = agent(model.clone(), &world, &store).tool(ask).build().unwrap();
    let run = agent.run("Paint it.").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingInput);
    assert_eq!(model.asked().iter().filter(|asked| is_prompt(asked)).count(), 4);
    let [pending] = run.state().pending() else { panic!("{:?}", run.state().pending()) };
    agent.session("s").answer(Answer::supply(pending, json!("there"))).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    let outcomes: Vec<_> = outcomes(run.state()).iter().map(ToolOutcome::to_text).collect();
    let painted = "red, dark, by scripted:model, cut: false";
    assert_eq!(outcomes, [painted, "there", painted]);
}

#[tokio::test]
async fn s7_10_a_run_ends_the_same_wherever_it_crashes_while_a_body_asks_the_model() {
    let make = |world: &World, store| {
        let again = EffectClass::Idempotent;
        let tools = [name(again, world), noting("send", again, world)];
        Agent::builder(painter(&["name", "send"], colours)).tools(tools).store_in(store).build()
    };
    let report = crash::simulate("Paint it.", make).crash_everywhere().await.unwrap();
    assert!(report.crashed.len() >= 12, "{} crashes", report.crashed.len());
    report.check(|plain, crashed| match outcomes(&plain.state) == outcomes(&crashed.state) {
        true => Ok(()),
        false => Err(format!("{:?}", outcomes(&crashed.state))),
    });
}

#[tokio::test]
async fn s7_10_a_body_that_asks_without_end_fails_also_where_nothing_can_be_asked() {
    let asks =
        made(spec("asks"), |_, _| Box::pin(std::future::ready(Prompt::new(QUESTION).into())));
    let model = painter(&["asks"], colours);
    let agent = Agent::builder(model.clone()).tool(asks.clone()).build().unwrap();
    let run = agent.run("Paint it.").await.unwrap();
    let why = "it has asked the model 100 times, and asks again";
    assert_eq!(outcomes(run.state()), [ToolOutcome::failed(why)]);
    assert_eq!(model.asked().iter().filter(|asked| is_prompt(asked)).count(), 100);

    let (input, output) = (9_900, 96);
    let first = Turn::call("asks", json!({"n": 1}));
    let first = first.with_usage(Usage { input, output, ..Usage::default() });
    let agent = Agent::builder(ScriptedModel::new([first, Turn::text("done")])).tool(asks);
    let agent = agent.budget(Budget::unlimited().tokens(10_000)).build().unwrap();
    let run = agent.run("Paint it.").outcome().await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::failed(why)]);
    assert_eq!(run.status(), ExecutionStatus::Stopped);
}

#[tokio::test]
async fn s7_10_the_level_of_thinking_is_not_for_prompts_with_a_maximum() {
    for (thinking, expected) in [
        (None, None),
        (Some(ThinkingLevel::Off), Some(ThinkingLevel::Off)),
        (Some(ThinkingLevel::High), None),
    ] {
        let (world, store) = (World::default(), MemoryStore::new());
        let model = painter(&["name"], colours);
        let settings = ModelSettings { thinking: thinking.clone(), ..ModelSettings::default() };
        let agent = agent(model.clone(), &world, &store).settings(settings).build().unwrap();
        agent.run("Paint it.").await.unwrap();
        let levels: Vec<_> =
            model.requests().iter().map(|one| one.settings.thinking.clone()).collect();
        // The second prompt has no maximum.
        assert_eq!(levels, [thinking.clone(), expected, thinking.clone(), thinking]);
    }
}

#[tokio::test]
async fn s5_4_s7_2_calls_that_wait_behind_a_body_that_asks_are_held_once_above() {
    let task = |agent: &str| json!({"agent": agent, "prompt": "paint"});
    let asks = made(spec("asks").mode(ExecutionMode::Sequential), |_, cx| {
        let outcome = match cx.supplied() {
            [] => Prompt::new(QUESTION).into(),
            _ => ToolOutcome::text("painted"),
        };
        Box::pin(std::future::ready(outcome))
    });
    let middle = ScriptedModel::new(Script::from_fn(move |asked| match asked.turn() {
        _ if is_prompt(asked) => Turn::text("red"),
        0 => Turn::calls([("asks", json!({"n": 1})), ("spawn_subagent", task("leaf"))]),
        _ => Turn::text("done"),
    }));
    let root = [Turn::call("spawn_subagent", task("middle")), Turn::text("done")];
    // Three calls: of the middle, of what asks, of the leaf behind it.
    let agent = Agent::builder(ScriptedModel::new(root))
        .subagent(Subagent::new("middle", "Paints.", "").model(middle).tools([asks]))
        .subagent(Subagent::new("leaf", "Helps.", "").model(ScriptedModel::new([Turn::text("ok")])))
        .budget(Budget::unlimited().tool_calls(3))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!((run.text().as_str(), run.session_used().tool_calls), ("done", 3));
    assert!(outcomes(run.state())[0].is_ok(), "{:?}", outcomes(run.state()));
}

#[tokio::test]
async fn s5_4_a_prompt_that_a_crash_cut_off_in_a_subagent_counts_above() {
    // A model whose answers have at most 4,000 tokens: a third one does not fit.
    let model = |script: Script| {
        let profile = legwork_port::Profile::new().with_max_output(4_000);
        ScriptedModel::new(script).with_profile(profile)
    };
    let spawn = |agent: &str| ("spawn_subagent", json!({"agent": agent, "prompt": "paint"}));
    let (world, store) = (World::default(), MemoryStore::new());
    let build = |gate: &Gate, parallel: usize| {
        let gate = gate.clone();
        let asks = model(Script::from_fn(move |asked| match asked.turn() {
            _ if is_prompt(asked) => Turn::text("red").behind(&gate),
            0 => Turn::call("asks", json!({"n": 1})),
            _ => Turn::text("done"),
        }));
        let other = model(Script::new([Turn::text("ok")]));
        let body = made(spec("asks"), |_, cx| {
            let outcome = match cx.supplied() {
                [] => Prompt::new(QUESTION).into(),
                _ => ToolOutcome::text("painted"),
            };
            Box::pin(std::future::ready(outcome))
        });
        let root = [Turn::calls([spawn("asks"), spawn("other")]), Turn::text("done")];
        let agent = Agent::builder(ScriptedModel::new(root))
            .subagent(Subagent::new("asks", "Asks.", "").model(asks).tools([body]))
            .subagent(Subagent::new("other", "Helps.", "").model(other.clone()))
            .tool(noting("send", once(), &world))
            .budget(Budget::unlimited().tokens(10_000))
            .parallel_calls(parallel)
            .store_in(Arc::new(store.clone()));
        (agent.build().unwrap(), other)
    };
    let gate = Gate::new();
    let (agent, _) = build(&gate, 1);
    tokio::select! {
        run = agent.run("go").in_session("s").outcome() => panic!("{:?}", run.unwrap().status()),
        () = gate.arrived(1) => {}
    }
    drop(agent);
    let gate = Gate::new();
    let (agent, other) = build(&gate, 2);
    let opens = async {
        gate.arrived(1).await;
        gate.open();
    };
    let (run, ()) = tokio::join!(agent.resume("s").outcome(), opens);
    let most: Vec<_> = other.requests().iter().map(|request| request.max_output).collect();
    assert!(most[0].is_some_and(|most| most < 2_500), "{most:?}: {:?}", run.unwrap().status());
}

#[tokio::test]
async fn s6_4_s7_2_a_call_that_runs_elsewhere_counts_beside_a_body_that_asks() {
    let asks = made(spec("asks").resource("n"), |_, cx| {
        let outcome = match cx.supplied() {
            [] => Prompt::new(QUESTION).into(),
            _ => ToolOutcome::text("painted"),
        };
        Box::pin(std::future::ready(outcome))
    });
    let elsewhere = Tools::new("page", [noting("click", once(), &World::default())]).deferred();
    let turn = ["click", "asks", "asks"].map(|name| (name, json!({"n": 1})));
    let model = ScriptedModel::new(Script::from_fn(move |asked| match asked.turn() {
        _ if is_prompt(asked) => Turn::text("red"),
        0 => Turn::calls(turn.clone()),
        _ => Turn::text("done"),
    }));
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::builder(model).toolset(elsewhere).tool(asks).store_in(store);
    let run = agent.build().unwrap().run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingInput);
    assert_eq!(run.used().tool_calls, 3, "the one that runs elsewhere, and the two others");
    assert_eq!(run.state().pending().len(), 1);
}
