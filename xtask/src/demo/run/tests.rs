use serde_json::json;

use super::*;

/// A stand-in for the command: a shell that says these lines, then goes on.
fn saying(lines: &str, then: &str) -> Command {
    let mut command = Command::new("sh");
    let script = format!("cat <<'END'\n{lines}\nEND\n{then}");
    command.args(["-c", &script]);
    command
}

const STARTED: &str = r#"{"type":"execution_started","session":"s1"}
{"type":"tool_started","session":"s1","step":1,"tool":"bash"}"#;

#[test]
fn a_run_is_killed_when_it_is_time() {
    let mut endless = saying(STARTED, "exec sleep 1000000");
    let run =
        follow(&mut endless, |news| news.is_some_and(|it| it["type"] == "tool_started")).unwrap();
    assert!(matches!(run.ended, Ended::Killed));
    assert_eq!(run.session.as_deref(), Some("s1"));
    assert_eq!(run.text, None);
}

#[test]
fn a_run_that_ends_by_itself_gives_its_answer_and_status() {
    let finished =
        r#"{"type":"execution_finished","session":"s1","status":"completed","text":"42"}"#;
    let mut command = saying(&format!("{STARTED}\nno event\n{finished}"), "exit 3");
    let run = follow(&mut command, |_| false).unwrap();
    assert!(matches!(run.ended, Ended::ByItself(status) if status.code() == Some(3)));
    assert_eq!(run.text.as_deref(), Some("42"));
}

#[test]
fn a_command_line_is_shown_as_typed() {
    let mut command = Command::new("/somewhere/legwork");
    command.args(["run", "--json", "a task"]);
    assert_eq!(line_of(&command), "legwork run --json 'a task'");
}

#[test]
fn events_are_told_in_a_line() {
    let check = |event: Value, line: Option<&str>| {
        let kind = text(&event, "type").unwrap();
        assert_eq!(shown_event(kind, &event).as_deref(), line);
    };
    let call = json!({"type": "tool_started", "call": {"name": "bash", "arguments": "{\"command\":\"ls\"}"}});
    check(call, Some("calls: bash {\"command\":\"ls\"}"));
    let outcome = json!({"ok": [{"text": "a"}]});
    let result = json!({"type": "tool_finished", "call": {"name": "bash"}, "outcome": outcome});
    check(result, Some("bash: {\"ok\":[{\"text\":\"a\"}]}"));
    check(json!({"type": "inference_started"}), None);
    let paused =
        json!({"type": "execution_paused", "status": "awaiting_approval", "explain": null});
    check(paused, Some("awaiting_approval: "));
}
