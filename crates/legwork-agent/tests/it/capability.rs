//! Capabilities by name.

use std::sync::Arc;

use legwork_agent::capability::{Error, Guards, Registry};
use legwork_agent::{Agent, Capability};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

fn refused(name: &str, settings: Value) -> String {
    Registry::shipped().make(name, &settings).err().unwrap().to_string()
}

#[test]
fn an_unknown_capability_is_told_with_the_nearest_and_all() {
    let registry = Registry::new();
    let registry = registry.with("bash", "Runs.", |_| Err("never".to_owned()));
    let registry = registry.with("files", "Reads.", |_| Err("never".to_owned()));
    let unknown = |name| registry.make(name, &json!({})).err().unwrap().to_string();
    assert_eq!(
        unknown("bsah"),
        "there is no capability `bsah`: did you mean `bash`? there are bash, files"
    );
    assert_eq!(unknown("zzz"), "there is no capability `zzz`: there are bash, files");
    let none = Registry::new().make("bash", &json!({})).err().unwrap();
    assert_eq!(none.to_string(), "there is no capability `bash`: there are none");
}

#[test]
fn wrong_settings_name_the_field_and_what_it_takes() {
    assert_eq!(
        refused("guards", json!({"steps": "many"})),
        "the settings of the capability `guards` do not fit: `steps` takes a whole number from 0 \
         on, or null for no limit, not \"many\""
    );
    assert!(refused("guards", json!({"step": 3})).contains("did you mean `steps`?"));
    assert!(refused("guards", json!([1])).contains("settings are an object, not [1]"));
    let long = refused("guards", json!({"errors": "x".repeat(10_000)}));
    assert!(long.len() < 400 && long.contains("`errors` takes `stop`, `ignore`"), "{long}");
}

#[test]
fn every_shipped_capability_is_made_without_settings_under_its_own_name() {
    let registry = Registry::shipped();
    for (name, about) in registry.list() {
        let made = registry.make(name, &Value::Null).unwrap();
        assert_eq!((made.name(), made.about()), (name, about));
        let model = ScriptedModel::new([Turn::text("hello")]);
        Agent::builder(model).capabilities([made]).build().unwrap();
    }
}

#[test]
fn a_program_adds_its_own_and_takes_the_place_of_shipped_ones() {
    let strict = |settings: &Value| {
        let guards = Guards::from_settings(settings)?.steps(1);
        Ok(Arc::new(guards) as Arc<dyn Capability>)
    };
    let registry = Registry::shipped().with("guards", "One step.", strict);
    assert!(registry.list().any(|entry| entry == ("guards", "One step.")));
    let made = registry.make("guards", &json!({"steps": 9})).unwrap();
    let model = ScriptedModel::new([Turn::text("hello")]);
    let agent = Agent::builder(model).capabilities([made]).build().unwrap();
    assert_eq!(agent.definition().budget.steps, Some(1));
    let error = registry.make("guards", &json!(3)).err().unwrap();
    assert!(matches!(error, Error::Settings { name, .. } if name == "guards"));
}
