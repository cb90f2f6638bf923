//! `legwork sessions search`: where in all sessions something was said or done.

use std::ops::Range;
use std::sync::Arc;

use legwork::core::{Seq, SessionId, Timestamp};
use legwork::port::Store;
use legwork::port::store::{self, Query, SessionInfo};
use serde::Serialize;

use super::list::{shown_ids, status};
use super::needle::Needle;
use super::words::{self, Kind, Words};
use crate::args;
use crate::commands::{print, print_json, tell};
use crate::config::Config;
use crate::display::Terminal;
use crate::display::text::{age, clip, columns, now, visible};
use crate::error::Error;
use crate::exit::Exit;
use crate::short_id::Length;
use crate::store_address::StoreAddress;

/// Columns that are shown before a match.
const BEFORE: usize = 24;
/// The most columns of an excerpt where the output goes to no terminal.
const LONGEST: usize = 400;

/// A place that was found, as programs read it.
#[derive(Debug, Serialize)]
struct Hit<'a> {
    session: &'a SessionId,
    updated_at: Timestamp,
    status: &'a str,
    entry: Seq,
    step: u64,
    kind: Kind,
    line: String,
}

pub(crate) async fn search(args: args::Search, config: &Config) -> Result<Exit, Error> {
    if args.text.is_empty() {
        return Err(Error::usage(
            "there is nothing to look for",
            "legwork sessions search \"text\"",
        ));
    }
    let address = StoreAddress::of(&args.store, config)?;
    let store = address.open_to_read()?;
    let found = match &store {
        Some(store) => look(store, &args).await?,
        None => 0,
    };
    if found > 0 {
        return Ok(Exit::Done);
    }
    // Whether anybody reads standard error changes nothing.
    let (text, address) = (visible(&args.text), address.as_str());
    tell(&format!("nothing in {address} says {text:?}", text = text.as_ref()));
    Ok(Exit::Failed)
}

/// Goes through all sessions, one in memory at a time; how many places were shown.
async fn look(store: &Arc<dyn Store>, args: &args::Search) -> Result<usize, Error> {
    let needle = Needle::new(&args.text);
    let all = store.sessions(&Query::all()).await?.sessions;
    let terminal = Terminal::detect();
    let row = Row { id: shown_ids(&all, terminal), terminal, now: now() };
    let mut shown = 0;
    for info in &all {
        // One that cannot be read does not hide the others.
        let loaded = match store.read(&info.session, store::Range::ALL).await {
            Ok(loaded) => loaded,
            Err(error) => {
                tell(&format!("warning: {}", visible(&error.to_string())));
                continue;
            }
        };
        if let Some(unreadable) = &loaded.unreadable {
            let warning = format!("session {}: {unreadable}", info.session);
            tell(&format!("warning: {}", visible(&warning)));
        }
        let (mut status_of, mut text) = (None, String::new());
        let mut left = false;
        for words in words::all(loaded.journal.entries().iter().map(|entry| &**entry)) {
            let Some((line, at)) = needle.find(&words.text) else { continue };
            if shown == args.limit {
                left = true;
                break;
            }
            shown += 1;
            let fold = || status(&loaded.journal.fold(&info.session));
            let status = status_of.get_or_insert_with(fold);
            text.push_str(&match args.json {
                true => json(info, status, &words, line, at),
                false => row.line(info, status, &words, line, at),
            });
            text.push('\n');
        }
        match args.json {
            true => print_json(&text)?,
            false => print(&text)?,
        };
        if left {
            tell(&format!("... and more; see it with --limit {}", args.limit * 4));
            break;
        }
    }
    Ok(shown)
}

fn json(info: &SessionInfo, status: &str, words: &Words, line: &str, at: Range<usize>) -> String {
    let [before, hit, after] = excerpt(line, at, LONGEST);
    let hit = Hit {
        session: &info.session,
        updated_at: info.updated_at,
        status,
        entry: words.entry,
        step: words.step,
        kind: words.kind,
        line: before + &hit + &after,
    };
    serde_json::to_string(&hit).unwrap_or_default()
}

/// How a line for people is laid out.
struct Row {
    /// How much of an id is shown.
    id: Length,
    terminal: Terminal,
    now: Timestamp,
}

impl Row {
    fn line(
        &self,
        info: &SessionInfo,
        status: &str,
        words: &Words,
        line: &str,
        at: Range<usize>,
    ) -> String {
        let session = self.id.of(&info.session);
        let (age, kind) = (age(info.updated_at, self.now), words.kind.as_str());
        let step = match words.step {
            0 => kind.to_owned(),
            step => format!("step {step} {kind}"),
        };
        let head = visible(&format!("{session}  {age}  {status}  {step}  ")).into_owned();
        // A narrow terminal gets the excerpt all the same, on lines of its own making.
        let room = self.terminal.columns.saturating_sub(columns(&head)).max(2 * BEFORE);
        let parts = excerpt(line, at, room.min(LONGEST));
        let [before, hit, after] = parts.map(|part| visible(&part).into_owned());
        let hit = match self.terminal.out && self.terminal.colour {
            true => format!("\x1b[1m{hit}\x1b[0m"),
            false => hit,
        };
        format!("{head}{before}{hit}{after}").trim_end().to_owned()
    }
}

/// The match with what stands around it, in so many columns.
fn excerpt(line: &str, at: Range<usize>, room: usize) -> [String; 3] {
    let (before, rest) = line.split_at_checked(at.start).unwrap_or((line, ""));
    let (hit, after) = rest.split_at_checked(at.len()).unwrap_or((rest, ""));
    let before = before.trim_start();
    let skipped = before.chars().count().saturating_sub(BEFORE);
    let before = match skipped {
        0 => before.to_owned(),
        _ => "…".chars().chain(before.chars().skip(skipped)).collect(),
    };
    let hit = clip(hit, room.saturating_sub(columns(&before)).max(1)).into_owned();
    let after = clip(after, room.saturating_sub(columns(&before) + columns(&hit))).into_owned();
    [before, hit, after]
}

#[cfg(test)]
mod tests;
