//! This test binary as a process of its own, which can be killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child as Process, ChildStdin, ChildStdout, Command, Stdio};

use legwork_core::inbox::Item;
use legwork_core::{Seq, Summary};
use legwork_port::Store;
use legwork_port::store::{Batch, Query, Range};

use crate::sample::{append, entries, session};

pub(crate) const ROLE: &str = "LEGWORK_STORE_TEST_ROLE";
pub(crate) const DB: &str = "LEGWORK_STORE_TEST_DB";

/// A child process that plays a role on a store.
pub(crate) struct Child {
    process: Process,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Child {
    pub(crate) fn start(role: &str, db: &Path) -> Self {
        Self::start_by(Command::new(std::env::current_exe().unwrap()), role, db)
    }

    /// Starts it by a command that takes the arguments for this binary.
    pub(crate) fn start_by(mut command: Command, role: &str, db: &Path) -> Self {
        command.args(["child::plays_its_role", "--exact", "--nocapture"]);
        command.env(ROLE, role).env(DB, db).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let stdin = process.stdin.take();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        Self { process, stdin, stdout }
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// The next thing that it says, or none if it has ended.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.stdout.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // The test runner says things too.
            if let Some((_, said)) = line.split_once("child: ") {
                return Some(said.trim_end().to_owned());
            }
        }
    }

    /// Lets it go on.
    pub(crate) fn go(&mut self) {
        self.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
    }

    /// Kills it with SIGKILL.
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Kills it with SIGKILL, and leaves it a zombie.
    #[cfg(feature = "sqlite")]
    pub(crate) fn kill_to_zombie(&mut self) {
        self.process.kill().unwrap();
        let stat = format!("/proc/{}/stat", self.id());
        while !std::fs::read_to_string(&stat).unwrap().contains(") Z ") {
            std::thread::yield_now();
        }
    }

    /// Waits until it has ended by itself.
    pub(crate) fn ends(mut self) {
        drop(self.stdin.take());
        assert!(self.process.wait().unwrap().success());
    }
}

/// Opens a store: a SQLite file if the name says so, else a folder of plain files.
pub(crate) fn open(path: &Path) -> Box<dyn Store> {
    #[cfg(feature = "sqlite")]
    if path.extension().is_some_and(|extension| extension == "db") {
        return Box::new(legwork_store::sqlite::Store::open(path).unwrap());
    }
    #[cfg(feature = "jsonl")]
    return Box::new(legwork_store::jsonl::Store::open(path).unwrap());
    #[cfg(not(feature = "jsonl"))]
    panic!("{} needs a store that is not built", path.display());
}

pub(crate) fn says(text: impl std::fmt::Display) {
    println!("child: {text}");
}

pub(crate) fn waits() {
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// In the child it plays the role; in a run of the tests there is none.
#[test]
fn plays_its_role() {
    let (Ok(role), Some(db)) = (std::env::var(ROLE), std::env::var_os(DB)) else { return };
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    // A store of files needs no driver, whose own writes a sweep would let fail.
    if db.to_string_lossy().contains("://") {
        runtime.enable_all();
    }
    runtime.build().unwrap().block_on(play(&role, Path::new(&db)));
}

async fn play(role: &str, db: &Path) {
    match role {
        "open" => {
            says("ready");
            waits();
            let store = open(db);
            store.post(&session("s"), &std::process::id().to_string(), &note()).await.unwrap();
            says("opened");
        }
        "hold" => {
            let store = open(db);
            let claim = store.claim(&session("s")).await.unwrap();
            append(&*claim, 1..=3).await;
            says(claim.fence().0);
            waits();
        }
        "claim" => {
            let store = open(db);
            says("ready");
            waits();
            let claim = store.claim(&session("s")).await;
            match &claim {
                Ok(_) => says("claimed"),
                Err(error) => says(error),
            }
            waits();
        }
        "begin" => begin(&*crate::sweep::open(db).unwrap()).await,
        "post" => post(&*open(db)).await,
        "append" => append_for_ever(&*open(db)).await,
        "steps" => append_steps(&*crate::sweep::open(db).unwrap()).await,
        "sweep" => crate::sweep::play(db).await,
        "remove" => remove_for_ever(&*open(db)).await,
        other => play_on_a_server(other, db).await,
    }
}

/// Plays a role on a store whose address is in place of a path.
async fn play_on_a_server(role: &str, url: &Path) {
    #[cfg(feature = "postgres")]
    if crate::postgres::roles::play(role, url.to_str().unwrap()).await {
        return;
    }
    panic!("no such role: {role} on {}", url.display());
}

/// Begins a session that has nothing to do.
async fn begin(store: &dyn Store) {
    let claim = store.claim(&session("s")).await.unwrap();
    let mut summary = Summary::default();
    summary.title = "begun".to_owned();
    claim.append(Seq(0), Batch::of(&entries(1..=2)).with_summary(&summary)).await.unwrap();
    claim.release().await.unwrap();
    says("begun");
}

fn note() -> Item {
    Item::Stop("enough".into())
}

async fn post(store: &dyn Store) {
    says("ready");
    waits();
    for number in 0..25 {
        let own = format!("{} {number}", std::process::id());
        store.post(&session("s"), &own, &note()).await.unwrap();
        store.post(&session("s"), &format!("shared {number}"), &note()).await.unwrap();
    }
    says("done");
}

/// Removes the two sessions listed first together, and says so.
async fn remove_for_ever(store: &dyn Store) {
    loop {
        let pair: Vec<_> = store
            .sessions(&Query::first(2))
            .await
            .unwrap()
            .sessions
            .into_iter()
            .map(|info| info.session)
            .collect();
        if pair.is_empty() {
            break;
        }
        store.remove(&pair).await.unwrap();
        says("removed");
    }
    says("none left");
    waits();
}

/// Appends three entries at a time from wherever the journal ends, and says how far it is.
async fn append_for_ever(store: &dyn Store) {
    let name = session("s");
    let claim = store.claim(&name).await.unwrap();
    let loaded = store.read(&name, Range::ALL).await.unwrap();
    assert_eq!(loaded.damage, None);
    let mut last = loaded.journal.version().0;
    loop {
        claim.append(Seq(last), Batch::of(&entries(last + 1..=last + 3))).await.unwrap();
        last += 3;
        says(last);
    }
}

/// Appends an entry at a time, between two lines that it says.
async fn append_steps(store: &dyn Store) {
    let claim = store.claim(&session("s")).await.unwrap();
    for seq in 1..=45 {
        if seq == 5 {
            says("begins");
        }
        let batch = entries(seq..=seq);
        let batch = Batch::of(&batch).if_seen(<_>::default());
        claim.append(Seq(seq - 1), batch).await.unwrap();
        if seq == 44 {
            says("ends");
        }
    }
}
