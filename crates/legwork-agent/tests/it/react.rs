//! Decisions of models without tool calling.

use std::sync::Arc;

use legwork_agent::driver::FinalDecision;
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Driver as _, Error, ReAct, hook};
use legwork_core::continuation::{ErrorPolicy, Reaction};
use legwork_core::event::{ExecutionStarted, InferenceStarted, Responded};
use legwork_core::inference::Incomplete;
use legwork_core::message::{ProviderData, Thinking};
use legwork_core::output::{Mode, Rejection, Stage, Wanted};
use legwork_core::{
    AgentState, Budget, Criterion, Decision, EffectClass, ErrorKind, ErrorSource, Event,
    ExecutionStatus, FinishReason, Message, Part, Response, Role, SessionId, StopReason,
};
use legwork_port::model::Profile;
use legwork_port::{OutputReader, Store, Tool, Trigger};
use legwork_testkit::{ScriptedModel, Turn, crash};
use serde_json::{Value, json};

use crate::tools::{World, keyed, noting, once, said};

const ASK: &str = "Now write the answer for the user, as plain text and not as JSON.";

fn act(tool: &str, n: i64) -> Turn {
    let action = json!({"tool": tool, "arguments": {"n": n}});
    Turn::text(json!({"thought": format!("I need {n}"), "action": action}).to_string())
}

fn answer(text: &str) -> Turn {
    Turn::text(json!({"thought": "I know", "answer": text}).to_string())
}

/// A model that calls no tools.
fn plain(turns: impl Into<Vec<Turn>>) -> ScriptedModel {
    ScriptedModel::new(turns.into()).with_profile(Profile::default())
}

fn agent(model: &ScriptedModel, driver: ReAct, world: &World) -> Builder {
    Agent::builder(model.clone())
        .instructions("You look things up.")
        .driver(driver)
        .tools([noting("look", EffectClass::ReadOnly, world), noting("send", once(), world)])
}

