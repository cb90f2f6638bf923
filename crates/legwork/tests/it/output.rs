//! Agents whose executions end with a value of a type.

use std::sync::{Arc, Mutex};

use legwork::agent::Control;
use legwork::agent::memory::MemoryStore;
use legwork::core::event::OutputRejected;
use legwork::core::output::{Mode as Asked, Stage};
use legwork::core::state::SessionFacts;
use legwork::core::{Event, FinishReason, Part};
use legwork::output::{Maybe, Mode, Output};
use legwork::port::store::{Range, Store};
use legwork::port::{Ability, BoxFuture, Model, Profile};
use legwork::prelude::*;
use legwork::tool::EndStrategy;
use legwork::{Override, Subagent};
use legwork_testkit::{Script, ScriptedModel, Turn, crash};
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct City {
    name: String,
    population: u32,
}

fn paris() -> Value {
    json!({"name": "Paris", "population": 2_100_000})
}

fn city() -> City {
    City { name: "Paris".to_owned(), population: 2_100_000 }
}

fn fenced(value: &Value) -> Turn {
    Turn::text(format!("Here it is:\n```json\n{value}\n```"))
}

fn agent(turns: impl IntoIterator<Item = Turn>) -> (Agent, ScriptedModel) {
    let model = ScriptedModel::new(turns.into_iter().collect::<Vec<_>>());
    (Agent::builder(model.clone()).build().unwrap(), model)
}

/// The events of a session that are about outputs.
async fn outputs(store: &MemoryStore, session: &str) -> Vec<Event> {
    let loaded = store.read(&session.into(), Range::ALL).await.unwrap();
    let entries = loaded.journal.entries().iter().map(|entry| entry.event.clone());
    entries.filter(|event| event.kind().starts_with("output_")).collect()
}

/// The text of the tool result in a message.
fn result_in(message: &Message) -> Option<String> {
    message.parts.iter().find_map(|part| match part {
        Part::ToolResult(result) => Some(result.text().into_owned()),
        _ => None,
    })
}

fn stages(events: &[Event]) -> Vec<(Stage, Option<u32>)> {
    let stage = |event: &Event| match event {
        Event::OutputRejected(OutputRejected { stage, call, .. }) => Some((stage.clone(), *call)),
        _ => None,
    };
    events.iter().filter_map(stage).collect()
}

#[tokio::test]
async fn s3_3_s14_1_an_execution_ends_with_the_value_that_was_accepted() {
    let store = MemoryStore::new();
    let model = ScriptedModel::new([Turn::call("answer", paris())]);
    let agent = Agent::builder(model.clone()).store_in(Arc::new(store.clone())).build().unwrap();
    let typed = agent.output::<City>();
    let answered = typed.run("The largest?").in_session("s").answered().await.unwrap();
    assert_eq!(answered.value, city());
    assert_eq!(answered.run.output(), Some(&paris()));
    assert_eq!(answered.run.status(), ExecutionStatus::Completed);
    let why = answered.run.continuation().unwrap().explain();
    assert_eq!(why, "Stopping (completed, by output_accepted): the output was accepted.");
    let wanted = answered.run.state().wanted_output().unwrap();
    assert_eq!((&*wanted.name, &wanted.mode, wanted.repairs), ("answer", &Asked::ToolCall, 2));
    assert_eq!(wanted.schema["required"], json!(["name", "population"]));
    assert!(model.requests()[0].instructions.contains("`answer`"));
    let events = outputs(&store, "s").await;
    assert!(matches!(&events[..], [Event::OutputAccepted(it)] if it.call == Some(0)));
    // A later process reads it from the journal; the model is not asked.
    let session = agent.session("s");
    assert_eq!(session.state().await.unwrap().output().map(|it| (**it).clone()), Some(paris()));
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn s14_1_a_text_alone_does_not_complete_an_execution() {
    let (agent, model) = agent([Turn::text("It is Paris."), Turn::call("answer", paris())]);
    assert_eq!(agent.output::<City>().run("The largest?").await.unwrap(), city());
    let told = model.requests()[1].messages().last().unwrap().text();
    assert!(told.contains("(extraction)") && told.contains("Call `answer`"), "{told}");
    // Without an output any text will do.
    let (agent, _) = self::agent([Turn::text("It is Paris.")]);
    let run = agent.run("The largest?").await.unwrap();
    assert_eq!((run.text().as_str(), run.output()), ("It is Paris.", None));
}

#[tokio::test]
async fn s14_1_a_parent_reads_the_output_of_its_subagent() {
    let child = Agent::builder(ScriptedModel::new([Turn::call("answer", paris())]));
    let child = child.build().unwrap().output::<City>().agent().unwrap();
    let model = ScriptedModel::new([
        Turn::call("spawn_subagent", json!({"agent": "mapper", "prompt": "The largest?"})),
        Turn::text("done"),
    ]);
    let parent = Agent::builder(model.clone())
        .subagent(Subagent::of("mapper", "Knows maps.", child))
        .build()
        .unwrap();
    parent.run("Ask the mapper.").await.unwrap();
    let result = model.requests()[1].messages().last().unwrap().clone();
    let result = result_in(&result).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&result).unwrap(), paris());
}

