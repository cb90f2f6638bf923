//! The inbox of a session: an item a line.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use legwork_core::SessionId;
use legwork_core::inbox::{Cursor, Posted};
use legwork_port::store::Error;
use serde::Deserialize;

use super::entered::Entered;
use super::files::{self, Access};
use super::layout::{Layout, Place};
use super::lock::Wait;
use super::refused::Refused;

/// An item that is to be posted.
#[derive(Debug, Clone)]
pub(super) struct Post {
    pub(super) session: SessionId,
    pub(super) key: String,
    /// The item as JSON.
    pub(super) item: Vec<u8>,
}

/// The beginning of a line.
#[derive(Debug, Deserialize)]
struct Line<'l> {
    cursor: u64,
    #[serde(borrow)]
    key: Cow<'l, str>,
}

/// The whole lines of an inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Lines {
    /// The number of the last item.
    last: u64,
    /// Where they end.
    end: u64,
}

impl Post {
    /// Posts it, unless its key is there already.
    pub(super) fn run(&self, layout: &Layout, wait: Wait) -> Result<Cursor, Refused> {
        let place = layout.place(&self.session);
        let mut entered = layout.enter(&self.session, &place, wait)?;
        let path = place.inbox();
        let failed = |error| layout.refused("posting to", &path, error);
        let file = files::open_or_create(&path, Access::Append).map_err(failed)?;
        entered.catch_up_inbox(Some(&file)).map_err(failed)?;
        if let Some(cursor) = self.known(&file).map_err(failed)? {
            return Ok(cursor);
        }
        entered.mark_due()?;
        let cursor = entered.head.posted + 1;
        let line = self.line(layout, cursor)?;
        entered.add_item(&file, &line).map_err(failed)?;
        entered.head.posted = cursor;
        entered.note(None);
        Ok(Cursor(cursor))
    }

    /// The number of the item with this key.
    fn known(&self, file: &File) -> io::Result<Option<Cursor>> {
        let bytes = read_from(file, 0)?;
        let lines = bytes.split(|byte| *byte == b'\n').filter_map(parsed);
        Ok(lines.into_iter().find(|line| line.key == self.key).map(|line| Cursor(line.cursor)))
    }

    fn line(&self, layout: &Layout, cursor: u64) -> Result<Vec<u8>, Error> {
        let key = serde_json::to_string(&self.key).map_err(|error| {
            layout.name.failed(format!("the key of the item cannot be written as JSON: {error}"))
        })?;
        let mut line = format!("{{\"cursor\":{cursor},\"key\":{key},\"item\":").into_bytes();
        line.extend_from_slice(&self.item);
        line.extend_from_slice(b"}\n");
        Ok(line)
    }
}

impl Entered<'_> {
    /// Takes items into the head that it does not know yet, as their process died.
    ///
    /// With the file, a line that was cut is set aside.
    pub(super) fn catch_up_inbox(&mut self, file: Option<&File>) -> io::Result<()> {
        let path = self.place.inbox();
        let len = files::length(&path)?;
        if len == self.head.inbox {
            return Ok(());
        }
        let opened;
        let file = match file {
            Some(file) => file,
            None => {
                opened = files::open(&path, Access::Append)?;
                &opened
            }
        };
        let from = if len > self.head.inbox { self.head.inbox } else { 0 };
        let lines = Lines::read(file, from)?;
        if lines.end > from {
            // Its process may have died before it was durable.
            file.sync_data()?;
            files::sync_folder(&self.place.folder)?;
        }
        self.head.posted = self.head.posted.max(lines.last);
        self.head.inbox = lines.end;
        if self.head.may_be_due() {
            self.mark_due().map_err(|_| io::Error::other("the session cannot be noted as due"))?;
        }
        if len > lines.end {
            self.set_aside(file, &path, lines.end, self.head.posted)?;
        }
        self.note(None);
        Ok(())
    }

    /// Writes a line and makes it durable, or leaves the inbox as it was.
    fn add_item(&mut self, file: &File, line: &[u8]) -> io::Result<()> {
        let end = self.head.inbox;
        let mut file = file;
        let written = file.write_all(line).and_then(|()| file.sync_data());
        let named = written.and_then(|()| match end {
            0 => files::sync_folder(&self.place.folder),
            _ => Ok(()),
        });
        if let Err(error) = named {
            // If that fails too, it is a line that was cut, or an item that is posted after all.
            let _ = file.set_len(end);
            return Err(error);
        }
        self.head.inbox = end + line.len() as u64;
        Ok(())
    }
}

impl Lines {
    /// The lines from an offset on; what comes after the last line break is none.
    fn read(file: &File, from: u64) -> io::Result<Self> {
        let bytes = read_from(file, from)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let whole = bytes.get(..end).unwrap_or_default();
        let numbers = whole.split(|byte| *byte == b'\n').filter_map(parsed);
        let last = numbers.map(|line| line.cursor).max().unwrap_or(0);
        Ok(Self { last, end: from + end as u64 })
    }
}

/// The number of the last item of an inbox from an offset on; 0 if there is none.
pub(super) fn last_item(place: &Place, from: u64) -> io::Result<u64> {
    let file = files::if_there(files::open(&place.inbox(), Access::Read))?;
    file.map_or(Ok(0), |file| Lines::read(&file, from).map(|lines| lines.last))
}

/// Reads the items of an inbox, which has so many bytes, after a cursor.
pub(super) fn read(
    layout: &Layout,
    path: &Path,
    len: u64,
    after: Cursor,
) -> Result<Vec<Posted>, Refused> {
    let failed = |error| layout.refused("reading", path, error);
    let Some(file) = files::if_there(files::open(path, Access::Read)).map_err(failed)? else {
        return Ok(Vec::new());
    };
    let mut bytes = Vec::new();
    file.take(len).read_to_end(&mut bytes).map_err(failed)?;
    let mut items = Vec::new();
    let whole = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    for (number, line) in (1..).zip(whole) {
        if parsed(line).is_some_and(|line| line.cursor <= after.0) {
            continue;
        }
        items.push(serde_json::from_slice::<Posted>(line).map_err(|error| {
            layout.name.failed(format!(
                "line {number} of {} cannot be read: {error}; a newer Legwork may have left it, \
                 then use that one; else restore the file from a copy",
                path.display()
            ))
        })?);
    }
    Ok(items)
}

fn parsed(line: &[u8]) -> Option<Line<'_>> {
    serde_json::from_slice(line).ok()
}

fn read_from(file: &File, from: u64) -> io::Result<Vec<u8>> {
    let (mut file, mut bytes) = (file, Vec::new());
    file.seek(SeekFrom::Start(from))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether anybody left something in the files of a session.
pub(super) fn is_something(place: &Place) -> bool {
    let has = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.len() > 0);
    has(&place.journal()) || has(&place.inbox())
}
