//! S6.1: tools as data: what they are, which are shown, what a body may return.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use legwork_core::message::Wire;
use legwork_core::tool::{
    ExecutionMode, FailureKind, IntoFailure, IntoOutcome, Json, Metadata, RunsIn, ToolSpecs,
};
use legwork_core::{EffectClass, Micros, OnDoubt, ToolCall, ToolOutcome, ToolSelection, ToolSpec};
use serde_json::{Value, json};

fn spec(name: &str) -> ToolSpec {
    ToolSpec::new(name, format!("Does {name}."), json!({"type": "object"}))
}

fn specs(names: &[&str]) -> ToolSpecs {
    ToolSpecs::new(names.iter().map(|name| Arc::new(spec(name))).collect())
}

#[test]
fn a_tool_is_described_by_what_differs_from_the_defaults() {
    let plain = spec("bash");
    assert_eq!(plain.effect, EffectClass::Once(OnDoubt::Ask));
    assert_eq!((plain.mode, plain.max_retries), (ExecutionMode::ParallelOrdered, 2));
    let written = json!({
        "name": "bash",
        "description": "Does bash.",
        "parameters": {"type": "object"},
        "effect": {"once": "ask"},
        "mode": "parallel_ordered",
        "max_retries": 2,
    });
    assert_eq!(serde_json::to_value(&plain).unwrap(), written);
    let short =
        json!({"name": "bash", "description": "Does bash.", "parameters": {"type": "object"}});
    assert_eq!(serde_json::from_value::<ToolSpec>(short).unwrap(), plain);
    let other = spec("bash")
        .effect(EffectClass::Idempotent)
        .mode(ExecutionMode::Sequential)
        .timeout(Micros(5))
        .max_retries(7)
        .resource("path")
        .in_child();
    assert_eq!((other.effect, other.mode), (EffectClass::Idempotent, ExecutionMode::Sequential));
    assert_eq!((other.timeout, other.max_retries), (Some(Micros(5)), 7));
    assert_eq!((other.resource.as_deref(), other.runs_in), (Some("path"), RunsIn::OwnSession));
    let text = serde_json::to_string(&other).unwrap();
    assert_eq!(serde_json::from_str::<ToolSpec>(&text).unwrap(), other);
    assert_ne!(other.digest(), plain.digest());
}

#[test]
fn s6_7_s10_2_what_may_be_run_again_after_a_crash_is_all_but_once() {
    assert!(EffectClass::ReadOnly.is_repeatable() && EffectClass::Idempotent.is_repeatable());
    for doubt in [OnDoubt::Ask, OnDoubt::Tell] {
        assert!(!EffectClass::Once(doubt).is_repeatable());
    }
}

#[test]
fn s6_5_what_a_call_works_on_is_the_value_of_the_argument_that_names_it() {
    let on = |arguments: Value| spec("write").resource("path").resource_of(&arguments);
    let path = |text: &str| on(json!({ "path": text })).unwrap();
    assert_eq!(on(json!({})), None);
    assert_eq!(spec("write").resource_of(&json!({"path": "a"})), None);
    assert_eq!(on(json!({"path": 7})).as_deref(), Some("7"));
    let table = [
        ("a.txt", "a.txt"),
        ("./a.txt", "a.txt"),
        ("b/../a.txt", "a.txt"),
        ("b//c/./a.txt", "b/c/a.txt"),
        ("a.txt/", "a.txt"),
        ("../a.txt", "../a.txt"),
        ("../../a.txt", "../../a.txt"),
        ("b/../../a.txt", "../a.txt"),
        ("/a.txt", "/a.txt"),
        ("/../a.txt", "/a.txt"),
        ("/b/../../a.txt", "/a.txt"),
        ("..", ".."),
        ("", ""),
        ("/", "/"),
    ];
    for (written, meant) in table {
        assert_eq!(path(written), meant, "{written}");
    }
}

#[test]
fn the_arguments_of_a_call_are_json_and_empty_text_is_none() {
    let parse = |text: &str| ToolCall::new("c0", "bash", text).parse();
    assert_eq!(parse("").unwrap(), json!({}));
    assert_eq!(parse(" \n").unwrap(), json!({}));
    assert_eq!(parse("{\"n\": 1}").unwrap(), json!({"n": 1}));
    assert!(parse("{\"n\"").is_err());
}

#[test]
fn a_selection_hides_and_rewrites_tools_and_never_adds_one() {
    let shown = |selection: &ToolSelection| {
        let all = specs(&["read", "write", "bash"]);
        let names = all.iter().filter_map(|spec| selection.apply(spec));
        names.map(|spec| spec.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&ToolSelection::all()), ["read", "write", "bash"]);
    assert_eq!(shown(&ToolSelection::all().hide("bash").hide("dig")), ["read", "write"]);
    assert_eq!(shown(&ToolSelection::only(["bash", "dig"])), ["bash"]);
    assert!(shown(&ToolSelection::only(["bash"]).hide("bash")).is_empty());
    assert!(shown(&ToolSelection::only(<[&str; 0]>::default())).is_empty());
    let bash = Arc::new(spec("bash"));
    assert!(Arc::ptr_eq(&bash, &ToolSelection::all().apply(&bash).unwrap()), "as it is");
    let selection = ToolSelection::all()
        .describe("bash", "Runs a command.")
        .parameters("bash", json!({"type": "object", "required": ["command"]}));
    let rewritten = selection.apply(&bash).unwrap();
    assert_eq!(&*rewritten.description, "Runs a command.");
    assert_eq!(rewritten.parameters["required"], json!(["command"]));
    assert_eq!(ToolSpec { ..(*rewritten).clone() }.name, bash.name);
    let described = ToolSelection::all().describe("bash", "Runs.").apply(&bash).unwrap();
    assert_eq!((&*described.description, &described.parameters), ("Runs.", &bash.parameters));
    let read = Arc::new(spec("read"));
    assert_eq!(selection.apply(&read), Some(read));
}

