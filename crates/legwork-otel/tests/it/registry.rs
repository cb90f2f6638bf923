//! Spans and metrics beside the registry of the conventions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use legwork_agent::Agent;
use legwork_core::ModelSettings;
use legwork_otel::{Content, Otlp};
use legwork_port::{RunEvent, model};
use legwork_testkit::{ScriptedModel, Turn};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Sent;
use serde_json::{Value, json};

use crate::receiver::{Receiver, points, value};
use crate::story::{clerk, delivered};

/// What is known of the release, as data: for tests where the registry is not there.
const FACTS: &str = include_str!("../registry.json");

/// The groups that spans and metrics of ours are of.
const GROUPS: [&str; 8] = [
    "span.gen_ai.inference.client",
    "span.gen_ai.embeddings.client",
    "span.gen_ai.invoke_agent.internal",
    "span.gen_ai.execute_tool.internal",
    "metric.gen_ai.client.token.usage",
    "metric.gen_ai.client.operation.duration",
    "metric.gen_ai.client.operation.time_to_first_chunk",
    "metric.gen_ai.client.operation.time_per_output_chunk",
];

/// The files of the registry: attributes by name, and groups of them by id.
#[derive(Default)]
struct Files {
    attributes: BTreeMap<String, Value>,
    groups: BTreeMap<String, Value>,
}

impl Files {
    /// Reads the files of the release; none, with a line that says so, where they are missing.
    fn read() -> Option<Self> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/otel/model");
        if !std::path::Path::new(folder).exists() {
            println!("skipped: the registry of the conventions is not there");
            return None;
        }
        let mut files = Self::default();
        let mut folders = vec![PathBuf::from(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => files.take(&std::fs::read_to_string(path).unwrap()),
                }
            }
        }
        Some(files)
    }

    fn take(&mut self, yaml: &str) {
        let file: Value = serde_saphyr::from_str(yaml).unwrap();
        for group in file["groups"].as_array().unwrap() {
            for attribute in group["attributes"].as_array().into_iter().flatten() {
                let Some(id) = attribute["id"].as_str() else { continue };
                self.attributes.insert(id.to_owned(), attribute.clone());
            }
            self.groups.insert(group["id"].as_str().unwrap().to_owned(), group.clone());
        }
    }

    /// The attributes that a group may have, those of its parents included: whether each is
    /// required.
    fn of(&self, group: &str) -> BTreeMap<String, bool> {
        let group = &self.groups[group];
        let mut all = group["extends"].as_str().map(|parent| self.of(parent)).unwrap_or_default();
        for attribute in group["attributes"].as_array().into_iter().flatten() {
            let name = attribute["ref"].as_str().unwrap();
            let own = attribute.get("requirement_level").map(|level| level == "required");
            let required = own.or_else(|| all.get(name).copied()).unwrap_or_default();
            all.insert(name.to_owned(), required);
        }
        all
    }

    /// What the tests need of them.
    fn facts(&self) -> Value {
        let mut groups = serde_json::Map::new();
        let mut names = BTreeSet::from(["gen_ai.operation.name".to_owned()]);
        for group in GROUPS {
            let attributes = self.of(group);
            names.extend(attributes.keys().cloned());
            let (unit, kind) = (&self.groups[group]["unit"], &self.groups[group]["instrument"]);
            let facts = json!({"unit": unit, "instrument": kind, "attributes": attributes});
            groups.insert(group.to_owned(), facts);
        }
        let attributes = names.iter().map(|name| {
            let attribute = &self.attributes[name];
            let members = attribute["type"]["members"].as_array();
            let members = members.map(|all| all.iter().map(|one| one["value"].clone()).collect());
            let of = members.map_or_else(|| attribute["type"].clone(), Value::Array);
            let deprecated = attribute.get("deprecated").is_some();
            (name.clone(), json!({"type": of, "deprecated": deprecated}))
        });
        json!({"attributes": attributes.collect::<serde_json::Map<_, _>>(), "groups": groups})
    }
}

#[test]
fn s16_9_the_facts_are_those_of_the_registry() {
    let Some(files) = Files::read() else { return };
    let facts = serde_json::to_string_pretty(&files.facts()).unwrap() + "\n";
    if std::env::var_os("LEGWORK_WRITE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/registry.json");
        std::fs::write(path, &facts).unwrap();
    }
    assert!(facts == FACTS, "tests/registry.json differs: write it anew with LEGWORK_WRITE=1");
}

/// The attributes and groups of the release.
struct Registry(Value);

impl Registry {
    fn read() -> Self {
        Self(serde_json::from_str(FACTS).unwrap())
    }

    fn attribute(&self, name: &str) -> &Value {
        &self.0["attributes"][name]
    }