#[tokio::test]
async fn s14_2_each_mode_asks_in_its_way_and_reads_the_answer() {
    let modes =
        [Mode::ToolCall, Mode::NativeSchema, Mode::JsonObject, Mode::Fenced, Mode::Prompted];
    for mode in modes {
        let turn = match mode {
            Mode::ToolCall => Turn::call("answer", paris()),
            Mode::Fenced => fenced(&paris()),
            _ => Turn::text(paris().to_string()),
        };
        let (agent, model) = agent([turn]);
        let run = agent.output::<City>().mode(mode).run("The largest?");
        assert_eq!(run.await.unwrap(), city(), "{mode:?}");
        let request = &model.requests()[0];
        assert_eq!(request.tools.iter().count(), usize::from(mode == Mode::ToolCall));
        let format = request.response_format.as_deref();
        match mode {
            Mode::NativeSchema => assert!(format.unwrap()["properties"]["name"].is_object()),
            Mode::JsonObject => assert_eq!(format, Some(&json!({"type": "object"}))),
            _ => assert_eq!(format, None),
        }
        let in_words = matches!(mode, Mode::JsonObject | Mode::Fenced | Mode::Prompted);
        assert_eq!(request.instructions.contains("\"population\""), in_words, "{mode:?}");
    }
}

#[tokio::test]
async fn s14_2_the_model_decides_on_the_mode() {
    let without = || Profile::new().without(Ability::Tools);
    let cases = [
        (Profile::new().with(Ability::Tools).with(Ability::JsonSchema), Asked::ToolCall),
        (Profile::new(), Asked::ToolCall),
        (without().with(Ability::JsonSchema).with(Ability::JsonObject), Asked::NativeSchema),
        (without().with(Ability::JsonObject), Asked::JsonObject),
        (without(), Asked::Fenced),
    ];
    for (profile, mode) in cases {
        let model = ScriptedModel::new([fenced(&paris())]).with_profile(profile);
        let agent = Agent::builder(model).build().unwrap();
        let run = agent.output::<City>().run("The largest?").answered().await.unwrap();
        assert_eq!(run.run.state().wanted_output().unwrap().mode, mode);
    }
    // A model that shall call a tool and writes JSON is understood.
    let (agent, _) = self::agent([fenced(&paris())]);
    assert_eq!(agent.output::<City>().run("The largest?").await.unwrap(), city());
    // An agent whose model is another one asks in the mode of that one.
    let blunt = ScriptedModel::new([fenced(&paris())]).with_profile(without());
    let typed = agent.output::<City>().agent().unwrap();
    let other = typed.with_override(Override::new().model(blunt)).unwrap();
    let run = other.run("The largest?").await.unwrap();
    assert_eq!(run.state().wanted_output().unwrap().mode, Asked::Fenced);
}

/// A city with people in it, whose name is not `Rome`, as its name.
fn strict() -> Output<String> {
    let checked = Output::<City>::of().unwrap().validate(|city: &City| match city.population {
        0 => Err("nobody lives there"),
        _ => Ok(()),
    });
    checked.transform(|city| match &*city.name {
        "Rome" => Err("Rome was excluded"),
        _ => Ok(city.name),
    })
}

