//! Budgets: reserved before a call, settled after it, never overspent.

use std::sync::Arc;

use legwork_agent::driver::Driver;
use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::StepTools;
use legwork_agent::{Agent, Builder, Error, StepContext, hook};
use legwork_core::budget::{Amounts, Dimension, Exhausted, MicroUsd, Price};
use legwork_core::inference::Incomplete;
use legwork_core::{
    AgentState, Budget, EffectClass, ErrorKind, ErrorRecord, ErrorSource, Event, ExecutionStatus,
    ModelRequest, ModelSettings, SessionId, StopReason, Usage,
};
use legwork_port::model::{self, Ability, Kind, Profile};
use legwork_port::store::Range;
use legwork_port::{EventKind, Store, Trigger};
use legwork_testkit::{Gate, RecordingObserver, ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, noting};

/// One millionth of a dollar a token of input, two a token of output.
fn priced(model: ScriptedModel) -> ScriptedModel {
    let dollars = |n: u64| MicroUsd(n * 1_000_000);
    let (input, output) = (dollars(1), dollars(2));
    let price = Price::new(input, output);
    model.with_profile(Profile::new().with_prices(price).with(Ability::Tools))
}

fn with_max(model: &ScriptedModel, max_output: u64, budget: Budget) -> Builder {
    let settings = ModelSettings { max_output: Some(max_output), ..ModelSettings::default() };
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    Agent::builder(model.clone()).settings(settings).budget(budget).tools([look])
}

fn used(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

#[test]
fn s5_1_a_cost_limit_on_a_model_without_a_price_is_a_build_error() {
    let free = || ScriptedModel::new([Turn::text("never")]).named("free:model");
    let error = Agent::builder(free()).budget(Budget::usd(1.0)).build().unwrap_err();
    assert!(matches!(error, Error::Build(_)));
    assert!(error.to_string().contains("free:model"), "{error}");
    // The other models that the state may name count too.
    let builder = Agent::builder(priced(free())).further_model(free().named("other:model"));
    let error = builder.budget(Budget::usd(1.0)).build().unwrap_err();
    assert!(error.to_string().contains("other:model"), "{error}");
    assert!(Agent::builder(free()).budget(Budget::guards().tokens(9)).build().is_ok());
}

#[tokio::test]
async fn s5_1_a_cost_limit_set_in_the_state_asks_no_model_without_a_price() {
    let model = ScriptedModel::new([Turn::text("never")]).named("free:model");
    let limit = hook("limit", [Trigger::StepStart], |state: AgentState, _| async move {
        Ok(state.with_budget(Budget::usd(1.0)))
    });
    let run = Agent::builder(model.clone())
        .hook(limit)
        .build()
        .unwrap()
        .run("go")
        .outcome()
        .await
        .unwrap();
    assert!(model.requests().is_empty());
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let error = run.state().errors().next().unwrap();
    assert_eq!(error.kind, ErrorKind::Configuration);
    assert!(error.message.contains("free:model") && error.message.contains("price"));
}

#[tokio::test]
async fn s5_2_max_output_is_clamped_to_what_the_ledger_affords() {
    let turns =
        [Turn::call("look", json!({"n": 1})).with_usage(used(100, 700)), Turn::text("done")];
    let model = ScriptedModel::new(turns);
    let budget = Budget::unlimited().output_tokens(5_000);
    with_max(&model, 8_000, budget).build().unwrap().run("go").await.unwrap();
    let asked: Vec<_> = model.requests().iter().map(|request| request.max_output).collect();
    assert_eq!(asked, [Some(5_000), Some(4_300)]);
}

#[tokio::test]
async fn s5_7_the_end_of_a_step_says_what_the_step_used() {
    let turns = [
        Turn::call("look", json!({"n": 1})).with_usage(used(100, 700)),
        Turn::text("done").with_usage(used(900, 20)),
    ];
    let (model, seen) = (priced(ScriptedModel::new(turns)), RecordingObserver::new());
    let builder = with_max(&model, 8_000, Budget::unlimited()).observer(seen.clone());
    let run = builder.build().unwrap().run("go").await.unwrap();
    let steps: Vec<_> = seen
        .kinds()
        .into_iter()
        .filter_map(|kind| match kind {
            EventKind::StepFinished { used, .. } => Some(used),
            _ => None,
        })
        .collect();
    let numbers =
        |used: &Amounts| (used.steps, used.input, used.output, used.cost.0, used.tool_calls);
    let expected = [(1, 100, 700, 100 + 2 * 700, 1), (1, 900, 20, 900 + 2 * 20, 0)];
    assert_eq!(steps.iter().map(numbers).collect::<Vec<_>>(), expected);
    let all = steps.iter().fold(Amounts::default(), |all, used| all.plus(used));
    assert_eq!(numbers(&all), numbers(run.used()));
}

#[tokio::test]
async fn s5_2_what_is_affordable_is_not_clamped() {
    let model = ScriptedModel::new([Turn::text("done")]);
    let budget = Budget::unlimited().output_tokens(5_000);
    with_max(&model, 2_000, budget).build().unwrap().run("go").await.unwrap();
    assert_eq!(model.requests()[0].max_output, Some(2_000));
}

#[tokio::test]
async fn s5_2_money_clamps_at_the_price_of_the_model() {
    let model = priced(ScriptedModel::new([Turn::text("done")]));
    let budget = Budget::usd(0.01);
    let run = with_max(&model, 90_000, budget).build().unwrap().run("go").await.unwrap();
    let request = &model.requests()[0];
    let input = request.weight().div_ceil(3);
    assert_eq!(request.max_output, Some((10_000 - input) / 2));
    assert_eq!(run.used().cost, MicroUsd(10 + 2 * 5));
}

#[tokio::test]
async fn s5_2_below_the_floor_the_call_is_refused_with_numbers() {
    let model = ScriptedModel::new([Turn::text("never")]);
    let budget = Budget::unlimited().output_tokens(1_000);
    let run = with_max(&model, 8_000, budget).build().unwrap().run("go").outcome().await.unwrap();
    assert!(model.requests().is_empty());
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    let signal = run.continuation().unwrap().signal.clone().unwrap();
    assert_eq!(signal.reason, StopReason::TokenLimit);
    let (dimension, limit, used, wanted) = (Dimension::OutputTokens, 1_000, 0, 1_024);
    assert_eq!(signal.limit, Some(Exhausted { dimension, limit, used, wanted }));
    assert!(run.continuation().unwrap().explain().contains("1000"));
    assert_eq!(*run.used(), Amounts::default(), "nothing was used");
}

#[tokio::test]
async fn s5_2_an_answer_asked_to_be_shorter_than_the_floor_may_be_made() {
    let model = ScriptedModel::new([Turn::text("done")]);
    let budget = Budget::unlimited().output_tokens(1_000);
    let run = with_max(&model, 500, budget).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(model.requests()[0].max_output, Some(500));
}

#[tokio::test]
async fn s5_2_the_reservation_is_in_the_last_commit_before_the_call() {
    let (gate, store) = (Gate::new(), MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("done").behind(&gate)]);
    let agent = with_max(&model, 300, Budget::unlimited()).store_in(Arc::new(store.clone()));
    let agent = agent.build().unwrap();
    let look = async {
        gate.arrived(1).await;
        let loaded = store.read(&SessionId::from("s"), Range::ALL).await.unwrap();
        gate.open();
        loaded.journal
    };
    let run = agent.run("go").in_session("s");
    let (run, journal) = tokio::join!(run, look);
    let Event::InferenceStarted(started) = &journal.entries().last().unwrap().event else {
        panic!("{:?}", journal.entries().last());
    };
    let input = model.requests()[0].weight().div_ceil(3);
    assert_eq!((started.reserved.input, started.reserved.output), (input, 300));
    assert_eq!(journal.fold(&"s".into()).ledger().reserved.len(), 1);
    assert!(run.unwrap().state().ledger().reserved.is_empty());
}

