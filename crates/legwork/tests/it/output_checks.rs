//! Checks of an output that know the run which gave it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use legwork::agent::Control;
use legwork::agent::memory::MemoryStore;
use legwork::core::event::OutputRejected;
use legwork::core::output::Stage;
use legwork::core::{Event, ExecutionStatus};
use legwork::output::{Mode, Output, OutputContext, TypedAgent};
use legwork::port::store::{Range, Store};
use legwork::prelude::*;
use legwork_testkit::{ScriptedModel, Turn, crash};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// What is in stock.
struct Stock(Vec<&'static str>);

/// How a model answers in a mode.
fn turn(mode: Mode, item: &str) -> Turn {
    let value = json!({"value": item});
    match mode {
        Mode::ToolCall => Turn::call("answer", value),
        _ => Turn::text(value.to_string()),
    }
}

const MODES: [Mode; 2] = [Mode::ToolCall, Mode::Prompted];

/// An agent that has tea in stock.
fn agent(turns: impl IntoIterator<Item = Turn>) -> (Agent, ScriptedModel, MemoryStore) {
    let model = ScriptedModel::new(turns.into_iter().collect::<Vec<_>>());
    let store = MemoryStore::new();
    let agent = Agent::builder(model.clone()).dep(Stock(vec!["tea"]));
    (agent.store_in(Arc::new(store.clone())).build().unwrap(), model, store)
}

/// Wants something that is in stock; counts how often it was checked.
fn in_stock(agent: &Agent, mode: Mode) -> (TypedAgent<String>, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let typed = agent.output::<String>().mode(mode).validate(move |item, cx: OutputContext| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            tokio::task::yield_now().await;
            assert!(cx.state.current_step().is_some(), "the answer is recorded");
            match cx.dep::<Stock>() {
                Some(Stock(items)) if items.contains(&&*item) => Ok(()),
                _ => Err(format!("there is no {item}")),
            }
        }
    });
    (typed, count)
}

/// The stages at which answers were rejected, and the value that was accepted.
async fn verdicts(store: &MemoryStore) -> (Vec<Stage>, Option<Value>) {
    let loaded = store.read(&"s".into(), Range::ALL).await.unwrap();
    let (mut stages, mut value) = (Vec::new(), None);
    for entry in loaded.journal.entries() {
        match &entry.event {
            Event::OutputRejected(OutputRejected { stage, .. }) => stages.push(stage.clone()),
            Event::OutputAccepted(accepted) => value = Some((*accepted.value).clone()),
            _ => {}
        }
    }
    (stages, value)
}

#[tokio::test]
async fn s14_3_a_check_knows_the_run_and_its_problem_is_sent_to_the_model() {
    for mode in MODES {
        let (agent, model, store) = agent([turn(mode, "coffee"), turn(mode, "tea")]);
        let (typed, count) = in_stock(&agent, mode);
        assert_eq!(typed.run("A drink?").in_session("s").await.unwrap(), "tea", "{mode:?}");
        let told = format!("{:?}", model.requests()[1].messages().last().unwrap());
        assert!(told.contains("there is no coffee"), "{told}");
        assert_eq!(verdicts(&store).await, (vec![Stage::Validation], Some(json!("tea"))));
        assert_eq!(count.load(Ordering::SeqCst), 2, "each value once, {mode:?}");
    }
}

#[tokio::test]
async fn s14_3_all_checks_run_behind_the_validators() {
    for mode in MODES {
        let (agent, model, _) = agent([turn(mode, ""), turn(mode, "coffee"), turn(mode, "tea")]);
        let named =
            Output::<String>::of().unwrap().validate(|item: &String| match item.is_empty() {
                true => Err("a name is wanted"),
                false => Ok(()),
            });
        let typed = agent.output_as(named).mode(mode);
        let typed = typed
            .validate(async |item: String, _| (item == "tea").then_some(()).ok_or("it is not tea"))
            .validate(async |item: String, _| (item.len() < 5).then_some(()).ok_or("it is long"));
        assert_eq!(typed.run("A drink?").await.unwrap(), "tea");
        let told = |at: usize| format!("{:?}", model.requests()[at].messages().last().unwrap());
        assert!(told(1).contains("a name is wanted") && !told(1).contains("tea"), "{}", told(1));
        assert!(told(2).contains("it is not tea") && told(2).contains("it is long"), "{}", told(2));
    }
}

