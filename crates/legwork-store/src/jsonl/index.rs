//! Where appends begin in a long journal: a few of them, in a file beside it.
//!
//! A read of a range begins at the last that is before it. The file is not synced, and is made
//! anew when it is missing or does not fit: who reads it checks where it leads.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use legwork_core::Seq;

use super::batches::{self, Position};
use super::files::{self, Access};
use super::layout::Place;

/// Bytes of a journal between two records.
const STRIDE: u64 = 64 << 10;

/// Bytes of a record: the number of the entry before it and the offset.
const RECORD: usize = 16;

/// The index of a session that is claimed.
#[derive(Debug)]
pub(super) struct Index {
    file: File,
    last: Position,
}

impl Index {
    /// Opens the index of a journal with this end, and adds what is missing.
    pub(super) fn open(place: &Place, journal: &File, end: Position) -> io::Result<Self> {
        let file = files::open_or_create(&place.index(), Access::Append)?;
        let records = records(&file)?;
        let last = records.last().copied().unwrap_or_default();
        let mut index = Self { file, last };
        if !fits(&records, journal, end)? || index.file.metadata()?.len() % RECORD as u64 != 0 {
            index.file.set_len(0)?;
            index.last = Position::default();
        }
        if end.offset - index.last.offset > 2 * STRIDE {
            for position in batches::positions(journal, end.offset, index.last)? {
                index.add(position)?;
            }
        }
        Ok(index)
    }

    /// Adds the beginning of an append, if it is far enough from the last one.
    pub(super) fn add(&mut self, position: Position) -> io::Result<()> {
        if position.offset < self.last.offset + STRIDE {
            return Ok(());
        }
        let mut record = [0; RECORD];
        let numbers = [position.entry, position.offset];
        for (bytes, number) in record.chunks_exact_mut(8).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        self.file.write_all(&record)?;
        self.last = position;
        Ok(())
    }
}

/// The last known beginning of an append at or before the one after an entry.
pub(super) fn find(place: &Place, journal: &File, len: u64, after: Seq) -> io::Result<Position> {
    let Some(file) = files::if_there(files::open(&place.index(), Access::Read))? else {
        return Ok(Position::default());
    };
    let records = records(&file)?;
    let count = records.partition_point(|at| at.entry <= after.0 && at.offset < len);
    let Some(found) = records.get(..count).and_then(<[_]>::last) else {
        return Ok(Position::default());
    };
    match batches::entry_at(journal, found.offset)? == Some(Seq(found.entry).next()) {
        true => Ok(*found),
        false => Ok(Position::default()),
    }
}

/// Whether records fit a journal with this end.
fn fits(records: &[Position], journal: &File, end: Position) -> io::Result<bool> {
    let Some(last) = records.last() else { return Ok(true) };
    let rise = records.is_sorted_by(|a, b| a.entry < b.entry && a.offset < b.offset);
    if !rise || last.offset > end.offset || last.entry > end.entry {
        return Ok(false);
    }
    let leads = || batches::entry_at(journal, last.offset);
    Ok(last.offset == end.offset || leads()? == Some(Seq(last.entry).next()))
}

fn records(file: &File) -> io::Result<Vec<Position>> {
    let (mut file, mut bytes) = (file, Vec::new());
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let number = |bytes: Option<&[u8]>| bytes?.try_into().ok().map(u64::from_le_bytes);
    let records = bytes.chunks_exact(RECORD).filter_map(|record| {
        Some(Position { entry: number(record.get(..8))?, offset: number(record.get(8..))? })
    });
    Ok(records.collect())
}

#[cfg(test)]
mod tests;
