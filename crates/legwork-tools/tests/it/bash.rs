//! What a command gives back, and what it cannot do to us.

use legwork_port::core::tool::FailureKind;
use legwork_port::core::{ToolCall, ToolOutcome};
use legwork_port::{Cancellation, Tool as _};
use legwork_tools::bash::Ending;
use legwork_tools::{Bash, Environment, Sandbox};
use serde_json::json;

use crate::fixture::{Fixture, call, context, environment, ok, refused};

async fn check(command: &str, gives: &str) {
    assert_eq!(ok!(Fixture::new().bash(), { "command": command }), gives, "{command}");
}

#[tokio::test]
async fn output_and_status_are_returned() {
    check("echo hi", "hi\n").await;
    check("true", "[no output]").await;
    check("printf half; exit 7", "half\n[exit code 7]").await;
    check("exit 300", "[exit code 44]").await;
    check("kill -9 $$", "[killed by signal 9, SIGKILL]").await;
    check("kill -SEGV $$", "[killed by signal 11, SIGSEGV]").await;
    check("exit 143", "[exit code 143: killed by signal 15, SIGTERM]").await;
    let text = ok!(Fixture::new().bash(), { "command": "-x" });
    assert!(text.ends_with("-x: command not found\n[exit code 127]"), "{text}");
}

#[tokio::test]
async fn how_a_command_ended_is_left_for_people_and_programs() {
    let check = async |command: &str, wanted: Option<Ending>| {
        let (place, cx) = (Fixture::new(), context(Cancellation::new()));
        let arguments = serde_json::json!({ "command": command, "timeout": 1 }).to_string();
        place.bash().call(&ToolCall::new("1", "bash", arguments), &cx).await;
        let ending = Ending::of(&cx.take_metadata());
        assert_eq!(ending, wanted, "{command}");
    };
    check("true", Some(Ending::Exited(0))).await;
    check("echo no; exit 7", Some(Ending::Exited(7))).await;
    check("kill -9 $$", Some(Ending::Signalled(9))).await;
    // It did not end by itself.
    check("sleep 100", None).await;
    // It was never run.
    check("", None).await;
    assert!(Ending::Exited(0).is_success());
    assert!(!Ending::Exited(1).is_success() && !Ending::Signalled(9).is_success());
}