#[tokio::test]
async fn s14_3_checks_see_what_a_transformation_made() {
    for mode in MODES {
        let (agent, ..) = agent([turn(mode, "tea")]);
        let length = Output::<String>::of().unwrap().transform(|item| Ok::<_, String>(item.len()));
        let typed = agent.output_as(length).mode(mode).validate(async |length: usize, _| {
            if length == 3 { Ok(()) } else { Err("wrong length") }
        });
        assert_eq!(typed.run("A drink?").await.unwrap(), 3);
    }
}

#[tokio::test]
async fn s14_3_rejected_checks_are_bounded_as_other_rejections_are() {
    for mode in MODES {
        let (agent, model, _) = agent((0..9).map(|_| turn(mode, "coffee")));
        let (typed, _) = in_stock(&agent, mode);
        let error = typed.repairs(1).run("A drink?").await.unwrap_err();
        assert!(error.to_string().contains("none of 2 answers in a row"), "{error}");
        assert_eq!(model.requests().len(), 2);
    }
}

#[tokio::test]
async fn s14_4_the_first_call_whose_value_passes_its_checks_counts() {
    let calls = ["coffee", "tea", "milk"].map(|item| ("answer", json!({"value": item})));
    let (agent, model, store) = agent([Turn::calls(calls)]);
    let (typed, _) = in_stock(&agent, Mode::ToolCall);
    assert_eq!(typed.run("A drink?").in_session("s").await.unwrap(), "tea");
    assert_eq!(verdicts(&store).await, (vec![], Some(json!("tea"))));
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn s14_6_the_result_of_an_output_tool_is_checked() {
    #[tool(name = "pour")]
    /// Pours a drink.
    async fn pour(item: String) -> String {
        item
    }
    let pours = ["coffee", "tea"].map(|item| Turn::call("pour", json!({"item": item})));
    let model = ScriptedModel::new(pours);
    let agent = Agent::builder(model.clone()).dep(Stock(vec!["tea"])).output_tool(pour);
    let agent = agent.build().unwrap();
    let (typed, count) = in_stock(&agent, Mode::ToolCall);
    assert_eq!(typed.run("A drink?").await.unwrap(), "tea");
    assert_eq!((model.requests().len(), count.load(Ordering::SeqCst)), (2, 2));
}

/// An agent whose check waits for ever the first time, and says that it began.
fn waiting(agent: &Agent, mode: Mode) -> (TypedAgent<String>, Arc<Notify>) {
    let (begun, first) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
    let told = Arc::clone(&begun);
    let typed = agent.output::<String>().mode(mode).validate(move |_: String, _| {
        let waits = first.fetch_add(1, Ordering::SeqCst) == 0;
        told.notify_one();
        async move {
            if waits {
                std::future::pending::<()>().await;
            }
            Ok::<_, String>(())
        }
    });
    (typed, begun)
}

/// The error of a run that is ended while its value is checked.
async fn ended_while_checking(
    (typed, begun): (&TypedAgent<String>, Arc<Notify>),
    end: fn(&Control),
) -> legwork::Error {
    let control = Control::default();
    let run = typed.run("A drink?").in_session("s").control(control.clone());
    let end = async {
        begun.notified().await;
        end(&control);
    };
    tokio::join!(async { run.await }, end).0.unwrap_err()
}

#[tokio::test]
async fn s14_7_a_check_that_is_interrupted_runs_again_when_the_session_is_resumed() {
    for mode in MODES {
        let (agent, model, store) = agent([turn(mode, "tea"), Turn::text("never")]);
        let (typed, begun) = waiting(&agent, mode);
        let interrupt = |control: &Control| control.interrupt.cancel();
        let error = ended_while_checking((&typed, begun), interrupt).await;
        let unfinished = error.unfinished().unwrap().run();
        assert_eq!(unfinished.status(), ExecutionStatus::InProgress, "{mode:?}");
        assert_eq!(verdicts(&store).await, (vec![], None));
        assert_eq!(typed.resume("s").await.unwrap(), "tea", "{mode:?}");
        assert_eq!(model.requests().len(), 1, "{mode:?}");
    }
}

#[tokio::test]
async fn a_check_that_is_cancelled_ends_the_execution() {
    for mode in MODES {
        let (agent, _, store) = agent([turn(mode, "tea"), Turn::text("never")]);
        let (typed, begun) = waiting(&agent, mode);
        let cancel = |control: &Control| control.cancel.cancel();
        let error = ended_while_checking((&typed, begun), cancel).await;
        assert_eq!(error.unfinished().unwrap().run().status(), ExecutionStatus::Cancelled);
        assert_eq!(verdicts(&store).await.1, None, "{mode:?}");
    }
}

#[tokio::test]
async fn s14_8_a_check_that_panics_fails_the_execution() {
    for mode in MODES {
        let (agent, model, _) = agent([turn(mode, "tea"), Turn::text("never")]);
        let typed = agent.output::<String>().mode(mode).validate(async |_: String, _| {
            tokio::task::yield_now().await;
            assert_ne!(1, 1, "no stock");
            Ok::<_, String>(())
        });
        let error = typed.run("A drink?").await.unwrap_err();
        assert!(error.to_string().contains("checking the output panicked"), "{error}");
        assert!(error.to_string().contains("no stock"), "{error}");
        assert_eq!(model.requests().len(), 1, "{mode:?}");
    }
}

#[tokio::test]
async fn s14_7_a_checked_output_survives_a_crash_at_every_commit() {
    for mode in MODES {
        let report = crash::simulate("A drink?", move |_: &(), store| {
            let turns = [turn(mode, "coffee"), turn(mode, "tea"), Turn::text("never")];
            let agent = Agent::builder(ScriptedModel::new(turns)).dep(Stock(vec!["tea"]));
            let agent = agent.store_in(store).build()?;
            in_stock(&agent, mode).0.agent()
        });
        let report = report.crash_everywhere().await.unwrap();
        assert!(report.crashed.len() >= 4, "{}", report.crashed.len());
        report.check(|_, crashed| match crashed.state.output().map(|it| (**it).clone()) {
            Some(value) if value == "tea" => Ok(()),
            other => Err(format!("{other:?}")),
        });
    }
}

#[tokio::test]
async fn s14_3_what_a_hook_answers_in_place_of_the_tool_is_checked() {
    let (_, model, store) = agent([turn(Mode::ToolCall, "coffee"), turn(Mode::ToolCall, "tea")]);
    let answering =
        hook::before_tool_use("cache", async |call, _| call.answer(json!("from a cache")));
    let agent = Agent::builder(model.clone()).dep(Stock(vec!["tea"])).hook(answering);
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    let (typed, count) = in_stock(&agent, Mode::ToolCall);
    assert_eq!(typed.run("A drink?").in_session("s").await.unwrap(), "tea");
    assert_eq!(verdicts(&store).await, (vec![Stage::Validation], Some(json!("tea"))));
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn s14_3_a_hook_that_changes_the_verdict_of_the_tool_does_not_accept_its_value() {
    let (_, model, store) = agent([turn(Mode::ToolCall, "coffee"), turn(Mode::ToolCall, "tea")]);
    let smoothing = hook::after_tool_use("smooth", async |result, _| result.with_text("Fine."));
    let agent = Agent::builder(model.clone()).dep(Stock(vec!["tea"])).hook(smoothing);
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    let (typed, _) = in_stock(&agent, Mode::ToolCall);
    assert_eq!(typed.run("A drink?").in_session("s").await.unwrap(), "tea");
    assert_eq!(verdicts(&store).await, (vec![Stage::Validation], Some(json!("tea"))));
}

#[tokio::test]
async fn s14_4_a_call_behind_the_accepted_one_does_not_matter_even_if_its_check_panics() {
    let calls = ["tea", "poison"].map(|item| ("answer", json!({"value": item})));
    let (agent, _, store) = agent([Turn::calls(calls)]);
    let typed = agent.output::<String>().mode(Mode::ToolCall).validate(async |item: String, _| {
        assert_ne!(item, "poison");
        Ok::<_, String>(())
    });
    assert_eq!(typed.run("A drink?").in_session("s").await.unwrap(), "tea");
    assert_eq!(verdicts(&store).await.1, Some(json!("tea")));
}