    /// What is wrong with the attributes of something of a group.
    fn problems(&self, group: &str, attributes: &[KeyValue]) -> Vec<String> {
        let allowed = self.0["groups"][group]["attributes"].as_object().unwrap();
        let mut problems = Vec::new();
        for KeyValue { key, .. } in attributes {
            if !allowed.contains_key(key) {
                problems.push(format!("{group}: {key} is unknown"));
                continue;
            }
            if self.attribute(key)["deprecated"] == true {
                problems.push(format!("{group}: {key} is deprecated"));
            }
            let sent = value(attributes, key).unwrap();
            if !fits(&self.attribute(key)["type"], &sent) {
                problems.push(format!("{group}: {key} is {sent:?}"));
            }
        }
        let names: BTreeSet<_> = attributes.iter().map(|attribute| &attribute.key).collect();
        assert_eq!(names.len(), attributes.len(), "an attribute is there twice: {attributes:?}");
        for (name, required) in allowed {
            if *required == true && !names.contains(name) {
                problems.push(format!("{group}: {name} is missing"));
            }
        }
        problems
    }

    /// Whether a value is a member of an enum.
    fn is_member(&self, attribute: &str, sent: &str) -> bool {
        let members = self.attribute(attribute)["type"].as_array().unwrap();
        members.iter().any(|member| member == sent)
    }
}

/// Whether a value is of a type of the registry.
fn fits(of: &Value, sent: &Sent) -> bool {
    match (of.as_str(), sent) {
        (Some("string" | "any"), Sent::StringValue(_))
        | (Some("int"), Sent::IntValue(_))
        | (Some("double"), Sent::DoubleValue(_))
        | (Some("boolean"), Sent::BoolValue(_)) => true,
        (Some("string[]"), Sent::ArrayValue(all)) => {
            all.values.iter().all(|one| matches!(one.value, Some(Sent::StringValue(_))))
        }
        // An enum, whose members are texts; most may have others.
        (None, Sent::StringValue(_)) => of.is_array(),
        _ => false,
    }
}

/// A receiver of all that there is: tools, subagents, failures, pieces, contents, settings.
async fn everything() -> Receiver {
    let receiver = Receiver::start();
    let telemetry = Otlp::to(&receiver.endpoint).content(Content::On).start().unwrap();
    let settings = ModelSettings {
        max_output: Some(9_000),
        temperature: Some(0.5),
        top_p: Some(0.9),
        seed: Some(7),
        stop: vec!["END".to_owned()],
        ..ModelSettings::default()
    };
    let agent = clerk(&telemetry).settings(settings).observer(|_: &RunEvent| {});
    agent.build().unwrap().run("go").await.unwrap();
    let refused = Turn::error(model::Error::new(model::Kind::BadRequest, "no"));
    let agent = Agent::builder(ScriptedModel::new([refused]).named("xai:grok-4"));
    agent.observer(telemetry.clone()).build().unwrap().run("go").await.unwrap_err();
    delivered(telemetry).await.unwrap();
    receiver
}

#[tokio::test]
async fn s16_9_spans_have_what_the_conventions_name_and_nothing_else() {
    let registry = Registry::read();
    let receiver = everything().await;
    let spans = receiver.spans();
    let mut seen = BTreeSet::new();
    let mut problems = Vec::new();
    for span in &spans {
        let Some(Sent::StringValue(operation)) = value(&span.attributes, "gen_ai.operation.name")
        else {
            panic!("{span:?}");
        };
        let (group, kind) = match operation.as_str() {
            "chat" => ("span.gen_ai.inference.client", 3),
            "invoke_agent" => ("span.gen_ai.invoke_agent.internal", 1),
            "execute_tool" => ("span.gen_ai.execute_tool.internal", 1),
            other => panic!("no span is of {other}"),
        };
        assert!(registry.is_member("gen_ai.operation.name", &operation));
        assert_eq!(span.kind, kind, "{}", span.name);
        assert!(span.name.starts_with(&operation), "{}", span.name);
        problems.extend(registry.problems(group, &span.attributes));
        let failed = span.status.as_ref().is_some_and(|status| status.code == 2);
        assert_eq!(value(&span.attributes, "error.type").is_some(), failed, "{}", span.name);
        if let Some(Sent::StringValue(provider)) = value(&span.attributes, "gen_ai.provider.name") {
            assert!(registry.is_member("gen_ai.provider.name", &provider), "{provider}");
        }
        seen.extend(span.attributes.iter().map(|attribute| attribute.key.clone()));
    }
    assert_eq!(problems, Vec::<String>::new());
    // What the test is to see was there.
    for name in ["gen_ai.request.seed", "gen_ai.tool.call.result", "gen_ai.input.messages"] {
        assert!(seen.contains(name), "{name} in {seen:?}");
    }
    assert!(seen.len() > 22, "{seen:?}");
}

#[tokio::test]
async fn s16_9_metrics_are_those_of_the_conventions() {
    let registry = Registry::read();
    let receiver = everything().await;
    let metrics = receiver.metrics();
    let names: BTreeSet<_> = metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    let mut problems = Vec::new();
    for metric in &metrics {
        let group = format!("metric.{}", metric.name);
        let known = &registry.0["groups"][&group];
        assert_eq!(
            (&known["unit"], &known["instrument"]),
            (&metric.unit.clone().into(), &"histogram".into())
        );
        for (attributes, _) in points(metric) {
            problems.extend(registry.problems(&group, &attributes));
        }
    }
    assert_eq!(problems, Vec::<String>::new());
}
