//! Commands in the background: what is read of them and when, and that they end.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use legwork_port::core::tool::FailureKind;
use legwork_port::core::{AgentState, EffectClass, EffectKey, Seq, SessionId, ToolOutcome};
use legwork_port::{Cancellation, Tool, ToolContext};
use legwork_tools::bash::Ending;
use legwork_tools::changes::UNWATCHED;
use legwork_tools::{Background, Bash, BashOutput};
use serde_json::{Value, json};

use crate::fixture::{Fixture, Watch, asked, blocking, ok, refused};

/// A command whose children hold the pipe `alive` open: one in a session of its own, one
/// that ignores TERM.
const FAMILY: &str = r"
    exec 9>alive
    setsid sh -c 'echo session >&9; exec sleep 1000' &
    (trap '' TERM; echo stubborn >&9; while :; do sleep 1000; done) &
";

/// The two tools, and a session that calls them.
pub(crate) struct Shell {
    pub(crate) background: Background,
    bash: Bash,
    output: BashOutput,
    session: SessionId,
    calls: AtomicU64,
}

impl Shell {
    pub(crate) fn new(bash: Bash) -> Self {
        let background = Background::default();
        Self::of(bash, background, "one")
    }

    fn of(bash: Bash, background: Background, session: &str) -> Self {
        let bash = bash.with_background(&background);
        let output = BashOutput::new(&background);
        let session = SessionId::new(session);
        Self { background, bash, output, session, calls: AtomicU64::new(1) }
    }

    fn context(&self, cancellation: Cancellation) -> ToolContext {
        let entry = Seq(self.calls.fetch_add(1, Ordering::Relaxed));
        let key = EffectKey { session: self.session.clone(), entry, index: 0 };
        let state = AgentState::new(self.session.clone());
        ToolContext::new(state, key, cancellation)
    }

    async fn call(&self, tool: &impl Tool, arguments: &Value) -> ToolOutcome {
        tool.call(&asked(tool, arguments), &self.context(Cancellation::new())).await
    }

    /// Starts a command; its id.
    pub(crate) async fn start(&self, command: &str) -> String {
        self.start_with(json!({ "command": command, "background": true })).await
    }

    async fn start_with(&self, arguments: Value) -> String {
        let outcome = self.call(&self.bash, &arguments).await;
        let text = outcome.to_text();
        assert!(
            outcome.is_ok() && text.contains(" runs in the background, for at most "),
            "{text}"
        );
        text.trim_start_matches('[').split(' ').next().expect("an id").to_owned()
    }

    pub(crate) async fn read(&self, arguments: Value) -> String {
        let outcome = self.call(&self.output, &arguments).await;
        assert!(outcome.is_ok(), "{outcome:?}");
        outcome.to_text()
    }

    /// What it prints until these words, and its state.
    async fn until(&self, id: &str, words: &str) -> (String, String) {
        let mut printed = String::new();
        loop {
            let read = self.read(json!({ "id": id, "wait": 60 })).await;
            let (text, note) = read.split_at(read.rfind(&format!("[{id}: ")).expect("a note"));
            // The line break before a note is the note's.
            printed += text.strip_suffix('\n').unwrap_or(text);
            if read.contains(words) {
                return (printed, note.to_owned());
            }
            assert!(note.contains("running for"), "no {words:?} in {printed}{note}");
        }
    }

    async fn end(&self, id: &str) -> String {
        self.read(json!({ "id": id, "end": true })).await
    }
}

fn shell(place: &Fixture) -> Shell {
    Shell::new(place.bash())
}

/// Makes a pipe that a command can wait at with `read -r _ <go`.
fn gate(place: &Fixture) -> PathBuf {
    let path = place.path("go");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0)
        .expect("a pipe");
    path
}

async fn open(gate: &std::path::Path) {
    let gate = gate.to_owned();
    blocking(move || std::fs::write(gate, "go\n").expect("written")).await;
}

