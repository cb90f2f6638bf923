//! A process that is killed, or whose disk fails, at each system call of its work.
//!
//! The work is a list of steps on two sessions. A child does them under `strace`, which kills it
//! at a call, or has the call fail. Then the store holds what the steps left that were reported
//! as done, or one step more; and the rest of the steps can be done.
//!
//! A run of the tests takes a sample of the calls. With `LEGWORK_STORE_SWEEP=full` it takes each.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use legwork_core::event::ExecutionStarted;
use legwork_core::inbox::{Cursor, Item, Label};
use legwork_core::{AgentState, Entry, Event, Message, Seq, Stamp, Timestamp};
use legwork_port::store::{Batch, DueQuery, Error, Query, Range};
use legwork_port::{Claim, Store};

use crate::sample::session;

/// A step of the work.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Appends so many entries; with a label, the first of them changes what lists say.
    Append(&'static str, u64, Option<&'static str>),
    Post(&'static str, &'static str),
    Remove(&'static str),
}

use Step::{Append, Post, Remove};

const WORK: [Step; 14] = [
    Post("a", "first"),
    Append("a", 2, Some("begun")),
    Append("a", 1, None),
    Post("b", "early"),
    Append("a", 3, None),
    Append("b", 3, Some("other")),
    Post("a", "second"),
    Append("a", 1, Some("ended")),
    Remove("b"),
    Post("b", "late"),
    Append("b", 2, Some("again")),
    Append("a", 2, None),
    Remove("a"),
    Append("a", 3, Some("new")),
];

/// What the store should hold of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Held {
    entries: u64,
    keys: Vec<String>,
    label: String,
}

type State = BTreeMap<String, Held>;

/// What the store should hold after so many steps.
fn after(steps: usize) -> State {
    let mut state = State::new();
    for step in &WORK[..steps] {
        match *step {
            Append(name, count, label) => {
                let held = state.entry(name.to_owned()).or_default();
                held.entries += count;
                if let Some(label) = label {
                    held.label = label.to_owned();
                }
            }
            Post(name, key) => state.entry(name.to_owned()).or_default().keys.push(key.to_owned()),
            Remove(name) => drop(state.remove(name)),
        }
    }
    state
}

/// The state of a session after so many steps, and all its entries.
fn state(name: &str, steps: usize) -> (AgentState, Vec<Arc<Entry>>) {
    let new = || AgentState::new(session(name)).at(Stamp { wall: Timestamp(7), ..<_>::default() });
    let (mut state, mut entries) = (new(), Vec::new());
    for step in &WORK[..steps] {
        match *step {
            Append(of, count, label) if of == name => {
                state = appended(state.committed(), count, label);
                entries.extend(state.uncommitted().to_shared().iter().cloned());
            }
            Remove(of) if of == name => (state, entries) = (new(), Vec::new()),
            _ => {}
        }
    }
    (state, entries)
}

/// Adds so many entries to a state. The first one of all begins an execution, which makes the
/// session due; the last one sets the label.
fn appended(mut state: AgentState, count: u64, label: Option<&str>) -> AgentState {
    let note = || Arc::new(Message::user("a note"));
    for number in 1..=count {
        state = state.clone().with(match label {
            _ if state.version() == Seq::ZERO => {
                Event::ExecutionStarted(ExecutionStarted { input: vec![note()] })
            }
            Some(label) if number == count => {
                Event::Labelled(Label { entry: Seq(1), text: Some(label.to_owned()) })
            }
            _ => Event::MessageAdded(note()),
        });
    }
    state
}

/// Opens a store as the child does: it works on its own thread.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Store>, Error> {
    #[cfg(feature = "sqlite")]
    if path.extension().is_some_and(|extension| extension == "db") {
        use legwork_store::sqlite::{Commits, Options};
        return Ok(Box::new(Options::new().commits(Commits::Inline).open(path)?));
    }
    #[cfg(feature = "jsonl")]
    {
        use legwork_store::jsonl::{Commits, Options};
        Ok(Box::new(Options::new().commits(Commits::Inline).open(path)?))
    }
    #[cfg(not(feature = "jsonl"))]
    panic!("{} needs a store that is not built", path.display());
}

/// Does steps one after another; a claim is kept as long as its session is appended to.
struct Worker<'s> {
    store: &'s dyn Store,
    claim: Option<(&'static str, Box<dyn Claim>)>,
}

