//! An undo that is killed anywhere, also inside a change of a file, goes on in another process.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use legwork_agent::StoredSession;
use legwork_agent::undo::{UndoFrom, UndoPlan};
use legwork_port::core::undo::PastCall;
use legwork_port::{BoxFuture, CannotUndo, Deps, Reach, Undo};
use legwork_store::sqlite::Store;
use legwork_testkit::Turn;
use legwork_tools::{FileUndo, Workspace};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use serde_json::json;

use crate::fixture::Fixture;
use crate::undo::{agent_in, place, thirty, tree};

/// For a process that undoes: its directory, and where it dies by itself.
const DIR: &str = "LEGWORK_TOOLS_TEST_UNDO";
const CALL: &str = "LEGWORK_TOOLS_TEST_UNDO_CALL";
const SYSCALL: &str = "LEGWORK_TOOLS_TEST_UNDO_SYSCALL";

type Tree = BTreeMap<String, (u32, Vec<u8>)>;

/// A tree in which a session worked, and the store with that.
struct Worked {
    home: Fixture,
    before: Tree,
}

impl Worked {
    fn new() -> Self {
        tokio::runtime::Runtime::new().expect("a runtime").block_on(Self::by(thirty()))
    }

    async fn by(turns: Vec<Turn>) -> Self {
        let (place, home) = (place(), Fixture::new());
        symlink("run.sh", place.path("link")).expect("made");
        let before = tree(&place.path("."));
        copy(&place.path("."), &home.path("tree"));
        fs::create_dir(home.path("store")).expect("made");
        let agent = agent_in(&home.path("tree"), store(&home.path(".")), turns);
        agent.run("go").in_session("s").await.expect("it works");
        Self { home, before }
    }

    fn copied(&self) -> Fixture {
        let copied = Fixture::new();
        copy(&self.home.path("."), &copied.path("."));
        copied
    }

    /// Goes on with an undo; the tree is what it was, without a draft.
    fn check(&self, home: &Path, killed: &str) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let plan = plan(home, |files| Arc::new(files)).await;
            assert_eq!(plan.refused().count(), 0, "{killed}: {plan:?}");
            let undone = plan.run().await.expect("it works");
            assert!(undone.stopped.is_none(), "{killed}: {undone:?}");
        });
        assert_eq!(tree(&home.join("tree")), self.before, "{killed}");
    }
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-aT").args([from, to]).status().expect("cp runs");
    assert!(done.success());
}

fn store(home: &Path) -> Arc<Store> {
    Arc::new(Store::open(home.join("store/s.db")).expect("opened"))
}

async fn plan(home: &Path, undo: impl FnOnce(FileUndo) -> Arc<dyn Undo>) -> UndoPlan {
    let files = FileUndo::new(Workspace::open(home.join("tree")).expect("opened"));
    let (session, undo) = (StoredSession::new(store(home), "s"), undo(files));
    session.undo_by(UndoFrom::Start, |_| Some(Arc::clone(&undo))).await.expect("it works")
}

/// The undo of files in a process that dies in the n-th call, at a system call.
struct Deadly {
    files: FileUndo,
    left: AtomicUsize,
    syscalls: Vec<i64>,
}

impl Undo for Deadly {
    fn check<'a>(
        &'a self,
        call: &'a PastCall,
        later: &'a [PastCall],
        deps: &'a Deps,
    ) -> BoxFuture<'a, Result<Reach, CannotUndo>> {
        self.files.check(call, later, deps)
    }

    fn undo<'a>(
        &'a self,
        call: &'a PastCall,
        deps: &'a Deps,
    ) -> BoxFuture<'a, Result<String, CannotUndo>> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            die_at(&self.syscalls);
        }
        self.files.undo(call, deps)
    }
}

/// Kills this process, as SIGKILL does, when it makes one of these system calls.
fn die_at(syscalls: &[i64]) {
    let rules = syscalls.iter().map(|call| (*call, Vec::new())).collect();
    let arch = std::env::consts::ARCH.try_into().expect("known");
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::KillProcess, arch);
    let program: BpfProgram = filter.and_then(TryInto::try_into).expect("a filter");
    seccompiler::apply_filter_all_threads(&program).expect("applied");
}

/// The system calls of a name, on this machine.
fn syscalls(name: &str) -> Vec<i64> {
    match name {
        "sync" => vec![libc::SYS_fsync],
        "mode" => vec![libc::SYS_fchmod],
        "link" => vec![libc::SYS_linkat],
        #[cfg(target_arch = "x86_64")]
        "rename" => vec![libc::SYS_renameat, libc::SYS_renameat2, libc::SYS_rename],
        #[cfg(target_arch = "x86_64")]
        "unlink" => vec![libc::SYS_unlinkat, libc::SYS_unlink],
        #[cfg(target_arch = "x86_64")]
        "rmdir" => vec![libc::SYS_unlinkat, libc::SYS_rmdir],
        #[cfg(not(target_arch = "x86_64"))]
        "rename" => vec![libc::SYS_renameat, libc::SYS_renameat2],
        #[cfg(not(target_arch = "x86_64"))]
        "unlink" | "rmdir" => vec![libc::SYS_unlinkat],
        _ => Vec::new(),
    }
}

/// The process that is killed; in a run of the tests it does nothing.
#[tokio::test]
async fn a_process_that_undoes() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let number = std::env::var(CALL).ok().and_then(|number| number.parse().ok());
    let syscalls = syscalls(&std::env::var(SYSCALL).unwrap_or_default());
    let left = AtomicUsize::new(number.unwrap_or(0));
    let plan = plan(Path::new(&dir), |files| Arc::new(Deadly { files, left, syscalls })).await;
    println!("child: planned");
    plan.run().await.expect("it works");
}

