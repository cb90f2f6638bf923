//! What is understood, and what is asked.

use legwork::core::approval::Remember;
use legwork::core::state::{Pending, PendingReason};
use legwork::core::{AgentState, EffectKey, Seq, SessionId, Timestamp, ToolCall};
use legwork::tools::Workspace;
use serde_json::{Value, json};

use super::{Said, said, shown};

fn pending(tool: &str, arguments: &Value) -> Pending {
    let key = EffectKey { session: SessionId::new("s"), entry: Seq(4), index: 0 };
    let arguments = arguments.to_string();
    let call = ToolCall::new("c1", tool, arguments.as_str());
    let arguments = arguments.as_str().into();
    Pending::new(&key, &call, &arguments, None, PendingReason::Approval, Seq(4), Timestamp(1))
}

#[test]
fn an_answer_is_a_word_or_its_letter_and_no_may_have_words_for_the_model() {
    let approval = |line| said(line, &PendingReason::Approval);
    assert_eq!(approval("y\n"), Said::Yes);
    assert_eq!(approval(" YES "), Said::Yes);
    assert_eq!(approval("n"), Said::No("The user said no.".into()));
    assert_eq!(approval("no, use rg\n"), Said::No("The user said no: use rg".into()));
    assert_eq!(approval("n use rg"), Said::No("The user said no: use rg".into()));
    assert_eq!((approval("a"), approval("tool")), (Said::Always, Said::Tool));
    assert_eq!((approval("e"), approval("l")), (Said::Edit, Said::Later));
    // A person who only presses return has agreed to nothing.
    assert_eq!(approval("\n"), Said::Later);
    for unclear in ["yes please", "yn", "ja", "sure", "r", "always maybe"] {
        assert_eq!(approval(unclear), Said::Unclear, "{unclear}");
    }
}

#[test]
fn a_call_in_doubt_is_run_again_told_or_left() {
    let doubt = |line| said(line, &PendingReason::Doubt);
    assert_eq!((doubt("r"), doubt("tell"), doubt("")), (Said::Again, Said::Tell, Said::Later));
    assert_eq!((doubt("y"), doubt("a")), (Said::Unclear, Said::Unclear));
}

#[test]
fn always_means_the_program_and_its_verb() {
    let rule = |command: &str| match shown::always(&pending("bash", &json!({"command": command}))) {
        Some(Remember::Rule(rule)) => Some(rule),
        other => other.map(|all| format!("{all:?}")),
    };
    assert_eq!(rule("git log --oneline").as_deref(), Some("bash(git log:*)"));
    assert_eq!(rule("cargo test").as_deref(), Some("bash(cargo test:*)"));
    assert_eq!(rule("ls -la").as_deref(), Some("bash(ls:*)"));
    assert_eq!(rule("cat ./a").as_deref(), Some("bash(cat:*)"));
    // What no rule can hold: other programs, options before the verb, more than one command.
    for free in [
        "X=1 make",
        "make",
        "env A=1 ls",
        "sh -c ls",
        "python -c pass",
        "sudo -u x ls",
        "git -c k=v status",
        "find . -delete",
        "timeout 5 ls",
        "cd x && make",
        "echo checked >> log",
        "./run it",
    ] {
        assert_eq!(rule(free), None, "{free}");
    }
    let write = pending("write", &json!({"path": "a", "content": ""}));
    assert_eq!(shown::always(&write), Some(Remember::Tool));
}

#[test]
fn a_change_of_a_file_is_shown_as_a_diff() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let asked = |tool: &str, arguments: Value| {
        let state = AgentState::new(SessionId::new("s"));
        shown::question(&pending(tool, &arguments), &state, &workspace, "in a sandbox")
    };
    let edits = json!([{"old": "two", "new": "2"}]);
    let edit = asked("edit", json!({"path": "a.txt", "edits": edits}));
    assert_eq!((edit.label, edit.lines), ("approve?", vec!["edit a.txt".to_owned()]));
    assert_eq!(edit.diff, "@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    let write = asked("write", json!({"path": "b.txt", "content": "new\n"}));
    assert!(write.diff.contains("+new\n"), "{}", write.diff);
    let bash = asked("bash", json!({"command": "make\nmake check"}));
    assert_eq!(
        bash.lines,
        ["bash make make check", "$ make", "$ make check", "it runs in a sandbox"]
    );
    assert_eq!(bash.diff, "");
    let bash = asked("bash", json!({"command": "make", "background": true}));
    assert!(bash.lines.contains(&"background: true".to_owned()), "{:?}", bash.lines);
    // What cannot be shown as a diff is shown as it is.
    let lost = asked("edit", json!({"path": "a.txt", "edits": [{"old": "three", "new": "3"}]}));
    assert!(lost.lines.iter().any(|line| line.contains("three")), "{:?}", lost.lines);
}
