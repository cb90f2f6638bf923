//! Rules that say which calls they mean.

use legwork_port::core::ToolSpec;
use legwork_toolset::CallRule;
use proptest::prelude::*;
use serde_json::{Value, json};

fn bash() -> ToolSpec {
    ToolSpec::new("bash", "Runs a command.", json!({"type": "object", "required": ["command"]}))
}

fn edit() -> ToolSpec {
    let schema = json!({"type": "object", "required": ["edits", "path"]});
    ToolSpec::new("edit", "Changes a file.", schema).resource("path")
}

fn means(rule: &str, spec: &ToolSpec, arguments: &Value) -> bool {
    rule.parse::<CallRule>().unwrap().means(spec, arguments)
}

#[test]
fn s7_3_a_rule_of_a_command_means_it_alone_and_with_further_words() {
    let git_log = |command: &str| means("bash(git log:*)", &bash(), &json!({"command": command}));
    for meant in ["git log", "git log --oneline -3", " git log\t-p", "git log 'a b'"] {
        assert!(git_log(meant), "{meant}");
    }
    let others = [
        "git logs",
        "git",
        "git push",
        "xgit log",
        "git log; rm -r src",
        "git log && make",
        "git log | sh",
        "git log > /etc/passwd",
        "git log < x",
        "git log $(rm x)",
        "git log `rm x`",
        "git log & make",
        "git log\nmake",
        "git log\rmake",
        "PAGER=x git log",
        "",
    ];
    for other in others {
        assert!(!git_log(other), "{other:?}");
    }
}

#[test]
fn s7_3_a_rule_is_about_the_resource_of_a_tool_or_the_first_argument_that_is_required() {
    let on = |path: &str| json!({"edits": [], "path": path, "why": "src/a.rs"});
    assert!(means("edit(src/**)", &edit(), &on("src/deep/a.rs")));
    assert!(means("edit(src/*.rs)", &edit(), &on("./src/a.rs")));
    for other in ["src", "other/a.rs", "src/../secret", "../src/a.rs", "/src/a.rs", ""] {
        assert!(!means("edit(src/**)", &edit(), &on(other)), "{other:?}");
    }
    assert!(!means("edit(src/*.rs)", &edit(), &on("src/deep/a.rs")));
    // Of another argument, of another tool, or of no text nothing is said.
    assert!(!means("edit(src/**)", &edit(), &json!({"why": "src/a.rs"})));
    assert!(!means("bash(src/**)", &edit(), &on("src/a.rs")));
    assert!(!means("edit(**)", &edit(), &json!({"path": 7})));
    assert!(means("edit", &edit(), &json!({"path": 7})));
}

#[test]
fn s7_3_what_is_no_rule_is_told() {
    for wrong in ["", " ", "bash(", "bash()", "bash( )", "(x)", "a b", "bash)x(", "bash(x", "b(x)y"]
    {
        let problem = wrong.parse::<CallRule>().unwrap_err().to_string();
        assert!(problem.contains("is no rule: write a tool"), "{problem}");
    }
    for rule in ["read", "bash(git log:*)", "edit(src/**)", "mcp.files-read"] {
        assert_eq!(rule.parse::<CallRule>().unwrap().to_string(), rule);
    }
}

/// The same by trying out everything.
fn fits(glob: &[u8], text: &[u8]) -> bool {
    match glob {
        [] => text.is_empty(),
        [b'*', b'*', rest @ ..] => (0..=text.len()).any(|at| fits(rest, &text[at..])),
        [b'*', rest @ ..] => {
            let most = text.iter().position(|byte| *byte == b'/').unwrap_or(text.len());
            (0..=most).any(|at| fits(rest, &text[at..]))
        }
        [first, rest @ ..] => text.first() == Some(first) && fits(rest, &text[1..]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn s7_3_wildcards_stand_for_what_they_say(glob in "[ab/*]{1,7}", path in "[ab/]{0,9}") {
        let said = means(&format!("edit({glob})"), &edit(), &json!({"path": path}));
        prop_assert_eq!(said, fits(glob.as_bytes(), path.as_bytes()), "{} of {}", glob, path);
    }
}

#[test]
fn s7_3_a_long_text_and_many_wildcards_are_no_work() {
    let path = "a".repeat(100_000) + "b";
    assert!(!means("edit(*a*a*a*a*a*a*a*c)", &edit(), &json!({"path": path})));
    assert!(!means("edit(**a**a**a**a**a**c)", &edit(), &json!({"path": path})));
}

#[test]
fn s7_3_a_wildcard_in_a_command_stands_for_no_other_command() {
    let on = |command: &str| json!({"command": command});
    assert!(means("bash(git log*)", &bash(), &on("git log --oneline")));
    for other in ["git log; rm -rf x", "git log && make", "git log | sh", "git log $(rm x)"] {
        assert!(!means("bash(git log*)", &bash(), &on(other)), "{other}");
    }
    // A path of a file tool is no line for a shell.
    assert!(means("edit(src/**)", &edit(), &json!({"path": "src/a (1).rs"})));
}

#[test]
fn s13_16_a_pattern_that_denies_finds_its_command_behind_another() {
    let may_mean = |rule: &str, command: &str| {
        let rule = rule.parse::<CallRule>().unwrap();
        rule.may_mean(&bash(), &json!({"command": command}))
    };
    assert!(may_mean("bash(rm *)", "cd src && sudo rm old"));
    assert!(may_mean("bash(**secret**)", "cat x/secret"));
    assert!(!may_mean("bash(rm *)", "git status"));
}
