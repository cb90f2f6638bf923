//! `legwork tools`: listed, shown, called by hand.

use std::fs;
use std::io::Read as _;

use legwork_testkit::{Server, Turn};
use rustix::process::Signal;

use crate::home::{Home, fed, started, text};

#[test]
fn the_list_names_each_tool_in_a_line() {
    let home = Home::new();
    let list = home.ran(&["tools", "list"]).ends(0);
    let names: Vec<_> = list.out.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(
        names,
        ["read", "write", "edit", "list", "search", "bash", "bash_output", "ask_user"]
    );
    assert!(
        list.out.contains("bash         side effects  Runs a command with bash"),
        "{}",
        list.out
    );
    let specs = home.ran(&["tools", "list", "--json"]).ends(0).events();
    assert_eq!(specs.len(), 8);
    assert!(specs.iter().all(|spec| spec["parameters"]["type"] == "object"), "{specs:?}");
    assert!(!home.store().exists());
}

#[test]
fn s6_11_the_list_shows_what_a_tool_went_through() {
    let home = Home::new();
    assert!(!home.ran(&["tools", "list"]).ends(0).out.contains("approval"));
    let list = home.ran(&["tools", "list", "--approve", "writes"]).ends(0).out;
    let lines: Vec<_> = list.lines().collect();
    let write = lines.iter().position(|line| line.starts_with("write ")).unwrap();
    assert_eq!(lines[write + 1].trim_start(), "approval_required(each)", "{list}");
    assert!(lines[write + 2].starts_with("edit "), "{list}");
    let specs = home.ran(&["tools", "list", "--json", "--approve", "all"]).ends(0).events();
    let asked = |spec: &&serde_json::Value| spec["chain"][1] == "approval_required(each)";
    assert_eq!(specs.iter().filter(asked).count(), 7, "all but ask_user: {specs:?}");
}

