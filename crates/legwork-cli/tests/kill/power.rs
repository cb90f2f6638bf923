//! If the power went out just before a command starts: its intent is on the disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use legwork::core::Event;
use legwork::port::store::{Query, Range};
use tempfile::TempDir;

use crate::kill::LAST;
use crate::scene::Scene;
use crate::shell::Shell;
use crate::story::completed;
use crate::trace::{self, Seen, WRITES_AND_EXECS};

/// Files as a loss of power leaves them: what was synced, and nothing else.
#[derive(Default)]
struct Disk {
    files: BTreeMap<PathBuf, Vec<u8>>,
    written: Vec<(PathBuf, usize, Vec<u8>)>,
    /// By thread: the file, and how much had been written when its sync began.
    syncing: BTreeMap<u32, (PathBuf, usize)>,
}

impl Disk {
    fn see(&mut self, seen: Seen) {
        match seen {
            Seen::Wrote { path, at, bytes } => self.written.push((path, at, bytes)),
            Seen::SyncBegun { thread, path } => {
                self.syncing.insert(thread, (path, self.written.len()));
            }
            Seen::Synced { thread } => {
                let (path, until) = self.syncing.remove(&thread).unwrap();
                self.sync(&path, until);
            }
            Seen::Removed(path) => {
                self.files.remove(&path);
                self.written.retain(|(written, ..)| *written != path);
            }
            Seen::Exec(_) => {}
        }
    }

    fn sync(&mut self, synced: &Path, until: usize) {
        for (path, at, bytes) in self.written.iter().take(until).filter(|(p, ..)| p == synced) {
            let file = self.files.entry(path.clone()).or_default();
            file.resize(file.len().max(at + bytes.len()), 0);
            file[*at..at + bytes.len()].copy_from_slice(bytes);
        }
    }

    /// How many intents a store has that begins with these files.
    fn intents(&self) -> usize {
        let folder = TempDir::new().unwrap();
        for (path, bytes) in &self.files {
            fs::write(folder.path().join(path.file_name().unwrap()), bytes).unwrap();
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let address = format!("sqlite:{}", folder.path().join("sessions.db").display());
            let store = legwork::store::open(&address).unwrap();
            let sessions = store.sessions(&Query::first(2)).await.unwrap().sessions;
            assert_eq!(sessions.len(), 1);
            let loaded = store.read(&sessions[0].session, Range::ALL).await.unwrap();
            assert_eq!(loaded.damage, None);
            let entries = loaded.journal.entries().iter();
            entries.filter(|entry| matches!(entry.event, Event::ToolStarted(_))).count()
        })
    }
}

#[test]
fn s10_2_the_intent_of_a_once_call_is_synced_before_its_program_is_executed() {
    if !trace::works() {
        return;
    }
    let mut scene = Scene::<Shell>::new();
    let log = scene.file("trace");
    scene.start_by(trace::under(WRITES_AND_EXECS, &log, &scene.begin()));
    completed(&scene.end());
    let (mut disk, mut started) = (Disk::default(), 0);
    for seen in trace::read(&log) {
        let next = format!("sh append.sh {}", started + 1);
        if let Seen::Exec(line) = &seen
            && line.iter().any(|word| *word == *next)
        {
            started += 1;
            assert_eq!(disk.intents(), started);
        }
        disk.see(seen);
    }
    assert_eq!(started, LAST);
    println!("intents on the disk before their program is executed: {started}");
}
