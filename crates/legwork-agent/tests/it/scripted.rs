//! Scripts in the place of models.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::driver::{AtEnd, CURSOR, Line, NoModel, Scripted, Source, request};
use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::StepTools;
use legwork_agent::{Agent, Builder, Driver, EventKind, Override, StepContext, hook};
use legwork_core::event::Event;
use legwork_core::{
    AgentState, Budget, EffectClass, ErrorKind, ErrorRecord, ErrorSource, ExecutionStatus,
    FinishReason, Message, ModelRequest, ModelSettings, Part, Response, Seq, StopReason, Timestamp,
    Usage,
};
use legwork_port::{Clock as _, Trigger};
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn, VirtualClock, crash};
use serde_json::json;

use crate::tools::{World, keyed, noting, once, said};

fn agent(lines: impl IntoIterator<Item = Line>) -> Builder {
    let store = Arc::new(MemoryStore::new());
    Agent::builder(NoModel).driver(Scripted::new(lines)).store_in(store)
}

fn two_calls() -> [Line; 3] {
    [
        Line::calls([("look", json!({"n": 1})), ("send", json!({"n": 2}))]).with_text("I look."),
        Line::from_fn(|state| match said(state).last().map(String::as_str) {
            Some("2") => Line::call("look", json!({"n": 3})),
            other => Line::text(format!("what is {other:?}?")),
        }),
        Line::text("done"),
    ]
}

fn tools(builder: Builder, world: &World) -> Builder {
    let look = noting("look", EffectClass::ReadOnly, world);
    builder.tools([look, noting("send", once(), world)])
}

#[tokio::test]
async fn lines_are_said_in_order_and_those_of_functions_see_the_state() {
    let world = World::default();
    let run = tools(agent(two_calls()), &world).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(said(run.state()), ["go", "I look.", "1", "2", "3", "done"]);
    assert_eq!(run.state().context().metadata[CURSOR], 3);
    let ids = run.state().step_results().flat_map(|result| result.step.calls.iter());
    let ids: Vec<_> = ids.map(|slot| slot.call.id.to_string()).collect();
    assert_eq!(ids, ["script_0_0", "script_0_1", "script_1_0"]);
}

#[tokio::test]
async fn s5_1_a_script_holds_and_costs_nothing_under_any_limit() {
    let limits = [
        Budget::unlimited(),
        Budget::usd(0.000_001),
        Budget { output_tokens: Some(1), ..Budget::unlimited() },
        Budget { input_tokens: Some(1), total_tokens: Some(1), ..Budget::unlimited() },
    ];
    for budget in limits {
        let world = World::default();
        let settings = ModelSettings { max_output: Some(500), ..ModelSettings::default() };
        let observer = RecordingObserver::new();
        let agent = tools(agent(two_calls()), &world)
            .observer(Arc::new(observer.clone()))
            .instructions("Instructions that nobody reads.")
            .settings(settings)
            .budget(budget.clone())
            .build()
            .unwrap();
        let session = agent.session("s");
        let run = session.run("go").await.unwrap();
        assert_eq!(run.text(), "done", "{budget:?}");
        for entry in session.journal().await.unwrap().entries() {
            let amounts = match &entry.event {
                Event::InferenceStarted(started) => started.reserved,
                Event::Responded(responded) => responded.charged,
                _ => continue,
            };
            assert_eq!((amounts.total_tokens(), amounts.cost.0), (0, 0), "{budget:?}");
        }
        let used = run.used();
        assert_eq!((used.steps, used.tool_calls, used.total_tokens()), (3, 3, 0), "{budget:?}");
    }
}

