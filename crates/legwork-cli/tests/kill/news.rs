//! What a test hears: from the model, from the process, and from the tool that it runs.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::ChildStdout;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::thread;

use legwork_testkit::{Gate, Turn};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::Value;

/// Something that a test hears.
#[derive(Debug)]
pub(crate) enum News {
    /// The model is asked for a turn, counted from 0.
    Asked(usize),
    /// A command stands still at a place of this name.
    Stands(String),
    /// The process of this number told an event.
    Told(u32, Value),
    /// The process of this number closed its output.
    Ended(u32),
}

/// Hears a process, line by line; lines that are no JSON are not ours.
pub(crate) fn hear(life: u32, out: ChildStdout, tell: Sender<News>) {
    thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if let Ok(event @ Value::Object(_)) = serde_json::from_str(&line)
                && tell.send(News::Told(life, event)).is_err()
            {
                return;
            }
        }
        // Nobody hears it when the test is over.
        let _ = tell.send(News::Ended(life));
    });
}

/// A named pipe that commands ring when they stand still.
pub(crate) struct Bell(File);

impl Bell {
    pub(crate) fn hang(path: &Path, tell: Sender<News>) -> Self {
        fifo(path);
        // Open on both sides, so that it never ends and opening never waits.
        let open = || OpenOptions::new().read(true).write(true).open(path).unwrap();
        let heard = open();
        thread::spawn(move || {
            for line in BufReader::new(heard).lines().map_while(Result::ok) {
                if line.is_empty() || tell.send(News::Stands(line)).is_err() {
                    return;
                }
            }
        });
        Self(open())
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        // An empty line ends the thread that listens.
        let _ = self.0.write_all(b"\n");
    }
}

pub(crate) fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// Answers of the model that the next request for their turn waits for in vain.
#[derive(Debug, Clone, Default)]
pub(crate) struct Holds(Arc<Mutex<BTreeMap<usize, Hold>>>);

#[derive(Debug, Clone, Copy)]
pub(crate) enum Hold {
    /// No answer comes.
    Whole,
    /// The answer stops after its first piece.
    AfterFirstPiece,
}

impl Holds {
    pub(crate) fn set(&self, turn: usize, hold: Hold) {
        self.0.lock().unwrap().insert(turn, hold);
    }

    /// The answer as it is to be given now.
    pub(crate) fn apply(&self, turn: usize, answer: Turn) -> Turn {
        match self.0.lock().unwrap().remove(&turn) {
            None => answer,
            Some(Hold::Whole) => answer.behind(&Gate::new()),
            Some(Hold::AfterFirstPiece) => answer.halting(&Gate::new()),
        }
    }
}
