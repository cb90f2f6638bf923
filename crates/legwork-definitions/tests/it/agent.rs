//! What a definition says, in whichever format, and what it allows.

use std::time::Duration;

use legwork_core::Budget;
use legwork_core::budget::MicroUsd;
use legwork_core::time::Timestamp;
use legwork_definitions::{AgentDefinition, Capability, Format, Limits};
use serde_json::json;

const MARKDOWN: &str = "\u{feff}---\r\nname: reviewer\r\ndescription: Reviews changes\r\n\
    model: openai:gpt-5-mini\r\ncapabilities:\r\n- coding\r\n- name: web\r\n  settings:\r\n    timeout: 30\r\n\
    tools: [read, search]\r\ndenied_tools:\r\n- bash\r\nmcp: [git]\r\nskills: [pdf]\r\nbudget:\r\n  usd: 0.5\r\n  steps: 20\r\n  \
    time: 90s\r\nmetadata:\r\n  owner: me\r\n---\r\n\r\nRead first.\r\n\r\n---\r\n\r\nThen judge.\r\n";

const YAML: &str = "name: reviewer
description: Reviews changes
model: openai:gpt-5-mini
capabilities:
- coding
- name: web
  settings:
    timeout: 30
tools:
- read
- search
denied_tools:
- bash
mcp:
- git
skills:
- pdf
budget:
  usd: 0.5
  steps: 20
  time: 1m 30s
metadata:
  owner: me
instructions: |-
  Read first.

  ---

  Then judge.
";

fn made() -> AgentDefinition {
    let budget = Budget::unlimited().steps(20).time(Duration::from_secs(90));
    let limits = Limits { usd: Some(MicroUsd(500_000)), ..Limits::from(&budget) };
    AgentDefinition::new("reviewer", "Reviews changes")
        .with_instructions("Read first.\n\n---\n\nThen judge.")
        .with_model("openai:gpt-5-mini")
        .with_capability("coding")
        .with_capability(Capability::new("web").with_settings(json!({"timeout": 30})))
        .with_tools(["read", "search"])
        .with_denied_tools(["bash"])
        .with_mcp(["git"])
        .with_skills(["pdf"])
        .with_limits(limits)
        .with_metadata("owner", "me")
}

#[test]
fn all_formats_say_the_same() {
    assert_eq!(AgentDefinition::parse(MARKDOWN, Format::Markdown), Ok(made()));
    assert_eq!(AgentDefinition::parse(YAML, Format::Yaml), Ok(made()));
    assert_eq!(made().to_yaml().unwrap(), YAML);
    let json = made().to_json().unwrap();
    assert_eq!(AgentDefinition::parse(&json, Format::Json), Ok(made()));
    // JSON is YAML, too.
    assert_eq!(AgentDefinition::parse(&json, Format::Yaml), Ok(made()));
    let front = YAML.split_once("instructions").unwrap().0;
    let markdown = format!("---\n{front}---\n\nRead first.\n\n---\n\nThen judge.\n");
    assert_eq!(made().to_markdown().unwrap(), markdown);
}

#[test]
fn the_least_is_a_name_and_a_description() {
    let least = AgentDefinition::new("a", "b");
    for (format, text) in [
        (Format::Markdown, "---\nname: a\ndescription: b\n---\n"),
        (Format::Yaml, "name: a\ndescription: b\n"),
        (Format::Json, "{\n  \"name\": \"a\",\n  \"description\": \"b\"\n}\n"),
    ] {
        assert_eq!(AgentDefinition::parse(text, format), Ok(least.clone()));
        assert_eq!(least.write(format).unwrap(), text);
    }
}

#[test]
fn denying_wins_and_nothing_is_not_all() {
    let agent = AgentDefinition::new("a", "b");
    let some = agent.clone().with_tools(["read", "bash"]);
    let none = agent.clone().with_tools(Vec::<String>::new());
    for (agent, tool, allowed) in [
        (agent.clone(), "read", true),
        (agent.clone().with_denied_tools(["read"]), "read", false),
        (agent.with_denied_tools(["read"]), "Read", true),
        (some.clone(), "read", true),
        (some.clone(), "write", false),
        (some.clone().with_denied_tools(["bash"]), "bash", false),
        (some.with_denied_tools(["bash"]), "read", true),
        (none.clone(), "read", false),
    ] {
        assert_eq!(agent.allows(tool), allowed, "{agent:?} {tool}");
    }
    let text = none.to_yaml().unwrap();
    assert!(text.contains("tools: []"), "{text}");
    assert_eq!(AgentDefinition::parse(&text, Format::Yaml).unwrap().tools, Some(vec![]));
}

