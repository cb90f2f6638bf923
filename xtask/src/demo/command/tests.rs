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
    let run = follow(&mut endless, |news| news == Some("tool_started")).unwrap();
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