fn child(home: &Path) -> Command {
    let mut child = Command::new(std::env::current_exe().expect("a name"));
    child.args(["--exact", "undo_killed::a_process_that_undoes", "--nocapture"]);
    child.env(DIR, home).stdout(Stdio::piped());
    child
}

/// A process that dies at a system call of the n-th call that it undoes, or a later one; whether it
/// died.
fn dies(home: &Path, call: usize, syscall: &str) -> bool {
    let ended = child(home).env(CALL, call.to_string()).env(SYSCALL, syscall).output();
    let ended = ended.expect("started");
    let died = ended.status.signal() == Some(libc::SIGSYS);
    if !died {
        println!("{}", String::from_utf8_lossy(&ended.stdout));
    }
    died
}

/// Changes of names below a directory.
fn watch(dir: &Path) -> OwnedFd {
    let watch = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).expect("a watch");
    let changes = WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MOVED_TO;
    let below = tree(dir).into_keys().map(|name| dir.join(name)).filter(|path| path.is_dir());
    for dir in below.chain([dir.to_owned()]) {
        inotify::add_watch(&watch, dir, changes).expect("watched");
    }
    watch
}

/// Waits for so many changes in the tree, or for the end of the process, and kills it; whether it
/// had not ended.
fn kill_after(changes: usize, child: &mut Child, watch: &OwnedFd) -> bool {
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    while !line.contains("child: planned") {
        line.clear();
        assert!(output.read_line(&mut line).expect("read") > 0, "it ended before");
    }
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut events = inotify::Reader::new(watch, &mut buffer);
    let mut seen = 0;
    while seen < changes {
        let ends = PollFd::new(output.get_ref(), PollFlags::empty());
        let mut either = [PollFd::from_borrowed_fd(watch.as_fd(), PollFlags::IN), ends];
        if events.is_buffer_empty() {
            poll(&mut either, None).expect("waited");
        }
        match events.next() {
            Ok(_) => seen += 1,
            Err(_) if !either[1].revents().is_empty() => break,
            Err(_) => {}
        }
    }
    child.kill().expect("killed");
    child.wait().expect("reaped").signal() == Some(libc::SIGKILL)
}

/// Does something for each number, on two threads.
fn each(numbers: impl Iterator<Item = usize> + Clone + Send, work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        let work = &work;
        for start in [0, 1] {
            let numbers = numbers.clone().skip(start).step_by(2);
            scope.spawn(move || numbers.for_each(work));
        }
    });
}

#[test]
fn s6_7_an_undo_that_is_killed_after_any_change_gives_the_tree_back_when_it_is_repeated() {
    let worked = Worked::new();
    let kills = AtomicUsize::new(0);
    each(0..=40, |n| {
        let home = worked.copied();
        let watch = watch(&home.path("tree"));
        let mut child = child(&home.path(".")).spawn().expect("started");
        let died = kill_after(n * 5, &mut child, &watch);
        kills.fetch_add(usize::from(died), Ordering::Relaxed);
        worked.check(&home.path("."), &format!("killed after {} changes", n * 5));
    });
    let kills = kills.into_inner();
    assert!(kills > 10, "{kills} were killed");
}

#[test]
fn s6_7_an_undo_that_is_killed_inside_a_change_gives_the_tree_back_when_it_is_repeated() {
    let worked = Worked::new();
    for syscall in ["sync", "mode", "link", "rename", "unlink", "rmdir"] {
        each([1, 2, 30, 70].into_iter(), |call| {
            let home = worked.copied();
            assert!(dies(&home.path("."), call, syscall), "{syscall} {call}");
            worked.check(&home.path("."), &format!("killed at {syscall} in call {call}"));
        });
    }
}

#[test]
fn s6_7_a_draft_that_a_killed_undo_left_goes_though_its_folder_was_swept_before() {
    // This process wrote into the folders, so it has swept them.
    let worked = Worked::new();
    let home = worked.home.path(".");
    assert!(dies(&home, 1, "rename"));
    let drafts = tree(&home.join("tree"));
    assert!(drafts.keys().any(|name| name.contains(".legwork-")), "{:?}", drafts.keys());
    worked.check(&home, "killed before a file is renamed");
}

#[test]
fn s6_7_a_link_is_put_back_by_an_undo_that_was_killed_and_leaves_no_draft() {
    let command = ("bash", json!({"command": "ln -sfn elsewhere link"}));
    let turns = vec![Turn::calls([command]), Turn::text("done")];
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let worked = runtime.block_on(Worked::by(turns));
    let home = worked.home.path(".");
    assert!(dies(&home, 1, "rename"));
    let left = tree(&home.join("tree"));
    assert!(left.keys().any(|name| name.contains(".legwork-")), "{:?}", left.keys());
    worked.check(&home, "killed before a link is renamed");
}

#[test]
fn s6_7_folders_go_of_which_a_killed_undo_had_removed_only_the_deepest() {
    let worked = Worked::new();
    let home = worked.home.path(".");
    // The call that made `deep/er/est.txt` is one of the last three that are undone; it ran beside
    // another one.
    assert!(dies(&home, 81, "rmdir"));
    assert!(!home.join("tree/deep/er/est.txt").exists());
    fs::remove_dir(home.join("tree/deep/er")).expect("it is there, and empty");
    worked.check(&home, "killed before the second folder is removed");
}