#[tokio::test]
async fn s14_3_each_stage_is_journaled_and_told_to_the_model() {
    let empty = json!({"name": "Paris", "population": 0});
    let rome = json!({"name": "Rome", "population": 1});
    let cases = [
        (Mode::ToolCall, Turn::call("answer", json!({"name": "Paris"})), Stage::Schema),
        (Mode::ToolCall, Turn::call("answer", empty.clone()), Stage::Validation),
        (Mode::ToolCall, Turn::call("answer", rome.clone()), Stage::Transformation),
        (Mode::Fenced, Turn::text("Paris"), Stage::Extraction),
        (Mode::Fenced, fenced(&json!({"name": "Paris"})), Stage::Schema),
        (Mode::Fenced, fenced(&empty), Stage::Validation),
        (Mode::Fenced, fenced(&rome), Stage::Transformation),
    ];
    for (mode, wrong, stage) in cases {
        let (store, call) = (MemoryStore::new(), (mode == Mode::ToolCall).then_some(0));
        let right = match mode {
            Mode::ToolCall => Turn::call("answer", paris()),
            _ => fenced(&paris()),
        };
        let model = ScriptedModel::new([wrong, right]);
        let agent = Agent::builder(model.clone()).store_in(Arc::new(store.clone()));
        let typed = agent.build().unwrap().output_as(strict()).mode(mode);
        assert_eq!(typed.run("The largest?").in_session("s").await.unwrap(), "Paris");
        let events = outputs(&store, "s").await;
        assert_eq!(stages(&events), [(stage.clone(), call)], "{mode:?}");
        let Event::OutputRejected(rejected) = &events[0] else { panic!("{events:?}") };
        let last = model.requests()[1].messages().last().unwrap().clone();
        let told = result_in(&last).unwrap_or_else(|| last.text());
        assert!(told.contains(&rejected.problem), "{told} does not hold {}", rejected.problem);
    }
}

/// A value of a type whose schema allows more than the type.
#[derive(Debug, PartialEq, serde::Deserialize)]
struct Short(u8);

#[tokio::test]
async fn s14_3_what_fits_the_schema_and_not_the_type_fails_at_deserialization() {
    let schema = legwork::output::schema::Schema::new(json!({"type": "integer"})).unwrap();
    let output = Output::<Short>::with_schema(schema).unwrap();
    let answer = |number: u32| Turn::call("answer", json!({"value": number}));
    let store = MemoryStore::new();
    let agent = Agent::builder(ScriptedModel::new([answer(300), answer(30)]));
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    let run = agent.output_as(output).run("A small number.").in_session("s");
    assert_eq!(run.await.unwrap(), Short(30));
    let events = outputs(&store, "s").await;
    assert_eq!(stages(&events), [(Stage::Deserialization, Some(0))]);
}

#[tokio::test]
async fn s14_3_corrections_are_bounded_and_counted_in_a_row() {
    for mode in [Mode::ToolCall, Mode::Fenced] {
        for (repairs, asked) in [(0, 1), (1, 2), (2, 3)] {
            let wrong = json!({"name": "Paris"});
            let turn = || match mode {
                Mode::ToolCall => Turn::call("answer", wrong.clone()),
                _ => fenced(&wrong),
            };
            let (agent, model) = agent((0..9).map(|_| turn()));
            let run = agent.output::<City>().mode(mode).repairs(repairs).run("The largest?");
            let error = run.await.unwrap_err();
            assert_eq!(model.requests().len(), asked, "{mode:?} {repairs}");
            let unfinished = error.unfinished().unwrap();
            assert_eq!(unfinished.run().status(), ExecutionStatus::Failed);
            let words = error.to_string();
            assert!(words.contains(&format!("none of {asked} answers in a row")), "{words}");
            assert!(words.contains("schema: ") && words.contains("population"), "{words}");
        }
    }
}

#[tokio::test]
async fn s14_3_an_answer_that_was_cut_off_is_not_read_and_a_refusal_is_not_repeated() {
    let store = MemoryStore::new();
    // It is whole JSON by chance.
    let cut = Turn::text(paris().to_string()).with_finish(FinishReason::Length);
    let model = ScriptedModel::new([cut, Turn::text(paris().to_string())]);
    let agent = Agent::builder(model).store_in(Arc::new(store.clone())).build().unwrap();
    let typed = agent.output::<City>().mode(Mode::Prompted);
    assert_eq!(typed.run("The largest?").in_session("s").await.unwrap(), city());
    assert_eq!(stages(&outputs(&store, "s").await), [(Stage::Incomplete, None)]);

    let filtered = Turn::text("Well.").with_finish(FinishReason::ContentFilter);
    let (agent, model) = self::agent([filtered, Turn::call("answer", paris())]);
    let error = agent.output::<City>().run("The largest?").await.unwrap_err();
    assert!(error.to_string().contains("declined to answer"), "{error}");
    assert_eq!(model.requests().len(), 1);
}