#[tokio::test]
async fn a_model_without_tools_gets_none_and_uses_them() {
    let world = World::default();
    let model = plain([act("look", 1), act("send", 2), answer("It is 2.")]);
    let run = agent(&model, ReAct::new(), &world).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.text(), "It is 2.");
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::Completed));
    assert_eq!(world.notes(), ["look 1", "send 2"]);

    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    for request in &requests {
        assert!(request.tools.is_empty());
        assert!(request.response_format.is_some());
        for words in ["You look things up.\n\n", "- `look`: ", "- `send`: ", "\"required\":[\"n\"]"]
        {
            assert!(request.instructions.contains(words), "{words}: {}", request.instructions);
        }
        let odd = request
            .messages()
            .iter()
            .find(|m| m.role == Role::Tool || m.tool_calls().next().is_some());
        assert!(odd.is_none(), "{odd:?}");
        assert!(request.weight() > request.instructions.len() as u64);
    }
    let told: Vec<_> = requests[2].messages().iter().map(|m| (m.role.clone(), m.text())).collect();
    let expected = [
        (Role::User, "go"),
        (Role::Assistant, r#"{"thought":"I need 1","action":{"tool":"look","arguments":{"n":1}}}"#),
        (Role::User, "Result of `look`: 1"),
        (Role::Assistant, r#"{"thought":"I need 2","action":{"tool":"send","arguments":{"n":2}}}"#),
        (Role::User, "Result of `send`: 2"),
    ];
    assert_eq!(told, expected.map(|(role, text)| (role, text.to_owned())));
}

#[tokio::test]
async fn the_transcript_is_that_of_any_driver() {
    let world = World::default();
    let fenced = format!(
        "Let me see.\n```json\n{}\n```",
        r#"{"action": {"tool": "look", "arguments": {"n": 1}}}"#
    );
    let model = plain([Turn::text(fenced.clone()).with_thinking("native"), answer("1")]);
    let run = agent(&model, ReAct::new(), &world).build().unwrap().run("go").await.unwrap();
    let step = &run.state().step_results().next().unwrap().step;
    let response = step.response.as_ref().unwrap();
    assert_eq!(response.finish, FinishReason::ToolCalls);
    assert_eq!(response.raw["react"], json!({"decision": "action", "text": fenced}));
    let thinking = Thinking { text: "native".to_owned(), ..Thinking::default() };
    assert_eq!(response.message.parts[0], Part::Thinking(thinking.clone()));
    assert_eq!(step.calls.get(0).unwrap().call.id.to_string(), format!("react_{}", step.id));
    assert_eq!(response.message.text(), "", "prose around a call is in the raw response");

    // S11.2: what the model itself thought goes back to it as it came.
    let back = model.requests()[1].messages().get(1).unwrap().clone();
    assert_eq!(back.parts[0], Part::Thinking(thinking));

    let last = run.state().last_step_result().unwrap().step.response.clone().unwrap();
    assert_eq!(last.finish, FinishReason::Stop);
    let written = r#"{"answer":"1","thought":"I know"}"#;
    assert_eq!(last.raw["react"], json!({"decision": "answer", "text": written}));
    let thought = Thinking {
        text: "I know".to_owned(),
        provider: Some(ProviderData::new("react", json!(null))),
        ..Thinking::default()
    };
    assert_eq!(last.message.parts, [Part::Thinking(thought), Part::text("1")]);
    let exact = r#"{"thought":"I know","answer":"1"}"#;
    let run = agent(&plain([Turn::text(exact)]), ReAct::new(), &world)
        .build()
        .unwrap()
        .run("go")
        .await
        .unwrap();
    let last = run.state().last_step_result().unwrap().step.response.clone().unwrap();
    assert_eq!(last.raw["react"], json!({"decision": "answer"}), "kept only if it differs");
}

#[tokio::test]
async fn s3_an_invalid_decision_is_corrected_and_forgotten() {
    let world = World::default();
    let model = plain([
        Turn::text("I would look at 1."),
        act("look", 1),
        act("fly", 2),
        Turn::text(
            r#"{"thought": "so", "answer": "x", "action": {"tool": "look", "arguments": {}}}"#,
        ),
        answer("done"),
    ]);
    let run = agent(&model, ReAct::new(), &world).build().unwrap().run("go").await.unwrap();
    assert_eq!((run.status(), run.text().as_str()), (ExecutionStatus::Completed, "done"));
    assert_eq!(world.notes(), ["look 1"]);
    let errors: Vec<_> = run.state().errors().collect();
    assert_eq!(errors.len(), 3);
    for (error, words) in
        errors.iter().zip(["no JSON object", "no tool `fly`; the tools are: look, send", "both"])
    {
        assert_eq!((&error.source, &error.kind), (&ErrorSource::Driver, &ErrorKind::Validation));
        assert!(error.message.contains(words), "{}", error.message);
    }
    let texts = said(run.state());
    assert_eq!(texts[1], "I would look at 1.", "it stays, so that the model sees it");
    assert!(
        texts[2].contains("no JSON object") && texts[2].contains("{\"thought\": \"...\""),
        "{}",
        texts[2]
    );
    let second = model.requests()[1].messages().iter().map(|m| m.text()).collect::<Vec<_>>();
    assert_eq!(second, texts[..3]);
}

#[tokio::test]
async fn s3_invalid_decisions_end_an_execution_at_the_bound_of_the_error_policy() {
    let never = Reaction::Stop;
    for (policy, requests, reason) in [
        (None, 3, StopReason::RetryLimit),
        (
            Some(ErrorPolicy::default().on(ErrorKind::Validation, Reaction::Retry(4))),
            5,
            StopReason::RetryLimit,
        ),
        (Some(ErrorPolicy::default().on(ErrorKind::Validation, never)), 1, StopReason::Error),
    ] {
        let model = plain((0..9).map(|n| Turn::text(format!("no {n}"))).collect::<Vec<_>>());
        let builder = agent(&model, ReAct::new(), &World::default());
        let builder = match policy {
            Some(policy) => builder.criterion(policy),
            None => builder,
        };
        let run = builder.build().unwrap().run("go").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Failed);
        assert_eq!(run.continuation().unwrap().stop_reason(), Some(&reason));
        assert_eq!(model.requests().len(), requests);
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_told_by_the_judge_and_do_not_run() {
    let world = World::default();
    let wrong = r#"{"thought": "", "action": {"tool": "look", "arguments": {"n": "one"}}}"#;
    let deep = format!("{}1{}", r#"{"a":"#.repeat(10_000), "}".repeat(10_000));
    let deep = format!(r#"{{"action": {{"tool": "look", "arguments": {deep}}}}}"#);
    let model = plain([Turn::text(wrong), Turn::text(deep), act("look", 1), answer("done")]);
    let run = agent(&model, ReAct::new(), &world).build().unwrap().run("go").await.unwrap();
    assert_eq!(
        (run.text().as_str(), world.notes().as_slice()),
        ("done", &["look 1".to_owned()][..])
    );
    let told = model.requests()[1].messages().last().unwrap().text();
    assert!(told.starts_with("Result of `look` (it did not succeed): "), "{told}");
    assert!(told.contains("integer"), "{told}");
}

#[tokio::test]
async fn s11_3_a_decision_cut_by_its_length_is_incomplete_and_not_sent_back() {
    let world = World::default();
    let cut = Turn::text(r#"{"thought": "x", "action": {"tool": "send", "#)
        .with_finish(FinishReason::Length);
    let run = agent(&plain([cut]), ReAct::new(), &world)
        .build()
        .unwrap()
        .run("go")
        .outcome()
        .await
        .unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let step = &run.state().last_step_result().unwrap().step;
    assert_eq!(step.response.as_ref().unwrap().incomplete, Some(Incomplete::LengthInCall));
    assert_eq!(said(run.state()), ["go"]);
    assert!(run.state().errors().last().unwrap().message.contains("incomplete"));
    // A decision that is whole is one, whatever its end.
    let whole = Turn::text(r#"{"answer": "42"} and then"#).with_finish(FinishReason::Length);
    let run =
        agent(&plain([whole]), ReAct::new(), &world).build().unwrap().run("go").await.unwrap();
    assert_eq!((run.status(), run.text().as_str()), (ExecutionStatus::Completed, "42"));
}

#[tokio::test]
async fn what_is_no_attempt_at_a_decision_is_left_as_it_came() {
    let world = World::default();
    let native = plain([Turn::call("look", json!({"n": 1})), answer("done")]);
    let run = agent(&native, ReAct::new(), &world).build().unwrap().run("go").await.unwrap();
    assert_eq!((run.text().as_str(), world.notes().len()), ("done", 1), "a call is a call");
    assert_eq!(run.state().errors().count(), 0, "and none that could not be read");
    let filtered = plain([Turn::text("I can").with_finish(FinishReason::ContentFilter)]);
    let run = agent(&filtered, ReAct::new(), &world).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::FinishReason));

    let said = |parts: Vec<Part>, incomplete: Option<Incomplete>| {
        let response = Response::new(Message::assistant(parts), FinishReason::Stop);
        let response = Response { incomplete, ..response };
        let read = ReAct::new().read(&AgentState::new(SessionId::new("s")), &response);
        let read = read.unwrap_or_else(|| response.clone());
        (read == response, read.raw.get("react").map(|mark| mark["decision"].clone()))
    };
    let refusal = || Part::Refusal("I will not".into());
    let text = || Part::text(r#"{"answer": "yes"}"#);
    assert_eq!(said(vec![refusal()], None), (true, None));
    assert_eq!(said(vec![text()], Some(Incomplete::Cut)), (true, None));
    assert_eq!(said(vec![refusal(), text()], None).1, Some(json!("answer")));
    assert_eq!(said(vec![], None).1, Some(json!("invalid")), "nothing is no refusal");
}

#[tokio::test]
async fn a_plain_answer_follows_the_decision_to_answer() {
    let world = World::default();
    let model = plain([act("look", 1), answer("draft"), Turn::text("It is {1}, I found.")]);
    let driver = || ReAct::new().plain_answer();
    let builder = agent(&model, driver(), &world).store_in(Arc::new(MemoryStore::new()));
    let session = builder.build().unwrap().session("s");
    let run = session.run("go").await.unwrap();
    assert_eq!(run.text(), "It is {1}, I found.");
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(said(run.state()), ["go", "1", "draft", ASK, "It is {1}, I found."]);
    let requests = model.requests();
    let (second, third) = (&requests[1], &requests[2]);
    assert!(second.response_format.is_some() && third.response_format.is_none());
    assert_eq!(&*third.instructions, "You look things up.");
    assert_eq!(third.messages().last().unwrap().text(), ASK);
    assert_eq!(third.messages().len(), second.messages().len() + 2);

    // What small models do: the same decision once more, or a second thought.
    for (turn, text, notes) in [
        (
            Turn::text("```json\n{\"thought\": \"\", \"answer\": \"unwrapped\"}\n```"),
            "unwrapped",
            0,
        ),
        (
            Turn::text("Write {\"answer\": \"x\"} for that."),
            "Write {\"answer\": \"x\"} for that.",
            0,
        ),
    ] {
        let world = World::default();
        let model = plain([answer("draft"), turn]);
        let run = agent(&model, driver(), &world).build().unwrap().run("go").await.unwrap();
        assert_eq!((run.text().as_str(), world.notes().len()), (text, notes));
    }
    let world = World::default();
    let model = plain([answer("draft"), act("look", 1), answer("draft"), Turn::text("plain")]);
    let run = agent(&model, driver(), &world).build().unwrap().run("go").await.unwrap();
    assert_eq!((run.text().as_str(), world.notes().len()), ("plain", 1));
    let model = plain([answer("draft"), Turn::text("  "), answer("draft"), Turn::text("plain")]);
    let run = agent(&model, driver(), &world).build().unwrap().run("go").await.unwrap();
    assert_eq!((run.text().as_str(), run.state().errors().count()), ("plain", 1), "empty is none");
}

#[tokio::test]
async fn a_plain_answer_waits_for_what_was_said_meanwhile_once() {
    let world = World::default();
    let model = plain([answer("draft"), act("look", 1), answer("draft"), Turn::text("plain")]);
    let steer = hook("steer", [Trigger::StepStart], |state: AgentState, _| async move {
        Ok(match state.step_results().count() {
            1 => state.with_message("And look at 1."),
            _ => state,
        })
    });
    let builder = agent(&model, ReAct::new().plain_answer(), &world).hook(steer);
    let run = builder.build().unwrap().run("go").await.unwrap();
    assert_eq!((run.text().as_str(), world.notes().len()), ("plain", 1));
    let schemas = model.requests().into_iter().map(|request| request.response_format.is_some());
    assert_eq!(schemas.collect::<Vec<_>>(), [true, true, true, false]);

    let nagging = hook("nag", [Trigger::StepStart], |state: AgentState, _| async move {
        Ok(state.with_message("Be brief."))
    });
    let model = plain([answer("draft"), answer("draft"), Turn::text("plain")]);
    let builder = agent(&model, ReAct::new().plain_answer(), &world).hook(nagging);
    let run = builder.build().unwrap().run("go").await.unwrap();
    assert_eq!((run.text().as_str(), run.status()), ("plain", ExecutionStatus::Completed));
    let schemas = model.requests().into_iter().map(|request| request.response_format.is_some());
    assert_eq!(schemas.collect::<Vec<_>>(), [true, true, false], "it waits once");

    // A model that answers plainly at once, though it is asked for a decision.
    let nagging = hook("nag", [Trigger::StepStart], |state: AgentState, _| async move {
        Ok(state.with_message("Be brief."))
    });
    let model = plain([answer("draft"), Turn::text("It is 1.")]);
    let builder = agent(&model, ReAct::new().plain_answer(), &world).hook(nagging);
    let run = builder.build().unwrap().run("go").await.unwrap();
    assert_eq!((run.text().as_str(), run.state().errors().count()), ("It is 1.", 0));
}

/// A state whose step under way has a response.
fn responded(response: Response) -> AgentState {
    let response = Arc::new(response);
    AgentState::new(SessionId::new("s"))
        .with(Event::ExecutionStarted(ExecutionStarted { input: vec![Message::user("go").into()] }))
        .with(Event::InferenceStarted(InferenceStarted {
            reserved: Default::default(),
            tools: None,
            request: None,
        }))
        .with(Event::Responded(Responded { response, charged: Default::default() }))
}

#[test]
fn s3_final_decision_votes_by_what_was_decided_alone() {
    let response = |mark: Value, finish: FinishReason| {
        let mut response = Response::new(Message::assistant(vec![Part::text("x")]), finish);
        response.raw.insert("react".to_owned(), mark);
        response
    };
    let mark = |decision: &str| json!({"decision": decision});
    let half = Response {
        incomplete: Some(Incomplete::Cut),
        ..response(mark("answer"), FinishReason::Stop)
    };
    for (response, vote) in [
        (response(mark("answer"), FinishReason::Stop), "stop"),
        (response(mark("plain"), FinishReason::Stop), "stop"),
        (response(mark("plain"), FinishReason::Length), "none"),
        (response(mark("draft"), FinishReason::Stop), "request"),
        (response(mark("invalid"), FinishReason::Stop), "none"),
        (response(mark("later"), FinishReason::Stop), "none"),
        (response(json!("odd"), FinishReason::Stop), "none"),
        (Response::new(Message::assistant(Vec::new()), FinishReason::Stop), "none"),
        (half, "none"),
    ] {
        let shown = format!("{:?}", response.raw);
        let voted = match FinalDecision.decide(&responded(response)).unwrap() {
            Some(Decision::Stop(signal)) => {
                assert_eq!(
                    (signal.reason, signal.source.as_str()),
                    (StopReason::Completed, "final_decision")
                );
                "stop"
            }
            Some(Decision::Request) => "request",
            None => "none",
            other => panic!("{other:?}"),
        };
        assert_eq!(voted, vote, "{shown}");
    }
    assert_eq!(FinalDecision.decide(&AgentState::new(SessionId::new("s"))), Ok(None));
}

#[tokio::test]
async fn s3_a_criterion_of_the_agent_takes_the_place_of_the_drivers() {
    struct Never;
    impl Criterion for Never {
        fn name(&self) -> &str {
            "final_decision"
        }
        fn decide(
            &self,
            _: &AgentState,
        ) -> Result<Option<Decision>, legwork_core::continuation::Error> {
            Ok(None)
        }
    }
    let model = plain([answer("draft"), Turn::text("never")]);
    let builder = agent(&model, ReAct::new().plain_answer(), &World::default()).criterion(Never);
    let run = builder.build().unwrap().run("go").await.unwrap();
    assert_eq!((run.text().as_str(), model.requests().len()), ("draft", 1));
}

fn keyed_world(
    model: ScriptedModel,
    driver: ReAct,
    world: &World,
    store: Arc<dyn Store>,
) -> Result<Agent, Error> {
    let look = noting("look", EffectClass::ReadOnly, world);
    let builder = Agent::builder(model).driver(driver);
    builder.tools([keyed("put", world), look]).store_in(store).build()
}

#[tokio::test]
async fn s10_1_decisions_go_on_after_a_crash_at_each_point() {
    for plainly in [false, true] {
        let report = crash::simulate("go", move |world: &World, store| {
            let mut turns =
                vec![act("put", 1), Turn::text("no decision"), act("look", 2), answer("done")];
            turns.extend(plainly.then(|| Turn::text("plainly done")));
            let driver = if plainly { ReAct::new().plain_answer() } else { ReAct::new() };
            keyed_world(plain(turns), driver, world, store)
        })
        .crash_everywhere()
        .await
        .unwrap();
        assert_eq!(report.plain.text, if plainly { "plainly done" } else { "done" });
        assert!(report.crashed.len() >= 10, "{} crashes", report.crashed.len());
        report.check(|plain, crashed| {
            let texts = said(&crashed.state);
            if texts != said(&plain.state) || crashed.text != plain.text {
                return Err(format!("{texts:?}"));
            }
            if crashed.state.status() != Some(&ExecutionStatus::Completed) {
                return Err(format!("{:?}", crashed.state.status()));
            }
            if crashed.state.errors().count() != 1 {
                return Err(format!("{:?}", crashed.state.errors().collect::<Vec<_>>()));
            }
            let puts = crashed.world.notes().iter().filter(|note| note.starts_with("put")).count();
            if puts == 1 { Ok(()) } else { Err(format!("{puts} effects")) }
        });
    }
}

#[tokio::test]
async fn a_step_renders_what_it_adds_and_shares_the_rest() {
    let world = World::default();
    let mut turns: Vec<_> = (1..200).map(|n| act("look", n)).collect();
    turns.push(answer("done"));
    let model = plain(turns);
    let builder = agent(&model, ReAct::new(), &world).budget(Budget::unlimited());
    let run = builder.build().unwrap().run("go").await.unwrap();
    assert_eq!((run.text().as_str(), run.used().steps), ("done", 200));
    let requests = model.requests();
    assert_eq!(requests.len(), 200);
    for (step, pair) in requests.windows(2).enumerate() {
        let (before, after) = (pair[0].messages(), pair[1].messages());
        assert_eq!(after.len(), before.len() + 2, "step {step}");
        let shared = before.iter().zip(after.iter()).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!(shared, before.len(), "step {step}");
        assert!(Arc::ptr_eq(&pair[0].instructions, &pair[1].instructions), "step {step}");
        let [one, other] = [&pair[0], &pair[1]].map(|r| r.response_format.as_ref().unwrap());
        assert!(Arc::ptr_eq(one, other), "step {step}");
    }
}

/// The state with an agent that wants answers in a format.
fn with_format(state: &AgentState, format: &Value) -> AgentState {
    let mut shaped = serde_json::to_value(state).unwrap();
    shaped["facts"]["definition"]["output"] = json!({
        "name": "answer", "mode": "native_schema", "schema": format, "format": format, "repairs": 0,
    });
    serde_json::from_value(shaped).unwrap()
}

/// An output that is asked for as the format of an answer.
struct Shape(Arc<Wanted>);

impl Shape {
    fn new(schema: &Value) -> Self {
        let (name, mode, format) =
            ("answer".into(), Mode::NativeSchema, Some(schema.clone().into()));
        let schema = Arc::new(schema.clone());
        Self(Arc::new(Wanted { name, mode, schema, format, repairs: 0 }))
    }
}

impl OutputReader for Shape {
    fn wanted(&self) -> &Arc<Wanted> {
        &self.0
    }

    fn prompt(&self) -> &str {
        ""
    }

    fn tool(&self) -> Option<Arc<dyn Tool>> {
        None
    }

    fn read(&self, written: &str) -> Result<Value, Rejection> {
        let read = serde_json::from_str(written);
        read.map_err(|error| Rejection::new(Stage::Extraction, error.to_string()))
    }

    fn correction(&self, rejection: &Rejection) -> String {
        rejection.problem.clone()
    }
}

#[test]
fn an_answer_of_a_shape_that_was_asked_for_is_its_json_and_else_it_is_no_decision() {
    let text = r#"{"thought": "I know", "answer": {"city": "Rome"}}"#;
    let none = AgentState::new(SessionId::new("s"));
    let shaped = with_format(&none, &json!({"type": "object"}));
    let read = |driver: ReAct, state: &AgentState| {
        let said = Message::assistant(vec![Part::text(text.to_owned())]);
        driver.read(state, &Response::new(said, FinishReason::Stop)).unwrap().text()
    };
    assert_eq!(read(ReAct::new(), &shaped), r#"{"city": "Rome"}"#);
    assert_eq!(read(ReAct::new(), &none), text);
    assert_eq!(read(ReAct::new().plain_answer(), &shaped), text, "the shape is of what follows");
}

#[tokio::test]
async fn a_shape_that_was_asked_for_is_that_of_the_answer_however_it_is_given() {
    let shape = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let requests = async |driver: ReAct, turns: Vec<Turn>| {
        let (model, world) = (plain(turns), World::default());
        let reader: Arc<dyn OutputReader> = Arc::new(Shape::new(&shape));
        let agent = agent(&model, driver, &world);
        let agent = agent.output(move |_| Ok::<_, String>(Arc::clone(&reader))).build().unwrap();
        let run = agent.run("go").await.unwrap();
        assert_eq!(run.output(), Some(&json!({"city": "Rome"})));
        model.requests()
    };
    let city = || Turn::text(r#"{"answer": {"city": "Rome"}}"#);
    let sent = requests(ReAct::new(), vec![act("look", 1), city()]).await;
    let shown = format!("The answer fits this JSON Schema: {shape}\n");
    assert!(sent[1].instructions.contains(&shown), "{}", sent[1].instructions);
    let turns = vec![act("look", 1), answer("Rome"), Turn::text(r#"{"city": "Rome"}"#)];
    let sent = requests(ReAct::new().plain_answer(), turns).await;
    assert!(!sent[1].instructions.contains("The answer fits"), "{}", sent[1].instructions);
    assert_eq!(sent[2].response_format.as_deref(), Some(&shape));
}