#[tokio::test]
async fn s5_3_a_response_is_settled_with_its_real_usage() {
    let turns = [
        Turn::call("look", json!({"n": 1})).with_usage(used(100, 20)),
        Turn::text("done").with_usage(used(200, 30)),
    ];
    let model = priced(ScriptedModel::new(turns));
    let run = with_max(&model, 3_000, Budget::usd(1.0)).build().unwrap().run("go").await.unwrap();
    let usage = run.used();
    assert_eq!((usage.input, usage.output, usage.steps, usage.tool_calls), (300, 50, 2, 1));
    assert_eq!(usage.cost, MicroUsd(300 + 2 * 50));
    assert!(run.state().ledger().reserved.is_empty());
}

#[tokio::test]
async fn s5_3_a_stream_over_its_reserve_is_cut_charged_and_its_calls_never_run() {
    let world = World::default();
    let long = format!("{{\"n\": 1, \"why\": \"{}\"}}", "x".repeat(30_000));
    let (store, seen) = (MemoryStore::new(), RecordingObserver::new());
    let model = ScriptedModel::new([Turn::raw_call("look", long).with_usage(used(10, 5))]);
    let settings = ModelSettings { max_output: Some(1_100), ..ModelSettings::default() };
    let run = Agent::builder(model.clone())
        .settings(settings)
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .budget(Budget::unlimited().output_tokens(5_000))
        .store_in(Arc::new(store.clone()))
        .observer(Arc::new(seen.clone()))
        .build()
        .unwrap()
        .run("go")
        .in_session("s")
        .outcome()
        .await
        .unwrap();
    assert!(world.notes().is_empty(), "half a call ran");
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let journal = store.read(&SessionId::from("s"), Range::ALL).await.unwrap().journal;
    let responded = journal.entries().iter().filter_map(|entry| match &entry.event {
        Event::Responded(responded) => Some(responded.clone()),
        _ => None,
    });
    let responded: Vec<_> = responded.collect();
    assert_eq!(responded.len(), 1);
    assert_eq!(responded[0].response.incomplete, Some(Incomplete::OverReserve));
    assert!(responded[0].response.message.weight() < 10_000, "it was not cut");
    // What was reserved is 1,100; what the provider had said so far was 5.
    let output = run.used().output;
    assert!((1_100..1_200).contains(&output), "{output} charged");
    assert_eq!(
        run.state().context().transcript.messages().len(),
        1,
        "half an answer is no message"
    );
}