/// A tool that notes that it ran and answers.
struct Noting(&'static str, Arc<Mutex<Vec<&'static str>>>, ToolOutcome);

impl Tool for Noting {
    fn spec(&self) -> Arc<legwork::core::ToolSpec> {
        let schema = json!({"type": "object"});
        let spec = legwork::core::ToolSpec::new(self.0, "Does it.", schema);
        Arc::new(spec.effect(EffectClass::ReadOnly))
    }

    fn call<'a>(
        &'a self,
        _call: &'a legwork::core::ToolCall,
        _cx: &'a ToolContext,
    ) -> BoxFuture<'a, ToolOutcome> {
        self.1.lock().unwrap().push(self.0);
        let outcome = self.2.clone();
        Box::pin(async move { outcome })
    }
}

fn calls(calls: impl IntoIterator<Item = (&'static str, Value)>) -> Turn {
    Turn::calls(calls)
}

#[tokio::test]
async fn s14_4_other_calls_run_and_the_first_output_in_call_order_counts() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let look = || Noting("look", Arc::clone(&ran), ToolOutcome::text("seen"));
    let rome = json!({"name": "Rome", "population": 1});
    let wrong = json!({"name": "Nowhere"});
    let turn =
        calls([("answer", wrong), ("answer", paris()), ("look", json!({})), ("answer", rome)]);
    let store = MemoryStore::new();
    let agent = Agent::builder(ScriptedModel::new([turn])).tool(look());
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    let run = agent.output::<City>().run("The largest?").in_session("s");
    assert_eq!(run.await.unwrap(), city());
    assert_eq!(*ran.lock().unwrap(), ["look"]);
    let events = outputs(&store, "s").await;
    assert!(matches!(&events[..], [Event::OutputAccepted(it)] if it.call == Some(1)), "{events:?}");
}

#[tokio::test]
async fn s14_4_the_first_output_counts_though_a_later_one_ran_too() {
    let rome = json!({"name": "Rome", "population": 1});
    let turn = calls([("answer", paris()), ("answer", rome)]);
    let store = MemoryStore::new();
    let agent = Agent::builder(ScriptedModel::new([turn])).end_strategy(EndStrategy::Exhaustive);
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    let run = agent.output::<City>().run("The largest?").in_session("s");
    assert_eq!(run.await.unwrap(), city());
    let events = outputs(&store, "s").await;
    assert!(matches!(&events[..], [Event::OutputAccepted(it)] if it.call == Some(0)), "{events:?}");
}

#[tokio::test]
async fn s14_5_what_is_followed_up_asks_for_another_output() {
    let rome = json!({"name": "Rome", "population": 1});
    let model = ScriptedModel::new([Turn::call("answer", paris()), Turn::call("answer", rome)]);
    let store = MemoryStore::new();
    let agent = Agent::builder(model.clone()).store_in(Arc::new(store.clone())).build().unwrap();
    let typed = agent.output::<City>();
    let agent = typed.agent().unwrap();
    let active = agent.run("The largest?").in_session("s").open().await.unwrap();
    agent.session("s").follow_up("And in Italy?").await.unwrap();
    let run = Run::from(active.finish().await.unwrap());
    assert_eq!(typed.value(&run).unwrap().unwrap().name, "Rome");
    assert_eq!(outputs(&store, "s").await.len(), 2);
    // While another inference is under way there is no output.
    let loaded = store.read(&"s".into(), Range::ALL).await.unwrap();
    let mut seen = Vec::new();
    for end in 1..=loaded.journal.entries().len() {
        let entries = loaded.journal.entries().iter().take(end).cloned();
        let state = AgentState::fold(SessionFacts::new("s".into()), entries);
        seen.push(state.output().is_some());
    }
    let changes = seen.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert_eq!(changes, 3, "{seen:?}");
}