#[tokio::test]
async fn both_outputs_come_merged_in_order() {
    let command = "for i in 1 2 3; do echo out $i; echo err $i >&2; done";
    check(command, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n").await;
}

#[tokio::test]
async fn it_runs_in_the_workspace_without_input_or_terminal() {
    let place = Fixture::new();
    place.write("here", "");
    assert_eq!(
        ok!(place.bash(), { "command": "ls; cat; test -t 0 || echo no terminal" }),
        "here\nno terminal\n"
    );
    assert!(ok!(place.bash(), { "command": "exec </dev/tty" }).contains("/dev/tty"));
}

#[tokio::test]
async fn characters_split_across_writes_come_whole() {
    // Each byte of the crab is a write of its own.
    check(r"for b in '\360' '\237' '\246' '\200'; do printf $b; done", "🦀").await;
}

#[tokio::test]
async fn invalid_utf8_and_nul_are_replaced() {
    check(r"printf 'a\377b\0c'", "a\u{fffd}b\u{fffd}c").await;
    check("printf '\\360\\237'", "\u{fffd}").await;
}

#[tokio::test]
async fn long_output_keeps_head_and_tail() {
    let text = ok!(Fixture::new().bash(), { "command": "seq 1 100000" });
    assert!(text.starts_with("1\n2\n3\n") && text.ends_with("99999\n100000\n"));
    assert!(text.len() < 31 * 1024, "{}", text.len());
    assert!(text.contains("558175 of 588895 bytes left out here"), "{}", &text[15_300..15_500]);
}

#[tokio::test]
async fn endless_output_ends_at_the_limit() {
    let text = refused!(Fixture::new().bash(), { "command": "yes legwork", "timeout": 1 });
    assert!(text.starts_with("legwork\n") && text.len() < 32 * 1024);
    assert!(text.ends_with("[timed out after 1 s, asked to end and did]"));
}

#[tokio::test]
async fn a_child_that_keeps_the_output_open_does_not_delay_the_call() {
    check("sleep 1000 & setsid sleep 1000 & echo done", "done\n").await;
}

#[tokio::test]
async fn output_written_just_before_the_end_is_whole() {
    for size in [1, 4_096, 65_536, 65_537, 200_000] {
        let place = Fixture::new();
        let bash = place.bash().with_output(1_000_000);
        let text = ok!(bash, { "command": format!("head -c {size} /dev/zero | tr '\\0' x") });
        assert_eq!(text.len(), size);
    }
}

#[tokio::test]
async fn no_secret_of_the_parent_is_seen() {
    let given = [
        ("PATH", "/usr/bin:/bin"),
        ("LANG", "C.UTF-8"),
        ("OPENAI_API_KEY", "sk-1"),
        ("DATABASE_URL", "pg"),
    ];
    let place = Fixture::new();
    let bash = Bash::new(place.workspace(), Environment::filtered(given), Sandbox::Off);
    let text = ok!(bash, { "command": "env | cut -d= -f1 | sort | tr '\\n' ' '" });
    // What is beyond the given is the shell's own.
    assert_eq!(text, "LANG PATH PWD SHLVL _ ");
}

#[tokio::test]
async fn no_open_file_of_the_parent_is_seen() {
    let place = Fixture::new();
    // A file that is meant to be inherited by whatever runs next.
    let held = std::fs::File::open("/dev/null").expect("opened");
    rustix::io::fcntl_setfd(&held, rustix::io::FdFlags::empty()).expect("set");
    let text = ok!(place.bash(), { "command": "echo /proc/$$/fd/*" });
    let numbers: Vec<_> =
        text.split_whitespace().filter_map(|path| path.rsplit('/').next()).collect();
    let most = numbers.iter().filter(|number| !["0", "1", "2", "255"].contains(number));
    assert!(most.count() <= 1, "only the directory being listed: {text}");
}

#[tokio::test]
async fn what_cannot_run_is_refused_and_says_why() {
    let place = Fixture::new();
    assert!(refused!(place.bash(), { "command": " \n" }).contains("the command is empty"));
    assert!(refused!(place.bash(), { "command": "echo \u{0}" }).contains("NUL byte"));
    assert!(
        refused!(place.bash(), { "command": "x".repeat(200_000) }).contains("write it to a file")
    );
    let bash = Bash::new(place.workspace(), Environment::default(), Sandbox::Off);
    assert!(refused!(bash, { "command": "true" }).contains("no bash or sh on the PATH"));
    let bash = Bash::new(place.workspace(), environment(), Sandbox::Off);
    std::fs::remove_dir_all(place.path("")).expect("removed");
    assert!(refused!(bash, { "command": "true" }).contains("was not started"));
}

#[tokio::test]
async fn a_fork_bomb_is_over_at_the_limit() {
    let place = Fixture::new();
    let bash = place.bash().with_grace(std::time::Duration::from_millis(100));
    // Small, but each member has two children and lives on.
    let bomb = "f() { [ $1 = 0 ] || { f $(($1 - 1)) & f $(($1 - 1)) & }; trap '' TERM; while :; do sleep 1000; done; }; f 6";
    let text = refused!(bash, { "command": bomb, "timeout": 1 });
    assert!(text.contains("was killed"), "{text}");
}

#[tokio::test]
async fn a_shell_without_walls_promises_none() {
    assert!(!Fixture::new().bash().spec().description.contains("sandbox"));
}

#[tokio::test]
async fn arguments_are_read_as_the_schema_reads_them() {
    let place = Fixture::new();
    assert_eq!(ok!(place.bash(), { "command": "echo hi", "timeout": 5.0 }), "hi\n");
    for arguments in [json!({}), json!({ "command": 1 }), json!({ "command": "true", "more": 1 })] {
        let outcome = call(&place.bash(), &arguments).await;
        let refused = matches!(outcome, ToolOutcome::Failed(FailureKind::InvalidArguments, _));
        assert!(refused, "{arguments}: {outcome:?}");
    }
}
