//! Taking back what `write`, `edit` and `bash` did: the tree is what it was, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::undo::UndoFrom;
use legwork_agent::{Agent, Error, Session};
use legwork_port::core::{Budget, OnDoubt};
use legwork_port::{Store, Tool};
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{ScriptedModel, Turn};
use legwork_tools::{Bash, Edit, Environment, Sandbox, Workspace, Write};
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// All that there is below a directory: modes, and the content of files and links.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let (mut all, mut left) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(&dir).expect("it works") {
            let path = entry.expect("it works").path();
            let metadata = path.symlink_metadata().expect("it works");
            let content = match metadata.file_type() {
                kind if kind.is_symlink() => fs::read_link(&path)
                    .expect("it works")
                    .to_string_lossy()
                    .into_owned()
                    .into_bytes(),
                kind if kind.is_dir() => {
                    left.push(path.clone());
                    Vec::new()
                }
                _ => fs::read(&path).expect("it works"),
            };
            let name = path.strip_prefix(root).expect("it works").to_string_lossy().into_owned();
            all.insert(name, (metadata.mode(), content));
        }
    }
    all
}

/// A workspace with files, a directory that is empty, and modes of their own.
pub(crate) fn place() -> Fixture {
    let place = Fixture::new();
    fs::create_dir(place.path("empty")).expect("it works");
    fs::create_dir(place.path("src")).expect("it works");
    place.write("src/a.txt", "one\ntwo\nthree\n");
    place.write("run.sh", "#!/bin/sh\necho hi\n");
    place.write("crlf.txt", "a\r\nb\r\nlast without an end");
    place.write("binary", "\0\u{1}binary");
    fs::set_permissions(place.path("run.sh"), fs::Permissions::from_mode(0o755)).expect("it works");
    place
}

fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    ("edit", json!({"path": path, "edits": [{"old": old, "new": new}]}))
}

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write", json!({"path": path, "content": content, "overwrite": true}))
}

/// Thirty steps of writes and edits, of files that were there and of new ones.
pub(crate) fn thirty() -> Vec<Turn> {
    let mut turns = vec![
        Turn::calls([write("empty/new.txt", "in a directory that was there\n")]),
        Turn::calls([write("deep/er/est.txt", "made\n"), edit("src/a.txt", "two", "zwei")]),
        Turn::calls([edit("crlf.txt", "b\r\n", "B\r\n"), write("run.sh", "#!/bin/sh\n")]),
        Turn::calls([write("binary", "text now")]),
        Turn::calls([write("run.sh", ""), write("src/b/c.txt", "äöü\n")]),
    ];
    for n in turns.len()..30 {
        let before = if n == 5 { "three".to_owned() } else { format!("line {}", n - 1) };
        turns.push(Turn::calls([
            edit("src/a.txt", &before, &format!("line {n}")),
            write(&format!("many/{}/{n}.txt", n % 4), &"x\n".repeat(n)),
            write("again.txt", &format!("version {n}")),
        ]));
    }
    turns.push(Turn::text("done"));
    turns
}

fn agent(place: &Fixture, store: Arc<dyn Store>, turns: Vec<Turn>) -> Agent {
    agent_in(&place.path("."), store, turns)
}

pub(crate) fn agent_in(dir: &Path, store: Arc<dyn Store>, turns: Vec<Turn>) -> Agent {
    let workspace = Workspace::open(dir).expect("it works");
    let environment = Environment::filtered([("PATH", "/usr/bin:/bin")]);
    let tools: [Arc<dyn Tool>; 3] = [
        Arc::new(Write::new(workspace.clone())),
        Arc::new(Edit::new(workspace.clone())),
        Arc::new(Bash::new(workspace, environment, Sandbox::Off)),
    ];
    Agent::builder(ScriptedModel::new(turns))
        .tools(tools)
        .budget(Budget::unlimited())
        .store_in(store)
        .build()
        .expect("it works")
}

/// Works until an append hangs as if the process was killed there, and goes on in another one;
/// none where there are fewer appends.
async fn worked_after_a_crash(
    place: &Fixture,
    turns: impl Fn() -> Vec<Turn>,
    (fault, nth): (Fault, usize),
) -> Option<Session> {
    let store = MemoryStore::new();
    let faulty = FaultyStore::over(Arc::new(store.clone()));
    let faulty = Arc::new(faulty.fault(Operation::Append, nth, fault));
    let hung = faulty.hung().clone();
    let first = agent(place, faulty, turns());
    tokio::select! {
        done = first.run("go").in_session("s").outcome() => {
            done.expect("it works");
            return None;
        }
        () = hung.cancelled() => {}
    }
    drop(first);
    let second = agent(place, Arc::new(store), turns());
    match second.resume("s").on_doubt(OnDoubt::Tell).outcome().await {
        Err(Error::UnknownSession(_)) => {
            second.run("go").in_session("s").outcome().await.expect("it works");
        }
        Err(Error::Refused(_)) => {}
        other => drop(other.expect("it works")),
    }
    Some(second.session("s"))
}