#[tokio::test]
async fn s14_6_a_tool_gives_the_output_by_its_result() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let booked = ToolOutcome::value(json!({"table": 17}));
    let book = || Noting("book", Arc::clone(&ran), booked.clone());
    let turns = || [Turn::call("book", json!({})), Turn::text("never")];
    let agent = Agent::builder(ScriptedModel::new(turns()))
        .only_tools(Vec::<String>::new())
        .output_tool(book())
        .build()
        .unwrap();
    let run = agent.run("A table for two.").await.unwrap();
    assert_eq!(run.output(), Some(&json!({"table": 17})));
    assert_eq!(run.state().step_results().count(), 1);
    // One that fails gives none, and a text may end the execution.
    let failing = Noting("book", Arc::clone(&ran), ToolOutcome::failed("no table is free"));
    let agent = Agent::builder(ScriptedModel::new([
        Turn::call("book", json!({})),
        Turn::text("There is no table."),
    ]));
    let agent = agent.output_tool(failing).build().unwrap();
    let run = agent.run("A table for two.").await.unwrap();
    assert_eq!((run.text().as_str(), run.output()), ("There is no table.", None));
}

#[tokio::test]
async fn s14_6_what_a_tool_gives_has_to_be_of_the_type_that_is_wanted() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let save = |value| Noting("save", Arc::clone(&ran), ToolOutcome::value(value));
    let agent = |value, turns: Vec<Turn>| {
        let model = ScriptedModel::new(turns);
        let agent = Agent::builder(model.clone()).output_tool(save(value));
        (agent.build().unwrap().output::<City>(), model)
    };
    let (fits, _) = agent(paris(), vec![Turn::call("save", json!({}))]);
    assert_eq!(fits.run("Save it.").await.unwrap(), city());
    let turns = vec![Turn::call("save", json!({})), Turn::call("answer", paris())];
    let (other, model) = agent(json!({"saved": true}), turns);
    assert_eq!(other.run("Save it.").await.unwrap(), city());
    let told = model.requests()[1].messages().last().unwrap().text();
    assert!(told.contains("(schema)") && told.contains("population"), "{told}");
}

#[tokio::test]
async fn s14_6_no_list_of_names_withholds_what_gives_the_output() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let look = Noting("look", Arc::clone(&ran), ToolOutcome::text("seen"));
    let model = ScriptedModel::new([Turn::call("answer", paris())]);
    let agent = Agent::builder(model).tool(look).known_tools(["answer"]);
    let agent = agent.deny_tools(["answer", "look"]).build().unwrap();
    assert_eq!(agent.output::<City>().run("The largest?").await.unwrap(), city());
}

#[tokio::test]
async fn s14_6_no_subagent_inherits_what_gives_the_output() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let book = Noting("book", Arc::clone(&ran), ToolOutcome::text("booked"));
    let script = Script::from_fn(|asked| match (asked.turn(), asked.last()) {
        (0, "Book.") => Turn::call("book", json!({})),
        (0, _) => Turn::call("spawn_subagent", json!({"agent": "aide", "prompt": "Book."})),
        (1, last) if last.contains("book") => Turn::text(format!("The aide: {last}")),
        _ => Turn::call("answer", paris()),
    });
    let model = ScriptedModel::new(script);
    let agent = Agent::builder(model.clone())
        .output_tool(book)
        .subagent(Subagent::new("aide", "Helps.", "Help."))
        .build()
        .unwrap();
    let run = agent.output::<City>().run("The largest?").answered().await.unwrap();
    assert_eq!(run.value, city());
    assert_eq!(*ran.lock().unwrap(), Vec::<&str>::new());
    let child = model
        .requests()
        .into_iter()
        .find(|request| request.messages().last().is_some_and(|message| message.text() == "Book."));
    let names: Vec<_> = child.unwrap().tools.iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(names, Vec::<String>::new());
}

