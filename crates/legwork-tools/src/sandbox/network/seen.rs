//! What commands were connected with, and what not.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use legwork_port::sandbox::Note;

use super::host::Target;
use super::outside::Refusal;

/// Most hosts that are named in the notes of one time.
const NAMED: usize = 50;

/// Connections since they were last asked for.
#[derive(Debug, Default)]
pub(super) struct Seen(Mutex<Log>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Connected,
    Refused,
}

#[derive(Debug, Default)]
struct Log {
    /// How often, by what is said of it.
    times: BTreeMap<(Kind, String), u64>,
    /// Others.
    unnamed: u64,
}

impl Seen {
    /// Remembers one connection or refusal.
    pub(super) fn note(&self, target: &Target, outcome: Result<(), &Refusal>) {
        let said = match outcome {
            Ok(()) => (Kind::Connected, format!("network: connected to {target}")),
            Err(why) => (Kind::Refused, format!("network: not connected to {target}: {why}")),
        };
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let full = log.times.len() >= NAMED;
        match log.times.get_mut(&said) {
            Some(times) => *times = times.saturating_add(1),
            None if full => log.unnamed = log.unnamed.saturating_add(1),
            None => drop(log.times.insert(said, 1)),
        }
    }

    /// What was remembered since this was last asked, a sentence each.
    pub(super) fn notes(&self) -> Vec<Note> {
        let log = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let named = log.times.into_iter().map(|((kind, said), times)| {
            let said = if times > 1 { format!("{said} ({times} times)") } else { said };
            match kind {
                Kind::Connected => Note::Allowed(said),
                Kind::Refused => Note::Refused(said),
            }
        });
        let more = (log.unnamed > 0).then(|| {
            Note::Refused(format!("network: {} further connections were asked for", log.unnamed))
        });
        named.chain(more).collect()
    }
}