impl Worker<'_> {
    async fn work(&mut self, number: usize) -> Result<(), Error> {
        let step = WORK[number];
        let (Append(name, ..) | Post(name, _) | Remove(name)) = step;
        let goes_on = |claimed: &str| claimed == name && !matches!(step, Remove(_));
        if let Some((_, claim)) = self.claim.take_if(|(claimed, _)| !goes_on(claimed)) {
            claim.release().await?;
        }
        match step {
            Append(name, _, label) => {
                let before = state(name, number).0.version();
                let state = state(name, number + 1).0;
                if self.claim.is_none() {
                    self.claim = Some((name, self.store.claim(&session(name)).await?));
                }
                let (_, claim) = self.claim.as_ref().unwrap();
                let entries = state.uncommitted().to_shared();
                let mut batch = Batch::of(&entries);
                if label.is_some() {
                    batch = batch.with_summary(state.summary());
                }
                claim.append(before, batch).await.map(drop)
            }
            Post(name, key) => {
                let item = Item::Stop("enough".into());
                self.store.post(&session(name), key, &item).await.map(drop)
            }
            Remove(name) => self.store.remove(&[session(name)]).await.map(drop),
        }
    }
}

/// Says something to the parent, as far as the disk allows.
fn says(text: impl std::fmt::Display) {
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "child: {text}").and_then(|()| stdout.flush());
}

/// Threads that make system calls: the fault hits the call of its number in each of them.
const THREADS: u32 = 8;

/// In the child: does all steps; what fails is tried again, as the next thread may meet the fault.
pub(crate) async fn play(path: &Path) {
    let store = match open(path) {
        Ok(store) => store,
        Err(error) => {
            says(format!("failed to open: {error:?}"));
            open(path).unwrap()
        }
    };
    let mut worker = Worker { store: &*store, claim: None };
    for number in 0..WORK.len() {
        let mut left = THREADS;
        while let Err(error) = worker.work(number).await {
            says(format!("failed {number}: {error:?}"));
            left -= 1;
            assert!(left > 0, "{error:?}");
        }
        says(format!("done {}", number + 1));
    }
    drop(worker);
    says("finished");
}

/// A call at which something happens, and what.
#[derive(Debug, Clone, Copy)]
struct Fault {
    call: &'static str,
    number: usize,
    what: &'static str,
}

/// What the child said.
#[derive(Debug)]
struct Said {
    /// Whether there was such a call.
    hit: bool,
    done: usize,
    finished: bool,
    failed: Vec<String>,
    everything: String,
}

fn run(path: &Path, fault: Fault) -> Said {
    let Fault { call, number, what } = fault;
    let mut strace = Command::new("strace");
    let log = tempfile::NamedTempFile::new().unwrap();
    strace.args(["-f", "-qq", "-e", &format!("trace={call}")]).arg("-o").arg(log.path());
    strace.args(["-e", &format!("inject={call}:{what}:when={number}")]);
    strace.arg(std::env::current_exe().unwrap());
    strace.args(["child::plays_its_role", "--exact", "--nocapture"]);
    strace.env(crate::child::ROLE, "sweep").env(crate::child::DB, path);
    let output = strace.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<_> = text.lines().filter_map(|line| line.split_once("child: ")).collect();
    let said = |prefix: &str| {
        let found = lines.iter().filter_map(|(_, said)| said.strip_prefix(prefix));
        found.map(str::to_owned).collect::<Vec<_>>()
    };
    let done = said("done ").last().map_or(0, |number| number.parse().unwrap());
    let is_finished = !said("finished").is_empty();
    let everything = format!("{text}{}", String::from_utf8_lossy(&output.stderr));
    Said {
        hit: !is_finished || std::fs::read_to_string(log.path()).unwrap().contains("INJECTED"),
        done,
        finished: is_finished,
        failed: said("failed "),
        everything,
    }
}

/// What the store holds, read in every way that there is.
async fn held(store: &dyn Store) -> State {
    let mut state = State::new();
    let listed = store.sessions(&Query::all()).await.unwrap().sessions;
    for name in ["a", "b"] {
        let loaded = store.read(&session(name), Range::ALL).await.unwrap();
        assert_eq!((&loaded.damage, &loaded.unreadable), (&None, &None));
        let count = loaded.journal.version().0;
        let items = store.inbox(&session(name), Cursor(0)).await.unwrap();
        let cursors: Vec<_> = items.iter().map(|item| item.cursor.0).collect();
        assert_eq!(cursors, (1..=items.len() as u64).collect::<Vec<_>>());
        assert_eq!(loaded.inbox.0, items.len() as u64);
        let keys: Vec<_> = items.into_iter().map(|item| item.key).collect();
        let info = listed.iter().find(|info| info.session.as_str() == name);
        let label = info.and_then(|info| info.summary.labels.first().cloned()).unwrap_or_default();
        if count > 0 || !keys.is_empty() {
            state.insert(name.to_owned(), Held { entries: count, keys, label });
        }
    }
    state
}

/// Without labels, which may follow the journal after a crash.
fn unlabelled(mut state: State) -> State {
    state.values_mut().for_each(|held| held.label.clear());
    state
}