#[tokio::test]
async fn s14_7_an_output_survives_a_crash_at_every_commit() {
    let report = crash::simulate("The largest?", |_: &(), store| {
        let wrong = json!({"name": "Paris"});
        let model = ScriptedModel::new([
            Turn::call("answer", wrong),
            Turn::text("It is Paris."),
            Turn::call("answer", paris()),
            Turn::text("never"),
        ]);
        let agent = Agent::builder(model).store_in(store).build()?;
        agent.output::<City>().agent()
    })
    .crash_everywhere()
    .await
    .unwrap();
    assert!(report.crashed.len() >= 6, "{}", report.crashed.len());
    report.check(|plain, crashed| {
        let output = |ended: &crash::Ended<()>| ended.state.output().map(|it| (**it).clone());
        let steps = |ended: &crash::Ended<()>| ended.state.step_results().count();
        let messages =
            |ended: &crash::Ended<()>| ended.state.context().transcript.messages().clone();
        if output(plain) != Some(paris()) || steps(plain) != 3 {
            return Err(format!("{:?} in {} steps", output(plain), steps(plain)));
        }
        let same = output(plain) == output(crashed) && messages(plain) == messages(crashed);
        if same { Ok(()) } else { Err(format!("{:?}", output(crashed))) }
    });
}

#[tokio::test]
async fn s14_7_an_answer_whose_step_did_not_end_is_read_by_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("sqlite:{}", folder.path().join("s.db").display());
    let model = ScriptedModel::new([Turn::call("answer", paris())]);
    let typed = || {
        let agent = Agent::builder(model.clone()).store(&*address).build().unwrap();
        agent.output::<City>()
    };
    let control = Control::default();
    let interrupt = control.interrupt.clone();
    let observer = move |event: &RunEvent| {
        if matches!(event.kind, EventKind::ToolFinished { .. }) {
            interrupt.cancel();
        }
    };
    let run = typed().run("The largest?").in_session("s").control(control).observer(observer);
    let error = run.await.unwrap_err();
    assert!(error.unfinished().is_some(), "{error}");
    assert_eq!(error.unfinished().unwrap().run().output(), None);
    assert_eq!(typed().resume("s").await.unwrap(), city());
    // And once more, when the execution has completed.
    assert_eq!(typed().resume("s").await.unwrap(), city());
    assert_eq!(model.requests().len(), 1);
    // Of another type it is no value; the run is in the error.
    let agent = Agent::builder(model.clone()).store(&*address).build().unwrap();
    let error = agent.output::<u8>().resume("s").await.unwrap_err();
    let legwork::Error::Output { run, problem } = error else { panic!("{error}") };
    assert_eq!(
        (run.output(), problem.contains("invalid type")),
        (Some(&paris()), true),
        "{problem}"
    );
}

#[tokio::test]
async fn s14_8_a_validator_that_panics_fails_the_execution() {
    let output = Output::<City>::of().unwrap();
    let output = output.validate(|_: &City| -> Result<(), String> { panic!("no map") });
    let store = MemoryStore::new();
    let agent = Agent::builder(ScriptedModel::new([fenced(&paris()), Turn::text("never")]));
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    let run = agent.output_as(output).mode(Mode::Fenced).run("The largest?").in_session("s");
    let error = run.await.unwrap_err();
    assert!(
        error.to_string().contains("reading or checking the output panicked: no map"),
        "{error}"
    );
    let loaded = store.read(&"s".into(), Range::ALL).await.unwrap();
    let kinds: Vec<_> =
        loaded.journal.entries().iter().map(|e| e.event.kind().to_owned()).collect();
    assert!(kinds.contains(&"responded".to_owned()), "{kinds:?}");
}

#[tokio::test]
async fn scalars_sequences_enums_and_maybes_are_outputs() {
    #[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Mood {
        Good,
        Bad { why: String },
    }
    async fn check<T>(answer: Value, value: T)
    where
        T: PartialEq + std::fmt::Debug + Send + 'static,
        T: serde::de::DeserializeOwned + schemars::JsonSchema,
    {
        for mode in [Mode::ToolCall, Mode::Prompted] {
            let turn = match mode {
                Mode::ToolCall => Turn::call("answer", answer.clone()),
                _ => Turn::text(answer.to_string()),
            };
            let (agent, _) = agent([turn]);
            assert_eq!(agent.output::<T>().mode(mode).run("?").await.unwrap(), value);
        }
    }
    check(json!({"value": 7}), 7_u32).await;
    check(json!({"value": "text"}), "text".to_owned()).await;
    check(json!({"items": [1, 2]}), vec![1, 2]).await;
    check(json!({"value": "good"}), Mood::Good).await;
    check(json!({"value": {"bad": {"why": "rain"}}}), Mood::Bad { why: "rain".to_owned() }).await;
    check(json!({"value": null}), None::<u8>).await;
    check(paris(), city()).await;
    let (agent, _) = agent([Turn::call("answer", json!({"value": {"missing": "no map"}}))]);
    let maybe = agent.output::<Maybe<City>>().run("The largest?").await.unwrap();
    assert_eq!(maybe, Maybe::Missing("no map".to_owned()));
}

