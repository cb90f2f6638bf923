//! The connection attempts of commands and their outcomes, as notes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use legwork_port::network::Target;
use legwork_port::sandbox::Note;

use super::egress::Refusal;

/// Maximum number of distinct notes per outcome that are kept between two readings.
const NOTES_MAX: usize = 50;

/// The attempts since the last reading.
#[derive(Debug, Default)]
pub(super) struct ConnectionLog(Mutex<Entries>);

/// Each outcome has its own limit, so that many refusals do not displace a connection.
#[derive(Debug, Default)]
struct Entries {
    connected: Tally,
    /// Cut off by the end of the command.
    unfinished: Tally,
    /// Not allowed by the list.
    refused: Tally,
    /// Allowed, but not successful.
    failed: Tally,
}

/// The notes of one outcome.
#[derive(Debug, Default)]
struct Tally {
    /// How often each note occurred.
    times: BTreeMap<String, u64>,
    /// Number of attempts beyond [`NOTES_MAX`] distinct notes.
    more: u64,
}

/// A connection that is being made; logged as unfinished if this is dropped.
pub(super) struct Attempt<'l> {
    log: &'l ConnectionLog,
    target: Option<&'l Target>,
}

impl Attempt<'_> {
    /// Logs the outcome.
    pub(super) fn ended(mut self, outcome: Result<(), &Refusal>) {
        if let Some(target) = self.target.take() {
            self.log.add(target, outcome);
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if let Some(target) = self.target {
            let note =
                format!("network: connection to {target} not completed: the command ended first");
            self.log.change(|entries| entries.unfinished.add(note));
        }
    }
}

impl ConnectionLog {
    /// Adds an attempt with its outcome.
    pub(super) fn add(&self, target: &Target, outcome: Result<(), &Refusal>) {
        let note = match outcome {
            Ok(()) => format!("network: connected to {target}"),
            Err(why) => format!("network: not connected to {target}: {why}"),
        };
        self.change(|entries| match outcome {
            Ok(()) => entries.connected.add(note),
            Err(Refusal::Unlisted | Refusal::Private) => entries.refused.add(note),
            Err(Refusal::Unreachable(_)) => entries.failed.add(note),
        });
    }

    /// An attempt to connect to a target on the list.
    pub(super) fn attempt<'l>(&'l self, target: &'l Target) -> Attempt<'l> {
        Attempt { log: self, target: Some(target) }
    }

    /// Takes the attempts since the last call, as one sentence each.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut entries = Entries::default();
        self.change(|known| std::mem::swap(known, &mut entries));
        let connected = entries.connected.sentences("connection");
        let unfinished = entries.unfinished.sentences("unfinished connection");
        let refused = entries.refused.sentences("refused connection");
        let failed = entries.failed.sentences("failed connection");
        let allowed = connected.chain(unfinished).map(Note::Allowed);
        allowed.chain(refused.chain(failed).map(Note::Refused)).collect()
    }

    fn change(&self, change: impl FnOnce(&mut Entries)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Tally {
    fn add(&mut self, note: String) {
        let is_full = self.times.len() >= NOTES_MAX;
        match self.times.get_mut(&note) {
            Some(times) => *times = times.saturating_add(1),
            None if is_full => self.more = self.more.saturating_add(1),
            None => drop(self.times.insert(note, 1)),
        }
    }

    /// The notes, and the number of further attempts of this `kind`.
    fn sentences(self, kind: &'static str) -> impl Iterator<Item = String> {
        let notes = self.times.into_iter().map(|(note, times)| match times {
            1 => note,
            times => format!("{note} ({times} times)"),
        });
        let more = match self.more {
            0 => None,
            1 => Some(format!("network: 1 further {kind}")),
            more => Some(format!("network: {more} further {kind}s")),
        };
        notes.chain(more)
    }
}