async fn worked(place: &Fixture, turns: Vec<Turn>) -> (MemoryStore, Session) {
    let store = MemoryStore::new();
    let agent = agent(place, Arc::new(store.clone()), turns);
    agent.run("go").in_session("s").await.expect("it works");
    (store, agent.session("s"))
}

#[tokio::test]
async fn s6_7_thirty_steps_are_taken_back_byte_for_byte() {
    let place = place();
    let before = tree(&place.path("."));
    let (_store, session) = worked(&place, thirty()).await;
    let worked = tree(&place.path("."));
    assert!(worked.len() > before.len() + 25, "{}", worked.len());
    let plan = session.undo(UndoFrom::Start).await.expect("it works");
    assert_eq!((plan.refused().count(), plan.left().count()), (0, 0), "{plan:?}");
    assert_eq!(tree(&place.path(".")), worked, "a plan changes nothing");
    let undone = plan.run().await.expect("it works");
    assert!(undone.stopped.is_none());
    assert_eq!(undone.calls.len(), 83);
    assert_eq!(tree(&place.path(".")), before);
}

#[tokio::test]
async fn s6_7_an_undo_of_files_that_dies_anywhere_gives_the_tree_back_when_it_is_repeated() {
    // As every append is one for each of 83 calls, each seventh place is tried.
    for fault in [Fault::HangBefore, Fault::HangAfter] {
        for nth in (1..85).step_by(7) {
            let place = place();
            let before = tree(&place.path("."));
            let (store, _) = worked(&place, thirty()).await;
            let faulty = FaultyStore::over(Arc::new(store.clone()));
            let faulty = Arc::new(faulty.fault(Operation::Append, nth, fault));
            let session = agent(&place, faulty.clone(), Vec::new()).session("s");
            let plan = session.undo(UndoFrom::Start).await.expect("it works");
            let hung = faulty.hung().clone();
            tokio::select! {
                _ = plan.run() => panic!("it was not killed at {nth}"),
                () = hung.cancelled() => {}
            }
            let session = agent(&place, Arc::new(store), Vec::new()).session("s");
            let plan = session.undo(UndoFrom::Start).await.expect("it works");
            assert_eq!(plan.refused().count(), 0, "{fault:?} {nth}: {plan:?}");
            assert!(plan.run().await.expect("it works").stopped.is_none());
            assert_eq!(tree(&place.path(".")), before, "{fault:?} {nth}");
        }
    }
}

#[tokio::test]
async fn s6_7_a_part_of_the_steps_gives_the_tree_of_that_time_back() {
    let place = place();
    let first: Vec<_> = thirty().into_iter().take(4).chain([Turn::text("done")]).collect();
    worked(&place, first).await;
    let then = tree(&place.path("."));
    let rest = thirty().into_iter().skip(4).collect();
    let (_store, session) = worked(&place, rest).await;
    session.undo(UndoFrom::Step(1)).await.expect("it works").run().await.expect("it works");
    assert_eq!(tree(&place.path(".")), then);
}

#[tokio::test]
async fn s6_7_a_file_that_was_changed_since_is_refused_with_the_reason() {
    let place = place();
    let turns = vec![
        Turn::calls([edit("src/a.txt", "two", "zwei"), write("new.txt", "made\n")]),
        Turn::calls([edit("src/a.txt", "three", "drei")]),
        Turn::text("done"),
    ];
    let (_store, session) = worked(&place, turns).await;
    place.write("src/a.txt", "mine\n");
    let changed = tree(&place.path("."));
    let plan = session.undo(UndoFrom::Start).await.expect("it works");
    let refused: Vec<_> = plan.refused().map(|(_, why)| why.to_string()).collect();
    let why = "src/a.txt: it was changed since: it has another content";
    assert_eq!(refused, [why, why]);
    assert!(plan.run().await.expect("it works").calls.is_empty());
    assert_eq!(tree(&place.path(".")), changed);
    let plan = session.undo(UndoFrom::Start).await.expect("it works").without_refused();
    let undone = plan.run().await.expect("it works");
    let did: Vec<_> = undone.calls.iter().map(|undone| &*undone.did).collect();
    assert_eq!(did, ["removed new.txt"]);
    assert!(!place.path("new.txt").exists());
    assert_eq!(fs::read_to_string(place.path("src/a.txt")).expect("it works"), "mine\n");
}