#[tokio::test]
async fn the_ordinary_news_is_told() {
    let world = World::default();
    let observer = RecordingObserver::new();
    let builder = tools(agent(two_calls()), &world).observer(Arc::new(observer.clone()));
    builder.build().unwrap().run("go").await.unwrap();
    assert_eq!(observer.text(), "I look.done");
    let kinds = observer.names();
    for kind in [
        "inference_started",
        "text_delta",
        "tool_call_delta",
        "tool_arguments_delta",
        "tool_finished",
    ] {
        assert!(kinds.contains(&kind.to_owned()), "{kind}: {kinds:?}");
    }
    let index = |kind: &EventKind| match kind {
        EventKind::ToolCallDelta { index, tool } => Some((*index, tool.clone())),
        _ => None,
    };
    let started: Vec<_> = observer.kinds().iter().filter_map(index).collect();
    let expected = [(0, "look"), (1, "send"), (0, "look")];
    assert_eq!(started, expected.map(|(index, name)| (index, name.to_owned())));
    let models = observer.kinds().into_iter().filter_map(|live| match live {
        EventKind::InferenceStarted { model, .. } => Some(model),
        _ => None,
    });
    assert_eq!(models.collect::<Vec<_>>(), ["scripted"; 3]);
    for kind in ["inference_started", "responded", "metadata_set", "tool_finished"] {
        assert!(kinds.contains(&format!("committed {kind}")), "{kind}: {kinds:?}");
    }
}

#[tokio::test]
async fn a_script_that_ran_out_ends_as_chosen() {
    let over = agent(["one".into()]).build().unwrap();
    let session = over.session("s");
    assert_eq!(session.run("a").await.unwrap().text(), "one");
    let run = session.run("b").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::Error));
    let error = run.state().errors().last().unwrap().message.clone();
    assert!(error.contains("ended with line 1") && error.contains("add a line"), "{error}");

    let script = Scripted::new(["one".into()]).at_end(AtEnd::Answer("over".to_owned()));
    let session = over.with_override(Override::new().driver(script)).unwrap().session("t");
    let mut texts = Vec::new();
    for task in ["a", "b", "c"] {
        texts.push(session.run(task).await.unwrap().text());
    }
    assert_eq!(texts, ["one", "over", "over"]);
    assert_eq!(session.state().await.unwrap().context().metadata[CURSOR], 1);
}

#[tokio::test]
async fn a_line_may_fail_and_is_owed_again() {
    let store = Arc::new(MemoryStore::new());
    let failing = agent(["one".into(), Line::fails("no power")]).store_in(store.clone());
    let session = failing.build().unwrap().session("s");
    session.run("a").await.unwrap();
    let run = session.run("b").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert_eq!(run.state().errors().last().unwrap().message, "no power");
    let mended = agent(["one".into(), "two".into()]).store_in(store).build().unwrap();
    assert_eq!(mended.session("s").run("c").await.unwrap().text(), "two");
}

#[tokio::test]
async fn s1_9_an_execution_whose_script_ended_goes_on_when_that_is_mended() {
    let store = Arc::new(MemoryStore::new());
    let short = agent(["one".into()]).store_in(store.clone()).build().unwrap();
    let session = short.session("s");
    session.run("a").await.unwrap();
    assert_eq!(session.run("b").outcome().await.unwrap().status(), ExecutionStatus::Failed);
    let mended = agent(["one".into(), "two".into()]).store_in(store).build().unwrap();
    let run = mended.session("s").resume().await.unwrap();
    assert_eq!((run.status(), run.text().as_str()), (ExecutionStatus::Completed, "two"));
}

/// A driver that has its responses itself.
struct Own<F>(F);

impl<F> Driver for Own<F>
where
    F: Fn(&AgentState) -> Result<Response, ErrorRecord> + Send + Sync,
{
    fn name(&self) -> &str {
        "own"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        request(state, cx, shown)
    }

    fn source(&self, state: &AgentState, _: &StepContext) -> Result<Source, ErrorRecord> {
        Ok(Source::ready((self.0)(state)))
    }
}

fn own(
    answer: impl Fn(&AgentState) -> Result<Response, ErrorRecord> + Send + Sync + 'static,
) -> Builder {
    Agent::builder(NoModel).driver(Own(answer))
}

#[tokio::test]
async fn s5_3_what_a_driver_says_itself_costs_nothing_whatever_usage_it_says() {
    let answer = |_: &AgentState| {
        let message = Message::assistant(vec![Part::text("done".to_owned())]);
        let usage = Some(Usage { input: 40_000, output: 10_000, ..Usage::default() });
        let response = Response::new(message, FinishReason::Stop);
        Ok(Response { usage, charged_attempts: 3, ..response })
    };
    let builder = own(answer).budget(Budget::usd(0.01).tokens(10));
    let run = builder.build().unwrap().run("go").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!((run.used().total_tokens(), run.used().cost.0), (0, 0));
}