#[tokio::test]
async fn s5_3_a_reserve_found_unsettled_on_resume_is_charged_in_full() {
    let (gate, store) = (Gate::new(), Arc::new(MemoryStore::new()));
    let model = ScriptedModel::new([Turn::text("done").behind(&gate)]);
    let agent = with_max(&model, 300, Budget::unlimited()).store_in(store).build().unwrap();
    tokio::select! {
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    gate.open();
    let run = agent.resume("s").await.unwrap();
    let input = model.requests()[0].weight().div_ceil(3);
    assert_eq!((run.used().input, run.used().output), (input + 10, 300 + 5));
    assert_eq!(run.used().steps, 1, "it is the same step");
}

/// A driver that makes no request.
struct NoRequest;

impl Driver for NoRequest {
    fn name(&self) -> &str {
        "no_request"
    }

    fn request(
        &self,
        _: &AgentState,
        _: &StepContext,
        _: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        Err(ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, "it makes none"))
    }
}

#[tokio::test]
async fn s5_3_a_reserve_found_unsettled_is_charged_in_full_though_no_inference_follows() {
    let (gate, store) = (Gate::new(), Arc::new(MemoryStore::new()));
    let model = ScriptedModel::new([Turn::text("done").behind(&gate)]);
    let builder = || with_max(&model, 300, Budget::unlimited()).store_in(store.clone());
    tokio::select! {
        _ = builder().build().unwrap().run("go").in_session("s") => unreachable!("it waits"),
        () = gate.arrived(1) => {}
    }
    let run = builder().driver(NoRequest).build().unwrap().resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let input = model.requests()[0].weight().div_ceil(3);
    assert_eq!((run.used().input, run.used().output), (input, 300));
    assert!(run.used().estimated);
}

#[tokio::test]
async fn s5_3_failed_attempts_that_may_have_cost_are_charged_as_reserved() {
    let mut error = model::Error::new(Kind::Server, "it fell over");
    error.charged_attempts = 2;
    let model = ScriptedModel::new([Turn::error(error)]);
    let agent = with_max(&model, 300, Budget::unlimited()).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    let input = model.requests()[0].weight().div_ceil(3);
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert_eq!((run.used().input, run.used().output), (2 * input, 600));

    let unreached = ScriptedModel::new([Turn::disconnect()]);
    let run =
        with_max(&unreached, 300, Budget::unlimited()).build().unwrap().run("go").outcome().await;
    assert_eq!((run.as_ref().unwrap().used().input, run.unwrap().used().output), (0, 0));
}

/// What is charged for each answer, by the journal.
async fn charged(store: &MemoryStore) -> Vec<Amounts> {
    let journal = store.read(&SessionId::from("s"), Range::ALL).await.unwrap().journal;
    let charged = journal.entries().iter().filter_map(|entry| match &entry.event {
        Event::Responded(responded) => Some(responded.charged),
        Event::InferenceInterrupted(left) => Some(left.charged),
        _ => None,
    });
    charged.collect()
}

#[tokio::test]
async fn s5_3_an_answer_without_usage_is_charged_what_was_counted_and_marked() {
    // Nobody knows how long an answer may be, and a million tokens are left.
    let turns = [
        Turn::call("look", json!({"n": 1})).without_usage(),
        Turn::text("It is noted.").with_usage(used(100, 7)),
    ];
    let (model, store) = (ScriptedModel::new(turns), MemoryStore::new());
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    let agent = Agent::builder(model.clone()).budget(Budget::unlimited().tokens(1_000_000));
    let agent = agent.tools([look]).store_in(Arc::new(store.clone())).build().unwrap();
    let run = agent.run("go").in_session("s").await.unwrap();
    let charged = charged(&store).await;
    let (input, output) = (charged[0].input, charged[0].output);
    assert_eq!(input, model.requests()[0].weight().div_ceil(3));
    assert!((5..50).contains(&output), "{output} for one short call");
    assert_eq!([charged[0].estimated, charged[1].estimated], [true, false]);
    assert_eq!((run.used().output, run.used().estimated), (output + 7, true));
    assert!(run.used().unpriced, "the model has no price");
}