#[tokio::test]
async fn it_is_read_bit_by_bit_and_says_how_it_ended() {
    let place = Fixture::new();
    let (shell, go) = (shell(&place), gate(&place));
    let id = shell.start("echo one; read -r _ <go; echo two >&2; exit 3").await;
    let (printed, note) = shell.until(&id, "one").await;
    assert_eq!(printed, "one");
    assert!(note.starts_with(&format!("[{id}: running for ")), "{note}");
    let nothing = shell.read(json!({ "id": id, "wait": 0 })).await;
    assert!(nothing.starts_with(&format!("[{id}: nothing new; running for ")), "{nothing}");
    open(&go).await;
    let (printed, note) = shell.until(&id, "ended after").await;
    assert_eq!(printed, "two");
    assert!(note.ends_with(" s, exit code 3]"), "{note}");
    let again = json!({ "id": id, "wait": 60 });
    let cx = shell.context(Cancellation::new());
    let again = shell.output.call(&asked(&shell.output, &again), &cx).await.to_text();
    assert!(again.starts_with(&format!("[{id}: nothing new; ended after ")), "{again}");
    assert_eq!(Ending::of(&cx.take_metadata()), Some(Ending::Exited(3)));
}

#[tokio::test]
async fn nothing_is_read_twice_and_nothing_is_lost() {
    let place = Fixture::new();
    let shell = Shell::new(place.bash().with_output(10_000_000));
    // Each number is a write of its own, so readings fall anywhere between them.
    let id = shell.start("for i in {1..20000}; do printf $i,; done").await;
    let (printed, _) = shell.until(&id, "ended after").await;
    let wanted: String = (1..=20_000).map(|number| format!("{number},")).collect();
    assert!(printed == wanted, "{} of {} bytes", printed.len(), wanted.len());
}

#[tokio::test]
async fn a_character_split_between_readings_comes_whole() {
    let place = Fixture::new();
    let (shell, go) = (shell(&place), gate(&place));
    let id = shell.start(r"printf 'a\360\237'; read -r _ <go; printf '\246\200'").await;
    let (first, _) = shell.until(&id, "a").await;
    open(&go).await;
    let (rest, _) = shell.until(&id, "ended after").await;
    assert_eq!((&*first, &*rest), ("a", "🦀"));
}

#[tokio::test]
async fn waiting_ends_with_the_first_news_or_the_end() {
    let place = Fixture::new();
    let (shell, go) = (Arc::new(shell(&place)), gate(&place));
    for (command, report) in [("echo news; sleep 1000", "news"), ("exit 4", "exit code 4")] {
        let id = shell.start(&format!("read -r _ <go; {command}")).await;
        let (reader, name) = (Arc::clone(&shell), id.clone());
        let began = Instant::now();
        let waiting =
            tokio::spawn(async move { reader.read(json!({ "id": name, "wait": 60 })).await });
        open(&go).await;
        let read = waiting.await.expect("no panic");
        assert!(read.contains(report) && began.elapsed() < Duration::from_secs(50), "{read}");
    }
}

#[tokio::test]
async fn a_cancelled_reading_ends_nothing_and_takes_nothing() {
    let place = Fixture::new();
    let (shell, go) = (shell(&place), gate(&place));
    let id = shell.start("read -r _ <go; echo here").await;
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let call = asked(&shell.output, &json!({ "id": id, "wait": 60 }));
    let outcome = shell.output.call(&call, &shell.context(cancellation)).await;
    assert_eq!(outcome, ToolOutcome::Interrupted);
    open(&go).await;
    let (printed, note) = shell.until(&id, "ended after").await;
    assert!(printed == "here" && note.ends_with("exit code 0]"), "{printed}{note}");
}

#[tokio::test]
async fn ended_by_request_it_is_asked_first() {
    let place = Fixture::new();
    let shell = Shell::new(place.bash().with_grace(Duration::from_secs(60)));
    let id =
        shell.start("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 1000 & wait; done");
    let id = id.await;
    shell.until(&id, "up").await;
    let report = shell.end(&id).await;
    assert!(report.starts_with("bye\n") && report.ends_with(" s, as asked]"), "{report}");
    // What has ended is not ended again.
    assert!(shell.end(&id).await.contains("nothing new; ended after"));
}