#[tokio::test]
async fn s6_7_of_a_command_its_changes_of_files_are_taken_back_and_the_rest_is_named() {
    let place = place();
    let before = tree(&place.path("."));
    let command = "rm src/a.txt; echo made > made.txt; chmod 600 run.sh; printf 'x' >> binary";
    let turns = vec![
        Turn::calls([("bash", json!({"command": command}))]),
        Turn::calls([edit("made.txt", "made", "changed")]),
        Turn::text("done"),
    ];
    let (_store, session) = worked(&place, turns).await;
    let plan = session.undo(UndoFrom::Start).await.expect("it works");
    let left: Vec<_> = plan.left().map(|(call, stays)| (&*call.call.name, stays)).collect();
    assert_eq!(left, [("bash", Some("what else the command did"))]);
    assert_eq!(plan.refused().count(), 0, "{plan:?}");
    plan.run().await.expect("it works");
    assert_eq!(tree(&place.path(".")), before);
}

/// Crashes work everywhere, and undoes what was done of it and after it: the tree is what it was,
/// or the undo is refused. Gives the reasons.
async fn refused_after_crashes(turns: fn() -> Vec<Turn>) -> Vec<String> {
    let mut refused = Vec::new();
    for fault in [Fault::HangBefore, Fault::HangAfter] {
        for nth in 1.. {
            let place = place();
            let before = tree(&place.path("."));
            let Some(session) = worked_after_a_crash(&place, turns, (fault, nth)).await else {
                break;
            };
            let plan = session.undo(UndoFrom::Start).await.expect("it works");
            assert_eq!(plan.left().count(), 0, "{fault:?} {nth}: {plan:?}");
            let reasons: Vec<_> = plan.refused().map(|(_, why)| why.to_string()).collect();
            let worked = tree(&place.path("."));
            let undone = plan.run().await.expect("it works");
            assert_eq!(undone.stopped.is_some(), !reasons.is_empty(), "{fault:?} {nth}");
            let expected = if reasons.is_empty() { &before } else { &worked };
            assert_eq!(tree(&place.path(".")), *expected, "{fault:?} {nth}");
            refused.extend(reasons);
        }
    }
    refused
}

#[tokio::test]
async fn s6_7_a_write_that_a_crash_repeated_is_not_passed_over() {
    let why = "what it changed is not known: it began before, in a run that died";
    let one = || vec![Turn::calls([write("src/a.txt", "B\n")]), Turn::text("done")];
    let refused = refused_after_crashes(one).await;
    assert!(refused.iter().any(|reason| reason == why), "{refused:?}");
    assert!(refused.iter().all(|reason| reason == why), "{refused:?}");
    // The intent of the second one is not durable before it runs, and the first one records a
    // change when it is repeated: of what the second one left.
    let two = || {
        let calls = [write("src/a.txt", "B\n"), write("src/a.txt", "C\n")];
        vec![Turn::calls(calls), Turn::text("done")]
    };
    assert!(refused_after_crashes(two).await.iter().any(|reason| reason == why));
    // Without a crash, it is known that nothing was changed.
    let place = place();
    let before = tree(&place.path("."));
    let turns = vec![
        Turn::calls([write("src/a.txt", "one\ntwo\nthree\n"), write("run.sh", "x")]),
        Turn::text("done"),
    ];
    let (_store, session) = worked(&place, turns).await;
    let plan = session.undo(UndoFrom::Start).await.expect("it works");
    assert_eq!((plan.refused().count(), plan.left().count()), (0, 0), "{plan:?}");
    plan.run().await.expect("it works");
    assert_eq!(tree(&place.path(".")), before);
}

#[tokio::test]
async fn s6_7_a_call_that_was_cut_off_is_refused() {
    let why = "what it changed is not known: it was cut off";
    let turns = || vec![Turn::calls([edit("src/a.txt", "two", "zwei")]), Turn::text("done")];
    let refused = refused_after_crashes(turns).await;
    assert!(refused.iter().any(|reason| reason == why), "{refused:?}");
    assert!(refused.iter().all(|reason| reason == why), "{refused:?}");
}
