//! What commands were connected with, and what not.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use legwork_port::sandbox::Note;

use super::host::Target;
use super::outside::Refusal;

/// Most hosts of a kind that are named in the notes of one time.
const NAMED: usize = 50;

/// Connections since they were last asked for.
#[derive(Debug, Default)]
pub(super) struct Seen(Mutex<Log>);

/// Of each kind by itself: many refusals do not crowd out a connection.
#[derive(Debug, Default)]
struct Log {
    connected: Counted,
    refused: Counted,
}

#[derive(Debug, Default)]
struct Counted {
    /// How often, by what is said of it.
    times: BTreeMap<String, u64>,
    /// Others.
    unnamed: u64,
}

/// A name that is being asked for; told as such where its command ends before.
pub(super) struct Asked<'s> {
    seen: &'s Seen,
    target: Option<&'s Target>,
}

impl Asked<'_> {
    /// It was connected with, or not.
    pub(super) fn ended(mut self, outcome: Result<(), &Refusal>) {
        if let Some(target) = self.target.take() {
            self.seen.note(target, outcome);
        }
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if let Some(target) = self.target {
            let said = format!("network: asked for {target}, and ended before it was connected");
            self.seen.log(|log| log.connected.add(said));
        }
    }
}

impl Seen {
    /// Remembers one connection or refusal.
    pub(super) fn note(&self, target: &Target, outcome: Result<(), &Refusal>) {
        self.log(|log| match outcome {
            Ok(()) => log.connected.add(format!("network: connected to {target}")),
            Err(why) => log.refused.add(format!("network: not connected to {target}: {why}")),
        });
    }

    /// A command asks for something on the list.
    pub(super) fn asked<'s>(&'s self, target: &'s Target) -> Asked<'s> {
        Asked { seen: self, target: Some(target) }
    }

    /// What was remembered since this was last asked, a sentence each.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut log = Log::default();
        self.log(|known| std::mem::swap(known, &mut log));
        let connected = log.connected.told("connections").map(Note::Allowed);
        let refused = log.refused.told("connections that were refused").map(Note::Refused);
        connected.chain(refused).collect()
    }

    fn log(&self, change: impl FnOnce(&mut Log)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Counted {
    fn add(&mut self, said: String) {
        let is_full = self.times.len() >= NAMED;
        match self.times.get_mut(&said) {
            Some(times) => *times = times.saturating_add(1),
            None if is_full => self.unnamed = self.unnamed.saturating_add(1),
            None => drop(self.times.insert(said, 1)),
        }
    }

    fn told(self, what: &'static str) -> impl Iterator<Item = String> {
        let named = self.times.into_iter().map(|(said, times)| match times {
            1 => said,
            times => format!("{said} ({times} times)"),
        });
        let more = (self.unnamed > 0).then(|| format!("network: {} further {what}", self.unnamed));
        named.chain(more)
    }
}
