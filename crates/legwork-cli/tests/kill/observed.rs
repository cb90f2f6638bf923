//! What a test observes of the model, of the process, and of the tool that it runs.

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

/// Something that a test observes.
#[derive(Debug)]
pub(crate) enum Observed {
    /// The model is asked for a turn, counted from 0.
    Asked(usize),
    /// A command stopped at the point of this name.
    Stopped(String),
    /// The process of this number printed an event.
    Event(u32, Value),
    /// The process of this number closed its output.
    Ended(u32),
}

/// Observes a process, line by line; lines that are not JSON are ignored.
pub(crate) fn observe(life: u32, out: ChildStdout, to: Sender<Observed>) {
    thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if let Ok(event @ Value::Object(_)) = serde_json::from_str(&line)
                && to.send(Observed::Event(life, event)).is_err()
            {
                return;
            }
        }
        // When the test is over, there is no receiver.
        let _ = to.send(Observed::Ended(life));
    });
}

/// A named pipe that commands write to when they stop.
pub(crate) struct Bell(File);

impl Bell {
    pub(crate) fn hang(path: &Path, to: Sender<Observed>) -> Self {
        fifo(path);
        // Open on both sides, so that it never ends and opening never waits.
        let open = || OpenOptions::new().read(true).write(true).open(path).unwrap();
        let reader = open();
        thread::spawn(move || {
            for line in BufReader::new(reader).lines().map_while(Result::ok) {
                if line.is_empty() || to.send(Observed::Stopped(line)).is_err() {
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
