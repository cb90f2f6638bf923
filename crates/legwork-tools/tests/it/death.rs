//! Nothing that came of a command outlives it, whatever ends it.

use std::process::{Command, Stdio};

use legwork_port::core::ToolOutcome;
use legwork_port::{Cancellation, Tool as _};
use legwork_tools::sandbox::{Bubblewrap, Landlock};
use legwork_tools::{Background, Bash, Program, Sandbox};

use crate::fixture::{Fixture, Watch, asked, blocking, context, environment, ok, refused};

/// A command that leaves a plain child, one in a session of its own, an orphan
/// in a session of its own, and one that ignores TERM; each holds the pipe
/// `alive` open, and says so.
const FAMILY: &str = r"
    exec 9>alive
    (echo child >&9; exec sleep 1000) &
    setsid sh -c 'echo session >&9; exec sleep 1000' &
    (setsid sh -c '(echo orphan >&9; exec sleep 1000) & exit' &)
    (trap '' TERM; echo stubborn >&9; while :; do sleep 1000; done) &
";
const MEMBERS: [&str; 4] = ["child", "orphan", "session", "stubborn"];

#[tokio::test(flavor = "multi_thread")]
async fn s6_6_children_die_with_the_command() {
    let place = Fixture::new();
    let watch = Watch::new(&place.path("alive"));
    // The parent waits until its descendants run, then leaves them.
    let command = format!("mkfifo go; {FAMILY} exec 9>&-; read -r _ <go; echo left; exit 3");
    let go = place.path("go");
    let call = tokio::spawn(async move {
        let text = ok!(place.bash(), { "command": command });
        (text, place)
    });
    let watch = blocking(move || {
        assert_eq!(watch.lines(4), MEMBERS);
        std::fs::write(go, "go\n").expect("written");
        watch
    })
    .await;
    let (text, _place) = call.await.expect("no panic");
    assert!(text.ends_with("left\n[exit code 3]"), "{text}");
    blocking(move || watch.all_gone()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn s6_6_a_timeout_kills_all_descendants() {
    let place = Fixture::new();
    let watch = Watch::new(&place.path("alive"));
    let bash = place.bash().with_grace(std::time::Duration::from_millis(300));
    let command = format!("{FAMILY} trap '' TERM; echo here; while :; do sleep 1000; done");
    let text = refused!(bash, { "command": command, "timeout": 1 });
    assert!(text.starts_with("here\n"), "{text}");
    assert!(
        text.ends_with("[timed out after 1 s and was killed, with all it had started]"),
        "{text}"
    );
    blocking(move || watch.all_gone()).await;
}

#[tokio::test]
async fn a_timeout_asks_before_it_kills() {
    let place = Fixture::new();
    let command = "trap 'echo bye; exit 0' TERM; while :; do sleep 1000 & wait; done";
    let bash = place.bash().with_grace(std::time::Duration::from_secs(60));
    let text = refused!(bash, { "command": command, "timeout": 1 });
    assert_eq!(text, "bye\n[timed out after 1 s, asked to end and did]");
}

#[tokio::test(flavor = "multi_thread")]
async fn s6_6_dropping_the_call_kills_all_descendants() {
    let place = Fixture::new();
    let watch = Watch::new(&place.path("alive"));
    let bash = place.bash();
    let call = tokio::spawn(async move {
        ok!(bash, { "command": format!("{FAMILY} wait") });
    });
    let watch = blocking(move || {
        assert_eq!(watch.lines(4), MEMBERS);
        watch
    })
    .await;
    call.abort();
    blocking(move || watch.all_gone()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_is_interrupted_and_leaves_no_process() {
    let place = Fixture::new();
    let watch = Watch::new(&place.path("alive"));
    let cancellation = Cancellation::new();
    let (bash, raised) = (place.bash(), cancellation.clone());
    let call = tokio::spawn(async move {
        let asked = asked(&bash, &serde_json::json!({ "command": format!("{FAMILY} wait") }));
        bash.call(&asked, &context(cancellation)).await
    });
    let watch = blocking(move || {
        assert_eq!(watch.lines(4), MEMBERS);
        raised.cancel();
        watch
    })
    .await;
    assert_eq!(call.await.expect("no panic"), ToolOutcome::Interrupted);
    blocking(move || watch.all_gone()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_descendants_die_when_this_process_is_killed() {
    killed_parent("off").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_descendants_of_a_command_in_the_background_die_when_this_process_is_killed() {
    killed_parent("background").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_descendants_of_a_program_die_when_this_process_is_killed() {
    killed_parent("program").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_descendants_die_behind_walls_when_this_process_is_killed() {
    if let Err(why) = Bubblewrap::new(&environment()).check(&Fixture::new().path("")) {
        println!("skipped: {why}");
        return;
    }
    killed_parent("walls").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_descendants_die_confined_by_landlock_when_this_process_is_killed() {
    if let Err(why) = Landlock::new(&environment()).check(&Fixture::new().path("")) {
        println!("skipped: {why}");
        return;
    }
    killed_parent("landlock").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn children_die_with_a_command_confined_by_landlock() {
    let place = Fixture::new();
    if let Err(why) = Landlock::new(&environment()).check(&place.path("")) {
        println!("skipped: {why}");
        return;
    }
    let watch = Watch::new(&place.path("alive"));
    // The parent waits until its descendants run, then leaves them.
    let command = format!("mkfifo go; {FAMILY} exec 9>&-; read -r _ <go; echo left; exit 3");
    let go = place.path("go");
    let call = tokio::spawn(async move {
        let sandbox = Sandbox::landlock(&environment());
        let bash = Bash::new(place.workspace(), environment(), sandbox);
        (ok!(bash, { "command": command }), place)
    });
    let watch = blocking(move || {
        assert_eq!(watch.lines(4), MEMBERS);
        std::fs::write(go, "go\n").expect("written");
        watch
    })
    .await;
    let (text, _place) = call.await.expect("no panic");
    assert!(text.starts_with("left\n[exit code 3]"), "{text}");
    blocking(move || watch.all_gone()).await;
}

async fn killed_parent(walls: &str) {
    let place = Fixture::new();
    let watch = Watch::new(&place.path("alive"));
    let mut parent = Command::new(std::env::current_exe().expect("a name"))
        .args(["--exact", "death::a_parent_to_be_killed", "--nocapture"])
        .env(PARENT, place.path(""))
        .env("WALLS", walls)
        .stdout(Stdio::null())
        .spawn()
        .expect("started");
    blocking(move || {
        assert_eq!(watch.lines(4), MEMBERS);
        parent.kill().expect("SIGKILL");
        watch.all_gone();
        parent.wait().expect("reaped");
    })
    .await;
}

const PARENT: &str = "LEGWORK_TOOLS_TEST_PARENT";

/// The process that `killed_parent` starts and kills; by itself it does
/// nothing. Its runtime moves the call from thread to thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_parent_to_be_killed() {
    let Some(dir) = std::env::var_os(PARENT) else {
        return;
    };
    let sandbox = match std::env::var("WALLS").expect("set").as_str() {
        "walls" => Sandbox::bubblewrap(&environment()),
        "landlock" => Sandbox::landlock(&environment()),
        _ => Sandbox::Off,
    };
    let workspace = legwork_tools::Workspace::open(&dir).expect("opened");
    if std::env::var("WALLS").as_deref() == Ok("program") {
        let script = format!("{FAMILY} wait");
        let program = Program::new(workspace, environment(), sandbox, "sh");
        let started = program.with_arguments(["-c", &script]).start().await.expect("started");
        started.process.ended().await;
        return;
    }
    let bash = Bash::new(workspace, environment(), sandbox);
    if std::env::var("WALLS").as_deref() == Ok("background") {
        let background = Background::default();
        let bash = bash.with_background(&background);
        ok!(bash, { "command": format!("{FAMILY} wait"), "background": true });
        return std::future::pending().await;
    }
    let call = tokio::spawn(async move { ok!(bash, { "command": format!("{FAMILY} wait") }) });
    call.await.expect("killed before");
}
