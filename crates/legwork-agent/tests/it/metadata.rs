//! What a model keeps in the metadata of its session.

use legwork_agent::capability::Metadata;
use legwork_agent::{Agent, Subagent};
use legwork_core::{AgentState, ToolOutcome};
use legwork_testkit::{ScriptedModel, Turn, crash};
use serde_json::{Value, json};

use crate::tools::{World, noting, once, outcomes};

fn write(key: &str, value: Value) -> (&'static str, Value) {
    ("write_metadata", json!({"key": key, "value": value}))
}

fn read(key: &str) -> (&'static str, Value) {
    ("read_metadata", json!({ "key": key }))
}

fn remove(key: &str) -> (&'static str, Value) {
    ("remove_metadata", json!({ "key": key }))
}

fn list() -> (&'static str, Value) {
    ("list_metadata", json!({}))
}

/// Calls in one turn, and what the model was told of each.
async fn told(metadata: Metadata, calls: Vec<(&str, Value)>) -> (AgentState, Vec<String>) {
    let model = ScriptedModel::new([Turn::calls(calls), Turn::text("done")]);
    let agent = Agent::builder(model)
        .metadata("customer", json!("c-17"))
        .metadata("legwork.tasks", json!({"tasks": []}))
        .capability(metadata);
    let state = agent.build().unwrap().run("go").await.unwrap().into_state();
    let told = outcomes(&state).iter().map(ToolOutcome::to_text).collect();
    (state, told)
}

fn kept(state: &AgentState) -> Value {
    let mut all = (*state.context().metadata).clone();
    assert_eq!(all.remove("customer"), Some(json!("c-17")), "what the agent began with stays");
    assert_eq!(all.remove("legwork.tasks"), Some(json!({"tasks": []})));
    json!(all)
}

#[tokio::test]
async fn values_are_written_read_listed_and_removed_within_one_turn() {
    let calls = vec![
        list(),
        write("branch", json!("main")),
        write("gone", json!(1)),
        read("branch"),
        write("branch", json!({"name": "main"})),
        read("branch"),
        remove("gone"),
        read("gone"),
        list(),
    ];
    let (state, told) = told(Metadata::new(), calls).await;
    assert_eq!(
        told,
        [
            "{}",
            "kept `branch`",
            "kept `gone`",
            "main",
            "kept `branch`",
            "{\"name\":\"main\"}",
            "removed `gone`",
            "There is no value `gone`. There are: branch.",
            "{\"branch\":15}",
        ]
    );
    assert_eq!(kept(&state), json!({"branch": {"name": "main"}}));
}

#[tokio::test]
async fn limits_are_enforced_with_what_to_do() {
    let tight = Metadata::new().keys(2).key_length(5).value_bytes(20).total_bytes(30);
    let calls = vec![
        write("a", json!("x".repeat(18))),
        write("b", json!("x".repeat(19))),
        write("b", json!("x".repeat(9))),
        write("b", json!(1)),
        write("c", json!(1)),
        write("b", json!(2)),
        write("toolong", json!(1)),
        write("", json!(1)),
    ];
    let (state, told) = told(tight, calls).await;
    let expected = [
        "kept `a`",
        "The value has 21 bytes as JSON, and 20 fit",
        "There would be 33 bytes in all, and 30 fit",
        "kept `b`",
        "There would be 3 keys, and 2 fit",
        "kept `b`",
        "A key has 1 to 5 characters, not 7.",
        "A key has 1 to 5 characters, not 0.",
    ];
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}");
    }
    assert_eq!(kept(&state), json!({"a": "x".repeat(18), "b": 2}));
}

#[tokio::test]
async fn what_comes_up_to_a_limit_fits_whoever_set_it() {
    let settings = json!({"keys": 2, "key_length": 5, "value_bytes": 20, "total_bytes": 30});
    let tight = Metadata::new().keys(2).key_length(5).value_bytes(20).total_bytes(30);
    for metadata in [tight, Metadata::from_settings(&settings).unwrap()] {
        let calls = vec![
            write("Ab_-.", json!("x".repeat(18))),
            write("c", json!("xx")),
            write("c", json!("xxx")),
            write("d", json!(1)),
        ];
        let (state, told) = told(metadata, calls).await;
        assert_eq!((told[0].as_str(), told[1].as_str()), ("kept `Ab_-.`", "kept `c`"));
        // 5 + 20 + 1 + 4 bytes are 30.
        assert!(told[2].starts_with("There would be 31 bytes in all"), "{}", told[2]);
        assert!(told[3].starts_with("There would be 3 keys, and 2 fit"), "{}", told[3]);
        assert_eq!(kept(&state), json!({"Ab_-.": "x".repeat(18), "c": "xx"}));
    }
}

#[tokio::test]
async fn settings_protect_keys_and_show_them() {
    let settings = json!({"protect": ["secret"], "readable": ["customer"]});
    let calls = vec![write("secret", json!(1)), read("customer"), write("customer", json!(1))];
    let (_, told) = told(Metadata::from_settings(&settings).unwrap(), calls).await;
    assert!(told[0].contains("is protected") && told[2].contains("is protected"), "{told:?}");
    assert_eq!(told[1], "c-17");
}

#[tokio::test]
async fn a_value_of_sixteen_levels_is_kept_and_no_deeper_one() {
    let nested = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let named = |levels| (0..levels).fold(json!(1), |inner, _| json!({"a": inner}));
    let calls = vec![
        write("a", nested(16)),
        write("b", named(16)),
        write("c", nested(17)),
        write("d", named(17)),
    ];
    let (_, told) = told(Metadata::new(), calls).await;
    assert_eq!((told[0].as_str(), told[1].as_str()), ("kept `a`", "kept `b`"));
    for told in &told[2..] {
        assert!(told.starts_with("The value is nested deeper than 16 levels"), "{told}");
    }
}