#[test]
fn the_tools_shown_are_found_by_name_and_by_place() {
    let tools = specs(&["read", "write", "bash"]);
    assert_eq!((tools.len(), tools.is_empty()), (3, false));
    assert_eq!(tools.iter().map(|spec| &*spec.name).collect::<Vec<_>>(), ["read", "write", "bash"]);
    assert_eq!(tools.find("bash").map(|(at, spec)| (at, &*spec.name)), Some((2, "bash")));
    assert_eq!(tools.find("dig"), None);
    assert_eq!(tools.get(1).map(|spec| &*spec.name), Some("write"));
    assert_eq!(tools.get(3), None);
    assert_eq!((specs(&[]).len(), specs(&[]).is_empty()), (0, true));
}

#[test]
fn s10_2_the_tools_shown_have_a_digest_each_and_one_together() {
    let tools = specs(&["read", "write"]);
    let each = [spec("read").digest(), spec("write").digest()];
    assert_eq!(tools.digests(), each);
    assert_eq!((tools.digest_of(1), tools.digest_of(2)), (Some(&each[1]), None));
    assert_eq!(specs(&["read", "write"]).digest(), tools.digest());
    assert_ne!(specs(&["write", "read"]).digest(), tools.digest());
    assert!(tools.digest().is_some() && specs(&[]).digest().is_none());
}

#[test]
fn s9_1_the_tools_shown_are_encoded_once_for_each_wire() {
    let tools = specs(&["read"]);
    let append = |wire: Wire, text: &str| {
        let mut out = b"<".to_vec();
        tools.append_encoded(&wire, &mut out, |tools, out| {
            out.extend(format!("{text}{}", tools.len()).bytes());
        });
        String::from_utf8(out).unwrap()
    };
    assert_eq!(append(Wire::new("one"), "first"), "<first1");
    assert_eq!(append(Wire::new("one"), "again"), "<first1");
    assert_eq!(append(Wire::new("other"), "else"), "<else1");
}

#[test]
fn what_a_body_returns_is_its_outcome() {
    let ok = |value: Value| ToolOutcome::value(value);
    assert_eq!("sent".into_outcome(), ok(json!("sent")));
    assert_eq!(String::from("sent").into_outcome(), ok(json!("sent")));
    assert_eq!(Cow::from("sent").into_outcome(), ok(json!("sent")));
    assert_eq!(().into_outcome(), ok(Value::Null));
    assert_eq!((7_u8.into_outcome(), true.into_outcome()), (ok(json!(7)), ok(json!(true))));
    assert_eq!(vec![1, 2].into_outcome(), ok(json!([1, 2])));
    assert_eq!(None::<u8>.into_outcome(), ok(Value::Null));
    assert_eq!(BTreeMap::from([("n", 1)]).into_outcome(), ok(json!({"n": 1})));
    assert_eq!(BTreeSet::from([1]).into_outcome(), ok(json!([1])));
    assert_eq!(json!({"n": 1}).into_outcome(), ok(json!({"n": 1})));
    assert_eq!(Json((1, "a")).into_outcome(), ok(json!([1, "a"])));
    assert_eq!(ToolOutcome::Withdrawn.into_outcome(), ToolOutcome::Withdrawn);
}

#[test]
fn s6_4_an_error_of_a_body_is_a_soft_failure_or_the_outcome_that_it_is() {
    let number = |text: &str| text.parse::<u8>().into_outcome();
    assert_eq!(number("7"), ToolOutcome::value(json!(7)));
    assert_eq!(number("x"), ToolOutcome::failed("invalid digit found in string"));
    let later = || ToolOutcome::Retry("later".to_owned());
    assert_eq!(Err::<u8, _>(later()).into_outcome(), later());
    assert_eq!(later().into_failure(), later());
    assert_eq!("no such file".into_failure(), ToolOutcome::failed("no such file"));
    assert_eq!(ToolOutcome::retry("name a file"), ToolOutcome::Retry("name a file".to_owned()));
    let hard = ToolOutcome::Failed(FailureKind::Hard, "the disk is gone".to_owned());
    assert_eq!(ToolOutcome::failed_hard("the disk is gone"), hard);
    // What cannot be JSON is a failure, too.
    let odd = BTreeMap::from([((1, 2), "x")]);
    let outcome = odd.into_outcome();
    assert!(!outcome.is_ok() && outcome.to_text().starts_with("the result cannot be JSON: "));
}

#[test]
fn what_a_call_leaves_for_people_is_kept_by_name() {
    let mut left = Metadata::default();
    assert!(left.is_empty() && left.get("before").is_none() && left.iter().next().is_none());
    left.insert("before", json!("a"));
    left.insert("after", json!("b"));
    left.insert("before", json!("c"));
    assert!(!left.is_empty());
    assert_eq!(left.get("before"), Some(&json!("c")));
    let all: Vec<_> = left.iter().map(|(name, value)| (name, value.clone())).collect();
    assert_eq!(all, [("after", json!("b")), ("before", json!("c"))]);
}
