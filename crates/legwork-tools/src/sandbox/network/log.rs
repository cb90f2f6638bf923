//! The connections and refusals of commands, as notes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use legwork_port::sandbox::Note;

use super::egress::Refusal;
use super::host::Target;

/// Most different notes of a kind that are kept between two readings.
const NOTES_MAX: usize = 50;

/// Connections and refusals since the last reading.
#[derive(Debug, Default)]
pub(super) struct ConnectionLog(Mutex<Entries>);

/// Each kind has its own bound: many refusals do not displace a connection.
#[derive(Debug, Default)]
struct Entries {
    connected: Tally,
    refused: Tally,
}

#[derive(Debug, Default)]
struct Tally {
    /// How often each note occurred.
    times: BTreeMap<String, u64>,
    /// Occurrences of further notes.
    more: u64,
}

/// A connection that is being made; logged as unfinished if its command ends first.
pub(super) struct Attempt<'l> {
    log: &'l ConnectionLog,
    target: Option<&'l Target>,
}

impl Attempt<'_> {
    /// Logs how it ended.
    pub(super) fn ended(mut self, outcome: Result<(), &Refusal>) {
        if let Some(target) = self.target.take() {
            self.log.add(target, outcome);
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if let Some(target) = self.target {
            let note = format!("network: asked for {target}, and ended before it was connected");
            self.log.change(|entries| entries.connected.add(note));
        }
    }
}

impl ConnectionLog {
    /// Adds a connection or a refusal.
    pub(super) fn add(&self, target: &Target, outcome: Result<(), &Refusal>) {
        self.change(|entries| match outcome {
            Ok(()) => entries.connected.add(format!("network: connected to {target}")),
            Err(why) => entries.refused.add(format!("network: not connected to {target}: {why}")),
        });
    }

    /// Starts an attempt to connect to a target on the list.
    pub(super) fn attempt<'l>(&'l self, target: &'l Target) -> Attempt<'l> {
        Attempt { log: self, target: Some(target) }
    }

    /// Takes the entries since the last call, as one sentence each.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut entries = Entries::default();
        self.change(|known| std::mem::swap(known, &mut entries));
        let connected = entries.connected.sentences("connections").map(Note::Allowed);
        let refused = entries.refused.sentences("connections that were refused");
        connected.chain(refused.map(Note::Refused)).collect()
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

    fn sentences(self, of: &'static str) -> impl Iterator<Item = String> {
        let notes = self.times.into_iter().map(|(note, times)| match times {
            1 => note,
            times => format!("{note} ({times} times)"),
        });
        let more = (self.more > 0).then(|| format!("network: {} further {of}", self.more));
        notes.chain(more)
    }
}