#[test]
fn s18_16_servers_are_listed_all_without_a_list_and_none_in_an_empty_one() {
    let agent = AgentDefinition::new("a", "b");
    let none = agent.clone().with_mcp(Vec::<String>::new());
    let some = agent.clone().with_mcp(["git", "Docs_2"]);
    for (agent, server, allowed) in [
        (&agent, "git", true),
        (&some, "git", true),
        (&some, "Docs_2", true),
        (&some, "docs_2", false),
        (&some, "gi", false),
        (&none, "git", false),
    ] {
        assert_eq!(agent.allows_server(server), allowed, "{agent:?} {server}");
    }
    for agent in [agent, some, none] {
        for format in Format::ALL {
            let text = agent.write(format).unwrap();
            assert_eq!(AgentDefinition::parse(&text, format).as_ref(), Ok(&agent), "{text}");
            assert_eq!(text.contains("mcp"), agent.mcp.is_some(), "{text}");
        }
    }
}

#[test]
fn no_millionth_of_a_dollar_is_lost() {
    let read = |usd: &str| {
        let text = format!("name: a\ndescription: b\nbudget: {{usd: {usd}}}");
        AgentDefinition::parse(&text, Format::Yaml).map(|agent| agent.limits.usd.unwrap().0)
    };
    for (usd, micros) in [
        ("0", 0),
        ("0.000001", 1),
        ("0.1", 100_000),
        ("0.3", 300_000),
        ("1.005", 1_005_000),
        ("5", 5_000_000),
        ("5.00", 5_000_000),
        ("1e3", 1_000_000_000),
        ("999999999.999999", 999_999_999_999_999),
        ("1000000000", 1_000_000_000_000_000),
    ] {
        assert_eq!(read(usd), Ok(micros), "{usd}");
    }
    for usd in ["-0.1", "1000000000.1", "0.0000001", "0.1234567", "1e300"] {
        read(usd).unwrap_err();
    }
    let whole = |count: &str| {
        let text = format!(
            "{{\"name\": \"a\", \"description\": \"b\", \"budget\": {{\"steps\": {count}}}}}"
        );
        AgentDefinition::parse(&text, Format::Json).map(|agent| agent.limits.steps)
    };
    assert_eq!(whole("20.0"), Ok(Some(20)));
    assert_eq!(whole("9007199254740991"), Ok(Some((1 << 53) - 1)));
    for count in ["0.5", "9007199254740992", "18446744073709551615", "1e300", "-1", "\"1\"", "null"]
    {
        whole(count).unwrap_err();
    }
    let beyond =
        Limits { steps: Some(u64::MAX), usd: Some(MicroUsd(u64::MAX)), ..Limits::default() };
    let told = AgentDefinition::new("a", "b").with_limits(beyond).check().unwrap_err();
    assert_eq!(told.iter().count(), 2, "{told}");
}

#[test]
fn limits_and_budgets_turn_into_each_other() {
    let budget = Budget::usd(0.25).tool_calls(1).input_tokens(2).output_tokens(3).tokens(4);
    let limits = Limits::from(&budget);
    assert_eq!(limits.to_budget(), budget);
    let base = Budget::unlimited().steps(7).deadline(Timestamp(9));
    assert_eq!(limits.over(&base), budget.clone().deadline(Timestamp(9)));
    assert_eq!(Limits::default().over(&base), base);
    assert!(Limits::default().is_empty() && !limits.is_empty());
    assert_eq!(
        Limits::from(&base.clone().deadline(Timestamp(1))).to_budget(),
        Budget::unlimited().steps(7)
    );
}

#[test]
fn settings_that_are_null_are_settings() {
    for settings in [None, Some(json!(null)), Some(json!({}))] {
        let mut agent = AgentDefinition::new("a", "b");
        agent.capabilities.push(Capability { name: "c".to_owned(), settings });
        for format in Format::ALL {
            let text = agent.write(format).unwrap();
            assert_eq!(AgentDefinition::parse(&text, format).as_ref(), Ok(&agent), "{text}");
        }
    }
}

#[test]
fn what_no_file_could_hold_is_not_written() {
    let long = AgentDefinition::new("a", "b").with_instructions("x".repeat(1 << 20));
    let deep = (0..20).fold(json!(1), |inner, _| json!([inner]));
    let deep = AgentDefinition::new("a", "b").with_metadata("deep", deep);
    for format in Format::ALL {
        assert!(long.write(format).unwrap_err().to_string().contains("1 MiB"));
        assert!(deep.write(format).unwrap_err().to_string().contains("make it flatter"));
    }
}