#[test]
fn a_tool_is_shown_with_its_arguments() {
    let home = Home::new();
    let shown = home.ran(&["tools", "show", "bash"]).ends(0).out;
    for words in [
        "  command  (string, required)\n      The command, as one would type it.",
        "  timeout  (integer, 1 to 3600, optional)",
        "effect    must not happen twice; cut off by a crash, a person is asked",
        "runs      alone",
        "timeout   10 min",
    ] {
        assert!(shown.contains(words), "no {words:?} in {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let shown = home.ran(&["tools", "show", "edit"]).ends(0).out;
    assert!(shown.contains("resource  calls with the same `path` run one by one"), "{shown}");
    let spec = home.ran(&["tools", "show", "read", "--json"]).ends(0).last();
    assert_eq!((text(&spec, "name"), &spec["effect"]), ("read".to_owned(), &"read_only".into()));
    let told = home.ran(&["tools", "show", "serach"]).ends(2);
    told.says("there is no tool \"serach\"").says("hint: did you mean `search`?");
    home.ran(&["tools", "show", "zzz"]).ends(2).says("hint: the tools are read, write, edit");
}

#[test]
fn a_tool_is_called_as_the_agent_calls_it() {
    let home = Home::new();
    fs::write(home.work().join("a"), "one\ntwo\n").unwrap();
    let told = home.ran(&["tools", "call", "read", r#"{"path": "a"}"#]).ends(0);
    assert!(told.out.contains("one\n") && told.out.ends_with('\n'), "{}", told.out);
    let told = home.ran(&["tools", "call", "--json", "read", r#"{"path": "a"}"#]).ends(0).last();
    assert_eq!((text(&told, "tool"), text(&told, "outcome")), ("read".into(), "ok".into()));
    assert!(text(&told, "result").contains("two") && told["took_ms"].is_u64(), "{told}");
    // Confined to the directory, as the agent's is.
    home.ran(&["tools", "call", "read", r#"{"path": "/etc/passwd"}"#]).ends(1).says("error: ");
    let told = home.ran(&["tools", "call", "--json", "read", r#"{"path": "b"}"#]).ends(1).last();
    assert_eq!(text(&told, "outcome"), "failed");
    fs::create_dir(home.work().join("sub")).unwrap();
    let write = r#"{"path": "b", "content": "x"}"#;
    home.ran(&["tools", "call", "write", write, "--dir", "sub"]).ends(0);
    assert_eq!(fs::read(home.work().join("sub/b")).unwrap(), b"x");
    assert!(!home.store().exists());
}

#[test]
fn arguments_come_from_a_file_or_standard_input_too() {
    let home = Home::new();
    fs::write(home.work().join("a"), "one\n").unwrap();
    fs::write(home.work().join("args"), r#"{"path": "a"}"#).unwrap();
    fs::write(home.work().join("latin"), b"{\"path\": \"\xe9\"}").unwrap();
    assert!(home.ran(&["tools", "call", "read", "@args"]).ends(0).out.contains("one"));
    let told = fed(home.legwork(&["tools", "call", "read", "-"]), br#"{"path": "a"}"#).ends(0);
    assert!(told.out.contains("one"));
    home.ran(&["tools", "call", "read", "@latin"]).ends(2).says("not UTF-8");
    home.ran(&["tools", "call", "read", "@missing"]).ends(2).says("cannot be read from missing");
}

#[test]
fn arguments_that_do_not_fit_are_told_as_the_model_is() {
    let home = Home::new();
    let told = home.ran(&["tools", "call", "bash", r#"{"command": 3}"#]).ends(2);
    told.says("The arguments do not fit: at /command: 3 is not of type").says("tools show bash");
    home.ran(&["tools", "call", "bash"]).ends(2).says("\"command\" is a required property");
    home.ran(&["tools", "call", "bash", "{"]).ends(2).says("The arguments are not JSON: ");
    home.ran(&["tools", "call", "bahs", "{}"]).ends(2).says("did you mean `bash`?");
    let told = home.ran(&["tools", "call", "--json", "bash", "{"]).ends(2).last();
    assert_eq!(told["type"], "run_failed");
}

#[test]
fn a_commands_own_exit_code_is_part_of_the_result() {
    let home = Home::new();
    let call = |command: &str| {
        let arguments = serde_json::json!({ "command": command }).to_string();
        home.ran(&["tools", "call", "--sandbox", "off", "bash", &arguments])
    };
    assert!(call("echo $((6 * 7))").ends(0).out.contains("42"));
    assert_eq!(call("exit 3").ends(0).out.trim(), "[exit code 3]");
    call("").ends(1).says("error: the command is empty");
}

#[test]
fn control_c_ends_the_call_and_what_it_started() {
    let home = Home::new();
    let pipe = home.pipe("pipe");
    let arguments = r#"{"command": "exec 3>pipe; echo up >&3; sleep 600"}"#;
    let run = started(home.legwork(&["tools", "call", "--sandbox", "off", "bash", arguments]));
    let mut up = fs::File::open(pipe).unwrap();
    let mut byte = [0];
    up.read_exact(&mut byte).unwrap();
    run.signal(Signal::INT);
    run.end().ends(130).says("interrupted: bash was ended");
    // The other end is closed when the command is dead, and all that it started.
    up.read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn an_agent_has_the_tools_that_it_was_given() {
    let (home, turns) = (Home::new(), [Turn::text("One."), Turn::text("Two.")]);
    let server = Server::start(turns).unwrap();
    let args = ["run", "--json", "--tools", "search,read", "Look"];
    let id = home.ran_with(&server, &args).ends(0).session();
    home.ran_with(&server, &["run", "--session", &id, "Look again"]).ends(0);
    let names = |at: usize| -> Vec<_> {
        let tools = server.requests()[at].body["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| text(&tool["function"], "name")).collect()
    };
    // In the order of all, and the session remembers.
    assert_eq!((names(0), names(1)), (vec!["read".into(), "search".into()], names(0)));
    home.ran_with(&server, &["run", "--tools", "read,serach", "x"]).ends(2).says("`search`");
}