#[tokio::test]
async fn partial_values_begin_anew_with_each_answer() {
    let (agent, _) = agent([
        Turn::call("answer", json!({"name": "Rome"})),
        Turn::text("Hm."),
        Turn::call("answer", paris()),
    ]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sees = Arc::clone(&seen);
    let run = agent.output::<City>().run("The largest?");
    run.on_partial(move |value| sees.lock().unwrap().push(value.to_json())).await.unwrap();
    let seen = seen.lock().unwrap();
    let names: Vec<_> = seen.iter().filter_map(|value| value["name"].as_str()).collect();
    assert_eq!(seen.last(), Some(&paris()));
    assert!(names.contains(&"Rome"), "{seen:?}");
    let first_of_second = seen.iter().position(|it| it["name"] == "P" || it["name"] == "Paris");
    assert!(seen[..first_of_second.unwrap()].iter().all(|it| it.get("population").is_none()));
}

#[tokio::test]
async fn an_output_that_cannot_be_asked_for_is_an_error_before_the_model_is_called() {
    let (agent, model) = agent([Turn::call("answer", paris())]);
    let ran = Arc::new(Mutex::new(Vec::new()));
    let clash = Noting("answer", ran, ToolOutcome::text("x"));
    let agent = Agent::builder(model.clone()).tool(clash).build().map_or(agent, |it| it);
    let error = agent.output::<City>().run("The largest?").await.unwrap_err().to_string();
    assert!(error.contains("two tools are named `answer`"), "{error}");
    assert!(error.contains("one that gives the output"), "{error}");
    let schema = json!({"type": "object", "properties": {"x": {"type": "what"}}});
    assert!(Output::dynamic(schema).unwrap_err().to_string().contains("not valid"));
    assert_eq!(model.requests().len(), 0);
    assert_eq!(model.name(), "scripted:model");
}

#[tokio::test]
async fn each_item_of_a_list_is_handed_out_once_an_answer() {
    for mode in [Mode::ToolCall, Mode::Prompted] {
        let turn = |items: Value| match mode {
            Mode::ToolCall => Turn::call("answer", json!({"items": items})),
            _ => Turn::text(json!({"items": items}).to_string()),
        };
        // The first answer holds an item that is none.
        let turns = [turn(json!([1, 2, "x"])), turn(json!([1, 2, 3]))];
        let (agent, _) = agent(turns);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sees = Arc::clone(&seen);
        let run = agent.output::<Vec<u8>>().mode(mode).run("?");
        let run = run.on_item(move |number, item| sees.lock().unwrap().push((number, item.ok())));
        assert_eq!(run.await.unwrap(), [1, 2, 3], "{mode:?}");
        let expected =
            [(0, Some(1)), (1, Some(2)), (2, None), (0, Some(1)), (1, Some(2)), (2, Some(3))];
        assert_eq!(*seen.lock().unwrap(), expected, "{mode:?}");
    }
}

#[tokio::test]
async fn items_are_read_as_the_dialect_of_the_provider_has_them() {
    #[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
    struct Item {
        name: String,
        #[serde(default)]
        rank: u8,
    }
    let items = json!({"items": [{"name": "a", "rank": null}, {"name": "b", "rank": 2}]});
    let model = ScriptedModel::new([Turn::text(items.to_string())]);
    let agent = Agent::builder(model.named("openai:gpt")).build().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sees = Arc::clone(&seen);
    let run = agent.output::<Vec<Item>>().mode(Mode::NativeSchema);
    let run = run.dialect(legwork::output::schema::Dialect::OpenAi);
    let run = run.run("?").on_item(move |_, item| sees.lock().unwrap().push(item.unwrap().rank));
    assert_eq!(run.await.unwrap().len(), 2);
    assert_eq!(*seen.lock().unwrap(), [0, 2]);
}