#[tokio::test]
async fn keys_and_values_that_could_do_harm_are_refused() {
    let mut deep = json!(1);
    for _ in 0..17 {
        deep = json!([deep]);
    }
    let calls = vec![
        write("a b", json!(1)),
        write("a\u{1b}[2J", json!(1)),
        write("ключ", json!(1)),
        write("deep", deep),
        read(&"k\n".repeat(10_000)),
    ];
    let (state, told) = told(Metadata::new(), calls).await;
    for told in &told[..3] {
        assert!(told.starts_with("A key is made of letters a to z"), "{told}");
    }
    assert!(told[3].starts_with("The value is nested deeper than 16 levels"), "{}", told[3]);
    assert!(told[4].len() < 200, "{}", told[4]);
    assert_eq!(kept(&state), json!({}));
}

#[tokio::test]
async fn what_is_not_the_models_is_neither_shown_nor_changed() {
    let calls = |key| vec![write(key, json!("mine")), remove(key), read(key), list()];
    for key in ["customer", "legwork.tasks", "legwork.new", "secret"] {
        let (state, told) = told(Metadata::new().protect("secret"), calls(key)).await;
        assert!(told[0].contains("is protected: use another one"), "{}", told[0]);
        assert!(told[1].contains("is protected"), "{}", told[1]);
        assert!(told[2].starts_with("There is no value"), "{}", told[2]);
        assert_eq!((told[3].as_str(), kept(&state)), ("{}", json!({})));
    }
    let (_, told) = told(Metadata::new().readable("customer"), calls("customer")).await;
    assert!(told[0].contains("is protected") && told[1].contains("is protected"));
    assert_eq!((told[2].as_str(), told[3].as_str()), ("c-17", "{\"customer\":6}"));
}

#[tokio::test]
async fn the_next_turn_and_the_next_execution_see_what_was_kept() {
    let model = ScriptedModel::new([
        Turn::calls([write("n", json!(1))]),
        Turn::calls([read("n"), write("n", json!(null)), read("n")]),
        Turn::text("done"),
        Turn::calls([read("n"), list()]),
        Turn::text("done"),
    ]);
    let store = std::sync::Arc::new(legwork_agent::memory::MemoryStore::new());
    let agent = Agent::builder(model).capability(Metadata::new()).store_in(store);
    let agent = agent.build().unwrap();
    let told = |state: &AgentState| -> Vec<_> {
        outcomes(state).iter().map(ToolOutcome::to_text).collect()
    };
    let first = agent.run("go").in_session("one").await.unwrap();
    assert_eq!(told(first.state()), ["kept `n`", "1", "kept `n`", "null"]);
    let second = agent.run("go on").in_session("one").await.unwrap();
    assert_eq!(told(second.state()), ["null", "{\"n\":4}"]);
}

#[tokio::test]
async fn a_subagent_keeps_values_of_its_own_also_where_it_has_the_capability_itself() {
    let child = || ScriptedModel::new([Turn::calls([write("c", json!(1))]), Turn::text("found")]);
    let scout = || Subagent::new("scout", "Looks.", "You look.").model(child());
    let own = || scout().capability(Metadata::new());
    for scout in [scout(), own(), own().deny_tools(["read_metadata"])] {
        let spawn = json!({"agent": "scout", "prompt": "look"});
        let turns = [Turn::call("spawn_subagent", spawn), Turn::text("done")];
        let store = std::sync::Arc::new(legwork_agent::memory::MemoryStore::new());
        let agent = Agent::builder(ScriptedModel::new(turns)).capability(Metadata::new());
        let agent = agent.subagent(scout).store_in(store).build().unwrap();
        let state = agent.run("go").in_session("parent").await.unwrap().into_state();
        assert!(outcomes(&state)[0].is_ok(), "{:?}", outcomes(&state));
        let calls = state.step_results().flat_map(|result| result.step.calls.iter());
        let child = calls.filter_map(|slot| slot.child.clone()).next().unwrap();
        let child = agent.session(child).last_run().await.unwrap().into_state();
        assert_eq!(child.context().metadata.get("c"), Some(&json!(1)));
        assert!(state.context().metadata.is_empty());
    }
}

#[tokio::test]
async fn s2_5_values_are_what_was_written_wherever_the_process_dies() {
    let make = |world: &World, store| {
        let model = ScriptedModel::new([
            Turn::calls([
                write("a", json!(1)),
                write("b", json!(1)),
                ("send", json!({"n": 1})),
                remove("a"),
                write("b", json!(2)),
                read("b"),
            ]),
            Turn::calls([read("b"), ("send", json!({"n": 2})), write("c", json!(3))]),
            Turn::text("done"),
        ]);
        Agent::builder(model)
            .tool(noting("send", once(), world))
            .capability(Metadata::new().keys(2))
            .store_in(store)
            .build()
    };
    let report = crash::simulate("go", make).crash_everywhere().await.unwrap();
    assert!(report.crashed.len() >= 8, "{} crashes", report.crashed.len());
    let kept = |ended: &crash::Ended<World>| json!(*ended.state.context().metadata);
    assert_eq!(kept(&report.plain), json!({"b": 2, "c": 3}));
    report.check(|plain, crashed| match kept(plain) == kept(crashed) {
        true => Ok(()),
        false => Err(kept(crashed).to_string()),
    });
}