#[tokio::test(flavor = "multi_thread")]
async fn s6_6_ended_by_request_it_ends_with_its_descendants() {
    let place = Fixture::new();
    let watch = Watch::new(&place.path("alive"));
    let shell = Shell::new(place.bash().with_grace(Duration::from_millis(100)));
    let id = shell.start(&format!("{FAMILY} trap '' TERM; while :; do sleep 1000; done")).await;
    let watch = standing(watch).await;
    let report = shell.end(&id).await;
    assert!(report.ends_with("killed since it did not end when asked to]"), "{report}");
    blocking(move || watch.all_gone()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn its_children_die_with_it() {
    let place = Fixture::new();
    let (watch, go) = (Watch::new(&place.path("alive")), gate(&place));
    let shell = shell(&place);
    let id = shell.start(&format!("{FAMILY} exec 9>&-; read -r _ <go")).await;
    let watch = standing(watch).await;
    open(&go).await;
    shell.until(&id, "exit code 0").await;
    blocking(move || watch.all_gone()).await;
}

#[tokio::test]
async fn it_ends_at_its_limit() {
    let place = Fixture::new();
    let shell = shell(&place);
    let slow = json!({ "command": "sleep 1000", "background": true, "timeout": 1 });
    let id = shell.start_with(slow).await;
    shell.until(&id, "timed out after 1 s, asked to end and did]").await;
}

#[tokio::test]
async fn only_so_many_run_at_once() {
    let place = Fixture::new();
    let shell = shell(&place);
    let mut ids = Vec::new();
    for _ in 0..8 {
        ids.push(shell.start("sleep 1000").await);
    }
    let more = json!({ "command": "touch ran", "background": true });
    let refused = shell.call(&shell.bash, &more).await;
    let report = refused.to_text();
    assert!(
        !refused.is_ok() && report.contains("8 commands run in the background already"),
        "{report}"
    );
    assert!(report.contains(&format!("{}: sleep 1000; {}: sleep", ids[0], ids[1])), "{report}");
    assert_eq!(place.names().len(), 0, "it was not started");
    // Another session has room of its own.
    let other = Shell::of(place.bash(), shell.background.clone(), "two");
    other.start("sleep 1000").await;
    shell.end(&ids[3]).await;
    shell.start("sleep 1000").await;
}

#[tokio::test]
async fn a_session_reads_and_ends_its_own_only() {
    let place = Fixture::new();
    let shell = shell(&place);
    let id = shell.start("sleep 1000").await;
    let other = Shell::of(place.bash(), shell.background.clone(), "two");
    let refused = other.call(&other.output, &json!({ "id": id, "end": true })).await;
    assert!(!refused.is_ok(), "{refused:?}");
    assert!(other.background.end(&other.session).await.is_empty());
    let still = shell.read(json!({ "id": id, "wait": 0 })).await;
    assert!(still.contains("running for"), "{still}");
    let ended = shell.background.end(&shell.session).await;
    assert!(ended.iter().map(|ended| &*ended.id).eq([&*id]), "{ended:?}");
}

#[tokio::test]
async fn an_unknown_id_says_what_there_is_and_where_others_went() {
    let place = Fixture::new();
    let shell = shell(&place);
    let report = refused!(shell.output, { "id": "bg9" });
    assert!(report.contains("no command bg9") && report.contains("none was started"), "{report}");
    assert!(report.contains("is gone; start it again"), "{report}");
    let id = shell.start("sleep 1000").await;
    let outcome = shell.call(&shell.output, &json!({ "id": "x\n".repeat(100_000) })).await;
    let report = outcome.to_text();
    assert!(!outcome.is_ok() && report.contains(&format!("there is {id}: sleep 1000")), "{report}");
    assert!(report.len() < 1_000, "{} bytes", report.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn s6_6_the_end_of_a_run_ends_all_and_names_them() {
    let place = Fixture::new();
    let watch = Watch::new(&place.path("alive"));
    let shell = Shell::new(place.bash().with_grace(Duration::from_millis(100)));
    let over = shell.start("true").await;
    shell.until(&over, "ended after").await;
    let id = shell.start(&format!("{FAMILY} wait")).await;
    let watch = standing(watch).await;
    let server = shell.start("true\n  exec sleep 1000").await;
    let ended = shell.background.end_all().await;
    let report: Vec<_> = ended.iter().map(ToString::to_string).collect();
    assert_eq!(report.len(), 2, "{report:?}");
    assert!(report[0].starts_with(&format!("ended {id}: exec 9>alive setsid")), "{report:?}");
    assert_eq!(report[1], format!("ended {server}: true exec sleep 1000"));
    blocking(move || watch.all_gone()).await;
    assert!(shell.background.end_all().await.is_empty());
}

/// A runtime that runs nothing any more must not keep commands alive.
#[test]
fn the_last_one_that_is_dropped_kills_also_where_nothing_runs() {
    let place = Fixture::new();
    let watch = Watch::new(&place.path("alive"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let shell = shell(&place);
    runtime.block_on(shell.start(&format!("{FAMILY} wait")));
    assert_eq!(watch.lines(2), ["session", "stubborn"]);
    drop(shell);
    watch.all_gone();
}

#[test]
fn the_end_of_the_runtime_kills_and_is_reported() {
    let place = Fixture::new();
    let watch = Watch::new(&place.path("alive"));
    let runtime =
        || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let shell = shell(&place);
    let first = runtime();
    let id = first.block_on(shell.start(&format!("{FAMILY} wait")));
    // What is killed before it opens the pipe is not seen to go.
    assert_eq!(watch.lines(2), ["session", "stubborn"]);
    drop(first);
    watch.all_gone();
    let report = runtime().block_on(shell.read(json!({ "id": id })));
    assert!(report.ends_with("gone, killed with what watched it]"), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_unread_gigabytes_are_counted_not_kept() {
    let place = Fixture::new();
    let watch = Watch::new(&place.path("alive"));
    let shell = shell(&place);
    let before = resident();
    let id = shell.start("exec 9>alive; echo up >&9; exec head -c 10G /dev/zero").await;
    let over = blocking(move || {
        assert_eq!(watch.lines(1), ["up"]);
        watch.all_gone();
    });
    over.await;
    // All is printed; this waits until all is taken, and reads once.
    let report = shell.end(&id).await;
    assert!(report.len() < 100_000, "{} bytes are shown", report.len());
    assert!(report.contains("of 10737418240 bytes left out"));
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 20, "{grown} bytes more in use");
}

/// Bytes of memory that this process uses.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("read");
    let pages: usize = pages.split(' ').nth(1).expect("a field").parse().expect("a number");
    pages * rustix::param::page_size()
}

#[tokio::test]
async fn what_it_changes_is_said_not_to_be_watched() {
    let place = Fixture::new();
    let shell = shell(&place);
    let call = asked(&shell.bash, &json!({ "command": "echo >made", "background": true }));
    let context = shell.context(Cancellation::new());
    assert!(shell.bash.call(&call, &context).await.is_ok());
    let metadata = context.take_metadata();
    assert_eq!(metadata.get(UNWATCHED), Some(&json!("it runs in the background")));
}

#[tokio::test]
async fn the_background_is_offered_only_where_it_can_be_read() {
    let place = Fixture::new();
    let spec = place.bash().spec();
    assert!(spec.parameters["properties"].get("background").is_none());
    assert!(!spec.description.contains("bash_output"));
    let report = refused!(place.bash(), { "command": "true", "background": true });
    assert!(report.contains("run it without background"), "{report}");

    let shell = shell(&place);
    for grace in [1, 2] {
        // Whatever else is said of it later.
        let spec = shell.bash.clone().with_grace(Duration::from_secs(grace)).spec();
        assert_eq!(spec.parameters["properties"]["timeout"]["maximum"], 3600);
        assert!(spec.description.contains("bash_output"));
    }
    assert_eq!(shell.output.spec().effect, EffectClass::Idempotent);
    assert_eq!(ok!(shell.bash, { "command": "echo hi", "background": false }), "hi\n");
    let report = refused!(shell.bash, { "command": "true", "timeout": 601 });
    assert!(report.contains("timeout is 601") && report.contains("background: true"), "{report}");
    let report = refused!(shell.bash, { "command": " ", "background": true });
    assert!(report.contains("the command is empty"), "{report}");
    for arguments in [json!({}), json!({ "id": 1 }), json!({ "id": "bg1", "more": 1 })] {
        let outcome = shell.call(&shell.output, &arguments).await;
        let refused = matches!(outcome, ToolOutcome::Failed(FailureKind::InvalidArguments, _));
        assert!(refused, "{arguments}: {outcome:?}");
    }
}

/// Waits until all processes of a tree run.
async fn standing(watch: Watch) -> Watch {
    blocking(move || {
        assert_eq!(watch.lines(2), ["session", "stubborn"]);
        watch
    })
    .await
}