#[tokio::test]
async fn s5_3_what_is_counted_is_never_more_than_the_answer_was_allowed() {
    let model = ScriptedModel::new([Turn::text("x".repeat(9_000)).without_usage()]);
    let run = with_max(&priced(model), 40, Budget::usd(1.0)).build().unwrap();
    let run = run.run("go").await.unwrap();
    assert_eq!(run.used().output, 40);
    assert_eq!(run.used().cost, MicroUsd(run.used().input + 2 * 40));
    assert!(run.used().estimated && !run.used().unpriced);
}

#[tokio::test]
async fn s5_2_an_answer_of_unknown_length_is_not_allowed_all_that_is_left() {
    for (limit, most) in [(1_000_000, 16_384), (9_000, 4_300)] {
        let model = ScriptedModel::new([Turn::text("done")]);
        let agent = Agent::builder(model.clone()).budget(Budget::unlimited().tokens(limit));
        agent.build().unwrap().run("go").await.unwrap();
        let asked = model.requests()[0].max_output.unwrap();
        assert!((most..most + 200).contains(&asked) || asked == most, "{asked} of {limit}");
    }
}

/// Left in the middle of an answer: by which of the two ways, and whether it was streamed.
async fn leave(cancels: bool, streamed: bool) -> (Amounts, u64, legwork_agent::Run, MemoryStore) {
    let (gate, store) = (Gate::new(), MemoryStore::new());
    let half = Turn::text("half of what it would have said").halting(&gate);
    let model = ScriptedModel::new([half]);
    let agent = Agent::builder(model.clone()).budget(Budget::unlimited().tokens(20_000));
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    let control = legwork_agent::Control::default();
    let mut run = agent.run("go").in_session("s").control(control.clone());
    if streamed {
        run = run.observer(Arc::new(RecordingObserver::new()));
    }
    let leaver = async {
        gate.arrived(1).await;
        if cancels { control.cancel.cancel() } else { control.interrupt.cancel() }
    };
    let (run, ()) = tokio::join!(run.outcome(), leaver);
    let charged = charged(&store).await;
    assert_eq!(charged.len(), 1);
    (charged[0], model.requests()[0].weight().div_ceil(3), run.unwrap(), store)
}

#[tokio::test]
async fn s5_3_s3_9_a_stream_that_is_left_is_charged_what_of_it_was_counted() {
    for cancels in [false, true] {
        let (charged, input, run, _) = leave(cancels, true).await;
        assert_eq!(charged.input, input);
        assert!((1..12).contains(&charged.output), "{} of one piece", charged.output);
        assert!(charged.estimated);
        assert!(run.state().ledger().reserved.is_empty());
        assert_eq!(run.used().total_tokens(), charged.total_tokens());
        let status = if cancels { ExecutionStatus::Cancelled } else { ExecutionStatus::InProgress };
        assert_eq!(run.status(), status);
    }
}

#[tokio::test]
async fn s5_3_s3_9_a_call_that_is_left_and_was_not_streamed_is_charged_in_full() {
    let (charged, input, _, _) = leave(false, false).await;
    assert_eq!(charged.output, (20_000 - input) / 2);
    assert!(charged.estimated);
}

#[tokio::test]
async fn s5_3_s10_2_what_was_left_is_asked_again_in_the_same_step() {
    let (charged, _, _, store) = leave(false, true).await;
    let model = ScriptedModel::new([Turn::text("whole").with_usage(used(30, 4))]);
    let agent = Agent::builder(model).budget(Budget::unlimited().tokens(20_000));
    let agent = agent.store_in(Arc::new(store)).build().unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(run.text(), "whole");
    assert_eq!(run.used().steps, 1);
    assert_eq!(run.used().total_tokens(), charged.total_tokens() + 34);
}

#[tokio::test]
async fn s5_3_a_session_whose_process_died_in_an_answer_of_unknown_length_goes_on() {
    let (gate, store) = (Gate::new(), Arc::new(MemoryStore::new()));
    let agent = |turn: Turn| {
        let agent = Agent::builder(ScriptedModel::new([turn])).store_in(store.clone());
        agent.budget(Budget::unlimited().tokens(8_000)).build().unwrap()
    };
    tokio::select! {
        _ = agent(Turn::text("never").behind(&gate)).run("go").in_session("s").into_future() => {
            unreachable!("it waits at the gate")
        }
        () = gate.arrived(1) => {}
    }
    let run = agent(Turn::text("done")).resume("s").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert!(run.used().total_tokens() > 4_000, "what was held is charged");
    assert!(run.used().estimated);
}
