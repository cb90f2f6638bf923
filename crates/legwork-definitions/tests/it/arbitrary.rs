//! Definitions with hostile text in them.

use legwork_core::budget::MicroUsd;
use legwork_core::time::Micros;
use legwork_definitions::{AgentDefinition, Capability, Limits};
use proptest::collection::{btree_map, hash_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Number, Value};

const MAX_COUNT: u64 = (1 << 53) - 1;

/// That many cases, kept nowhere.
pub(crate) fn cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// Text as a person or an adversary may write it.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "yes",
        "no",
        "null",
        "~",
        "true",
        "1e3",
        "0x10",
        "0o7",
        "1_000",
        "12:30:45",
        "-",
        "- a",
        ".inf",
        ".nan",
        "---",
        "\n---\n",
        "...",
        "\n...\n",
        ": ",
        "a: b",
        " #",
        "# ",
        "&a",
        "*a",
        "!tag",
        "|",
        ">",
        "|-",
        "%YAML",
        "'",
        "\"",
        "''",
        "\\",
        "\\n",
        "{",
        "}",
        "[",
        "]",
        ",",
        "?",
        "? ",
        "<<",
        "@",
        "`",
        "=",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "\t",
        " ",
        "  ",
        "\u{feff}",
        "\u{85}",
        "\u{a0}",
        "\u{2028}",
        "\u{2029}",
        "\u{0}",
        "\u{1b}[2J",
        "\u{7f}",
        "\u{1f600}",
        "é",
        "e\u{301}",
        "\u{202e}",
        "\u{fffe}",
        "\u{ffff}",
        "\u{10ffff}",
        "word",
        "two words",
        "2026-11-22",
        "$1",
        "",
        "\u{d7ff}",
        "\u{e000}",
        "\u{9f}",
        "\n  indented",
        "trailing \n",
        "\n\ttab",
    ]);
    prop_oneof![
        4 => vec(words, 0..8).prop_map(|words| words.concat()),
        2 => any::<String>(),
        1 => "[ -~\n]{0,60}",
        1 => (1usize..3000, prop::sample::select(vec!["x", "long words ", "é "]))
            .prop_map(|(times, word)| word.repeat(times)),
    ]
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("finite", Number::from_f64),
        prop::sample::select(vec![
            0.0,
            -0.0,
            1.0,
            1e300,
            5e-324,
            1e15,
            1e16,
            1.5e21,
            18446744073709551616.0,
            f64::MAX
        ])
        .prop_filter_map("finite", Number::from_f64),
    ]
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number().prop_map(Value::Number),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(text(), inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

pub(crate) fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "yes", "no", "null", "true", "1e3", "0x10", "12", "-", "--", "---", "_", "1_0", "y",
            "-1", "0o7"
        ])
        .prop_map(str::to_owned),
        "[a-z0-9_-]{1,64}",
    ]
}

fn tools() -> impl Strategy<Value = Vec<String>> {
    let tool =
        prop_oneof![name(), "[A-Za-z0-9_.:/-]{1,20}", Just("a:".to_owned()), Just(":".to_owned())];
    hash_set(tool, 0..4).prop_map(|tools| tools.into_iter().collect())
}

fn servers() -> impl Strategy<Value = Vec<String>> {
    let server = prop_oneof!["[A-Za-z0-9_-]{1,32}", Just("yes".to_owned()), Just("1e3".to_owned())];
    hash_set(server, 0..3).prop_map(|servers| servers.into_iter().collect())
}

fn capabilities() -> impl Strategy<Value = Vec<Capability>> {
    let settings = option::of(value());
    let one = (name(), settings).prop_map(|(name, settings)| Capability { name, settings });
    vec(one, 0..3).prop_map(|mut all| {
        all.dedup();
        if let [first, .., last] = all.as_slice()
            && first == last
        {
            all.pop();
        }
        all
    })
}

fn limits() -> impl Strategy<Value = Limits> {
    let count = || option::of(prop_oneof![0..100u64, 0..=MAX_COUNT]);
    let millionths = || option::of(prop_oneof![0..3_000_000u64, 0..=1_000_000_000_000_000u64]);
    let counts = (count(), count(), count(), count(), count());
    (counts, millionths(), millionths()).prop_map(|(counts, usd, time)| Limits {
        usd: usd.map(MicroUsd),
        steps: counts.0,
        tool_calls: counts.1,
        input_tokens: counts.2,
        output_tokens: counts.3,
        tokens: counts.4,
        time: time.map(Micros),
    })
}

fn description() -> impl Strategy<Value = String> {
    text().prop_map(|text| {
        let text: String = text.chars().take(1023).collect();
        match text.chars().all(|c| c.is_whitespace() || c == '\u{feff}') {
            true => format!("{text}x"),
            false => text,
        }
    })
}

/// Any definition that may be written.
pub(crate) fn definition() -> impl Strategy<Value = AgentDefinition> {
    let model = prop_oneof![Just("openai:gpt".to_owned()), "[!-9;-~]{1,8}:[!-~]{1,8}"];
    let texts = (name(), description(), text(), option::of(model));
    let servers = option::of(servers());
    let lists = (capabilities(), option::of(tools()), tools(), servers, hash_set(name(), 0..3));
    (texts, lists, limits(), btree_map(text(), value(), 0..3)).prop_map(
        |(
            (name, description, instructions, model),
            (capabilities, tools, denied, mcp, skills),
            limits,
            metadata,
        )| {
            let mut made = AgentDefinition::new(name, description)
                .with_instructions(instructions)
                .with_denied_tools(denied)
                .with_skills(skills)
                .with_limits(limits);
            made.model = model;
            made.capabilities = capabilities;
            made.tools = tools;
            made.mcp = mcp;
            made.metadata = metadata;
            made
        },
    )
}