/// Checks what the store holds after a fault, and does the rest of the work.
async fn check(path: &Path, fault: Fault, said: &Said) {
    let store = open(path).unwrap_or_else(|error| panic!("{fault:?}: {error}\n{said:?}"));
    let found = held(&*store).await;
    let done = match said.finished {
        true => WORK.len(),
        false => (said.done..=WORK.len().min(said.done + 1))
            .find(|steps| unlabelled(after(*steps)) == unlabelled(found.clone()))
            .unwrap_or_else(|| panic!("{fault:?}: it holds {found:?}\n{}", said.everything)),
    };
    let wanted = after(done);
    for (name, known) in &wanted {
        let label = &found[name].label;
        let earlier = (0..=done).filter_map(|steps| after(steps).get(name).cloned());
        let was = earlier.map(|held| held.label).any(|earlier| earlier == *label);
        assert!(*label == known.label || was, "{fault:?}: {name} is listed with {label:?}");
        let read = store.read(&session(name), Range::ALL).await.unwrap().journal;
        assert_eq!(read.entries(), state(name, done).1, "{fault:?}");
    }
    // A claim catches up with what lists say and with what is due.
    for name in wanted.keys() {
        store.claim(&session(name)).await.unwrap().release().await.unwrap();
    }
    assert_eq!(held(&*store).await, wanted, "{fault:?}\n{}", said.everything);
    due(&*store, &wanted, fault).await;
    let mut worker = Worker { store: &*store, claim: None };
    for number in done..WORK.len() {
        let worked = worker.work(number).await;
        worked.unwrap_or_else(|error| panic!("{fault:?}: step {number} failed: {error}"));
    }
    drop(worker);
    assert_eq!(held(&*store).await, after(WORK.len()), "{fault:?}\n{}", said.everything);
    due(&*store, &after(WORK.len()), fault).await;
}

/// A session that has work to do is found, whatever the process died at.
async fn due(store: &dyn Store, state: &State, fault: Fault) {
    let due = store.due(&DueQuery::at(Timestamp(u64::MAX))).await.unwrap().sessions;
    for (name, held) in state {
        let found = due.iter().any(|info| info.session.as_str() == name);
        assert_eq!(found, held.entries > 0, "{fault:?}: whether {name} is due: {held:?}");
    }
}

/// Sweeps a store through faults at these calls.
fn sweep(file: &str, calls: &[&'static str], faults: &[&'static str]) {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("skipped: there is no strace");
        return;
    }
    let is_full = std::env::var_os("LEGWORK_STORE_SWEEP").is_some_and(|wanted| wanted == "full");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let faults = if is_full { faults } else { &faults[..1] };
    let (mut runs, mut worked) = (0, 0);
    for what in faults {
        for call in calls {
            let mut number = if is_full { 1 } else { 2 };
            loop {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join(file);
                let fault = Fault { call, number, what };
                let said = run(&path, fault);
                runs += 1;
                for failure in &said.failed {
                    let is_typed = failure.contains("Failed {") || failure.contains("Unusable {");
                    assert!(is_typed, "{fault:?}: {failure}");
                }
                let goes_on = said.failed.is_empty() || said.finished;
                assert!(goes_on, "{fault:?}: what failed fails again:\n{}", said.everything);
                worked += usize::from(!said.finished || !said.failed.is_empty());
                runtime.block_on(check(&path, fault, &said));
                if !said.hit {
                    break;
                }
                number += if is_full { 1 } else { 1 + number / 4 };
            }
        }
    }
    assert!(worked > 0, "no fault of {runs} hit the work");
    println!("{runs} faults, {worked} of which the work noticed");
}

#[cfg(feature = "jsonl")]
mod jsonl {
    use super::*;

    /// Calls that change what is in files, and which files there are.
    const WRITES: [&str; 4] = ["write", "pwrite64", "ftruncate", "fdatasync"];
    const NAMES: [&str; 7] = ["fsync", "openat", "rename", "unlink", "mkdir", "unlinkat", "rmdir"];

    #[test]
    fn s8_4_a_process_killed_at_any_write_leaves_a_whole_store() {
        sweep("store", &WRITES, &["signal=KILL"]);
    }

    #[test]
    fn s8_4_a_process_killed_at_any_name_leaves_a_whole_store() {
        sweep("store", &NAMES, &["signal=KILL"]);
    }

    #[test]
    fn s12_1_a_disk_that_fails_at_any_write_is_an_error_and_nothing_is_lost() {
        sweep("store", &WRITES, &["error=EIO", "error=ENOSPC"]);
    }

    #[test]
    fn s12_1_a_disk_that_fails_at_any_name_is_an_error_and_nothing_is_lost() {
        sweep("store", &NAMES, &["error=EIO", "error=ENOSPC"]);
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use super::*;

    /// Calls that change what is in files.
    const WRITES: [&str; 4] = ["write", "pwrite64", "ftruncate", "fdatasync"];

    #[test]
    fn s8_4_a_process_killed_at_any_write_leaves_a_whole_store() {
        sweep("store.db", &WRITES, &["signal=KILL"]);
    }

    #[test]
    fn s12_1_a_disk_that_fails_at_any_write_is_an_error_and_nothing_is_lost() {
        sweep("store.db", &WRITES, &["error=EIO", "error=ENOSPC"]);
    }
}