#[tokio::test]
async fn s1_6_an_error_of_a_driver_ends_its_step_whoever_it_names() {
    for source in [ErrorSource::Tool("t".into()), ErrorSource::Hook("h".to_owned())] {
        let error = ErrorRecord::new(source, ErrorKind::Hook, "no power");
        let agent = own(move |_| Err(error.clone())).build().unwrap();
        let run = agent.run("go").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Failed);
        assert_eq!(run.state().errors().last().unwrap().source, ErrorSource::Driver);
        assert_eq!(run.state().step_results().count(), 1);
    }
}

#[tokio::test]
async fn s5_1_no_answer_of_a_driver_is_taken_after_the_deadline() {
    let (clock, world) = (VirtualClock::new(), World::default());
    let deadline = Timestamp(clock.now().wall.0 + 10_000);
    let slow = clock.clone();
    let waits = hook("waits", [Trigger::BeforeInference], move |state: AgentState, _| {
        slow.advance(Duration::from_secs(40));
        async move { Ok(state) }
    });
    let agent = tools(agent(two_calls()), &world)
        .clock(Arc::new(clock))
        .hook(waits)
        .budget(Budget::unlimited().deadline(deadline))
        .build()
        .unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert!(run.continuation().unwrap().explain().contains("the deadline has passed"));
    assert_eq!(said(run.state()), ["go"]);
}

#[tokio::test]
async fn s8_1_moving_the_head_back_moves_the_script_back() {
    let agent = agent(["one".into(), "two".into(), "three".into()]).build().unwrap();
    let session = agent.session("s");
    let first = session.run("a").await.unwrap().state().head();
    for expected in ["two", "three"] {
        assert_eq!(session.run("b").await.unwrap().text(), expected);
    }
    session.move_head(first).await.unwrap();
    assert_eq!(session.run("c").await.unwrap().text(), "two");
    assert_eq!(said(&session.state().await.unwrap()), ["a", "one", "c", "two"]);
    assert_ne!(first, Seq::ZERO);
}

#[tokio::test]
async fn s10_1_a_script_goes_on_at_its_line_after_a_crash_at_each_point() {
    let report = crash::simulate("go", |world: &World, store| {
        let look = noting("look", EffectClass::ReadOnly, world);
        let lines = [
            Line::calls([("put", json!({"n": 1})), ("look", json!({"n": 2}))]),
            Line::from_fn(|state| Line::call("put", json!({"n": said(state).len()}))),
            Line::text("done"),
        ];
        agent(lines).tools([keyed("put", world), look]).store_in(store).build()
    })
    .crash_everywhere()
    .await
    .unwrap();
    assert_eq!(report.plain.text, "done");
    assert!(report.crashed.len() >= 8, "{} crashes", report.crashed.len());
    report.check(|plain, crashed| {
        let (a, b) = (plain.state.context(), crashed.state.context());
        if a.transcript.messages() != b.transcript.messages() || a.metadata != b.metadata {
            return Err(format!("{:?}", said(&crashed.state)));
        }
        let puts = crashed.world.notes().iter().filter(|note| note.starts_with("put")).count();
        if puts == 2 { Ok(()) } else { Err(format!("{puts} effects")) }
    });
}

#[tokio::test]
async fn an_agent_without_a_model_says_so_when_it_asks_one() {
    let run = Agent::builder(NoModel).build().unwrap().run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert!(run.state().errors().last().unwrap().message.contains("was given no model"));
}

#[tokio::test]
async fn the_model_of_an_agent_is_not_asked_while_a_script_drives() {
    let model = ScriptedModel::new([Turn::text("by the model")]);
    let agent = Agent::builder(model.clone()).driver(Scripted::new(["by the script".into()]));
    let run = agent.build().unwrap().run(Message::user("go")).await.unwrap();
    assert_eq!(run.text(), "by the script");
    assert!(model.requests().is_empty());
}
