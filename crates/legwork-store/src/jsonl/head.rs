//! The head of a session: where its files end, its fence, and its summary.
//!
//! The head is one small file that is written in place. It has two slots, each with a checksum;
//! a write goes to the slot that is not the newest, so a write that was cut leaves the one before.
//! The summary lies behind the slots, likewise in two places by turns. A session that is listed
//! costs a read of this file.
//!
//! The head follows the journal and the inbox: it is written after their bytes are durable, and
//! not synced with them. What it does not know yet after a crash shows by their lengths.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use legwork_core::Summary;

use super::files;

/// Bytes of a slot.
const SLOT: usize = 256;

/// Where summaries begin.
const SUMMARIES: u64 = 2 * SLOT as u64;

/// The version of this layout, as its first number.
const LAYOUT: u64 = 0x4c67_4a01;

/// Numbers in a slot, its checksum included.
const NUMBERS: usize = 16;

/// No time, as a number.
const NEVER: u64 = u64::MAX;

/// What the head of a session says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Head {
    /// How often it was written.
    generation: u64,
    /// The newest claim's token; 0 before the session was made.
    pub(super) fence: u64,
    /// The number of the last entry.
    pub(super) entries: u64,
    /// When the first and the last entry were made, in ms since 1970.
    pub(super) created: u64,
    pub(super) updated: u64,
    /// Where the last append to the journal ends.
    pub(super) journal: u64,
    /// The number of the last item, or the last that was taken up if that is greater.
    pub(super) posted: u64,
    /// Where the last item ends in the inbox.
    pub(super) inbox: u64,
    /// The last item that the journal took up, as the summary says.
    pub(super) taken: u64,
    /// When the session has work to do by itself, as the summary says.
    pub(super) due_at: Option<u64>,
    /// Whether the session is in the index of those that may be due.
    pub(super) marked: bool,
    summary: Place,
}

impl Head {
    /// Whether the session has work to do, now or later.
    pub(super) fn may_be_due(&self) -> bool {
        self.due_at.is_some() || self.posted > self.taken
    }

    /// Takes what a summary says.
    pub(super) fn take(&mut self, summary: &Summary) {
        self.taken = summary.taken.0;
        self.due_at = summary.due_at.map(|due| due.0.min(NEVER - 1));
        self.posted = self.posted.max(self.taken);
    }
}

/// Where the summary is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Place {
    at: u64,
    len: u64,
    checksum: u64,
}

impl Head {
    /// Reads the newest slot that is whole; none if no head was ever written whole.
    pub(super) fn read(file: &File) -> io::Result<Option<Self>> {
        let slots = files::read_beginning(file, 2 * SLOT)?;
        Ok(Self::newest(&slots).into_iter().next())
    }

    /// Reads the head with its summary.
    ///
    /// A summary that a loss of power destroyed is the one before, or an empty one.
    pub(super) fn read_all(file: &File) -> io::Result<Option<(Self, Summary)>> {
        let mut bytes = Vec::with_capacity(4 * SLOT);
        let mut file = file;
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut bytes)?;
        let heads = Self::newest(bytes.get(..2 * SLOT).unwrap_or(&bytes));
        let summary = heads.iter().find_map(|head| head.summary.read(&bytes)).unwrap_or_default();
        Ok(heads.into_iter().next().map(|head| (head, summary)))
    }

    /// Writes the head; with a summary, that one first.
    pub(super) fn write(&mut self, file: &File, summary: Option<&[u8]>) -> io::Result<()> {
        let mut next = self.clone();
        if let Some(summary) = summary {
            next.summary = self.summary.next(summary);
            files::write_at(file, next.summary.at, summary)?;
        }
        next.generation += 1;
        files::write_at(file, next.generation % 2 * SLOT as u64, &next.encode())?;
        *self = next;
        Ok(())
    }

    /// The whole slots, the newest first.
    fn newest(slots: &[u8]) -> Vec<Self> {
        let mut heads: Vec<_> = slots.chunks(SLOT).filter_map(Self::decode).collect();
        heads.sort_by_key(|head| std::cmp::Reverse(head.generation));
        heads
    }

    fn encode(&self) -> [u8; SLOT] {
        let mut numbers = [
            LAYOUT,
            self.generation,
            self.fence,
            self.entries,
            self.created,
            self.updated,
            self.journal,
            self.posted,
            self.inbox,
            self.taken,
            self.due_at.unwrap_or(NEVER),
            u64::from(self.marked),
            self.summary.at,
            self.summary.len,
            self.summary.checksum,
            0,
        ];
        let mut slot = [0; SLOT];
        let put = |slot: &mut [u8; SLOT], numbers: &[u64; NUMBERS]| {
            for (bytes, number) in slot.chunks_exact_mut(8).zip(numbers) {
                bytes.copy_from_slice(&number.to_le_bytes());
            }
        };
        put(&mut slot, &numbers);
        let sum = checksum(slot.get(..8 * (NUMBERS - 1)).unwrap_or_default());
        if let Some(last) = numbers.last_mut() {
            *last = sum;
        }
        put(&mut slot, &numbers);
        slot
    }

    fn decode(slot: &[u8]) -> Option<Self> {
        let mut numbers = [0; NUMBERS];
        for (number, bytes) in numbers.iter_mut().zip(slot.chunks_exact(8)) {
            *number = u64::from_le_bytes(bytes.try_into().ok()?);
        }
        let [
            layout,
            generation,
            fence,
            entries,
            created,
            updated,
            journal,
            posted,
            inbox,
            taken,
            due_at,
            marked,
            at,
            len,
            sum,
            own,
        ] = numbers;
        let is_whole = layout == LAYOUT && own == checksum(slot.get(..8 * (NUMBERS - 1))?);
        is_whole.then_some(Self {
            generation,
            fence,
            entries,
            created,
            updated,
            journal,
            posted,
            inbox,
            taken,
            due_at: (due_at != NEVER).then_some(due_at),
            marked: marked == 1,
            summary: Place { at, len, checksum: sum },
        })
    }
}

impl Place {
    /// A place for another summary that does not touch this one.
    fn next(self, summary: &[u8]) -> Self {
        let len = summary.len() as u64;
        let fits_before = self.at >= SUMMARIES + len;
        let at = if self.len == 0 || fits_before { SUMMARIES } else { self.at + self.len };
        Self { at, len, checksum: checksum(summary) }
    }

    fn read(self, bytes: &[u8]) -> Option<Summary> {
        let from = usize::try_from(self.at).ok()?;
        let to = from.checked_add(usize::try_from(self.len).ok()?)?;
        let summary = bytes.get(from..to).filter(|summary| !summary.is_empty())?;
        if checksum(summary) != self.checksum {
            return None;
        }
        serde_json::from_slice(summary).ok()
    }
}

/// FNV-1a in 64 bits: it finds a write that was cut, and keeps nobody from forging one.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
