//! `legwork sessions diff`: the files that a session changed, before and after.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork::core::journal::Journal;
use legwork::core::{EffectClass, Event, ToolCall, ToolOutcome};
use legwork::tools::changes::{Change, FileChange, UNWATCHED, net};

use crate::args;
use crate::commands::print;
use crate::config::Config;
use crate::display::text::{count, grouped, one_line, visible};
use crate::display::{Terminal, Tone, tool};
use crate::error::Error;
use crate::exit::Exit;
use crate::place::Place;
use crate::session::find;

pub(crate) async fn diff(args: args::Diff, config: &Config) -> Result<Exit, Error> {
    let place = Place::of(&args.store, config)?;
    let store = place.open_to_read()?;
    let found = find(store.as_ref(), &args.session, &place).await?;
    let told = Told::of(&found.journal);
    let terminal = Terminal::detect();
    if args.json {
        let lines = told.files.iter().filter_map(|file| serde_json::to_string(file).ok());
        return print(&lines.map(|line| line + "\n").collect::<String>());
    }
    for note in told.notes(&args.session) {
        eprint(&note);
    }
    match (args.stat, terminal.out) {
        (true, _) => print(&told.stat()),
        (false, true) => {
            let terminal = terminal.for_out();
            print(&coloured(&told.patches(), terminal))
        }
        // What `git apply` reads is left as it is.
        (false, false) => print(&told.patches()),
    }
}

fn eprint(note: &str) {
    use std::io::Write as _;
    // Whether anybody reads it changes nothing.
    let _ = writeln!(std::io::stderr(), "{note}");
}

/// What a journal tells of files.
struct Told {
    files: Vec<FileChange>,
    /// Calls that may have changed something and whose outcome nobody knows.
    in_doubt: Vec<Arc<ToolCall>>,
    /// Calls of which not all is known, and why.
    unwatched: Vec<(Arc<ToolCall>, String)>,
}

impl Told {
    /// What happened, whatever the head of the session is: moving it undoes no file.
    fn of(journal: &Journal) -> Self {
        let mut changes: Vec<Change> = Vec::new();
        let mut calls: Vec<Arc<ToolCall>> = Vec::new();
        let mut begun: BTreeMap<u32, Arc<ToolCall>> = BTreeMap::new();
        let (mut in_doubt, mut unwatched) = (Vec::new(), Vec::new());
        for entry in journal.entries() {
            match &entry.event {
                Event::Responded(body) => {
                    calls = body.response.message.tool_calls().map(Arc::clone).collect();
                    in_doubt.extend(std::mem::take(&mut begun).into_values());
                }
                Event::ToolStarted(body) if body.effect != EffectClass::ReadOnly => {
                    let call = calls.get(body.index as usize).cloned();
                    begun.extend(call.map(|call| (body.index, call)));
                }
                Event::ToolFinished(body) => {
                    let call = begun.remove(&body.index);
                    let why = body.metadata.get(UNWATCHED).and_then(|why| why.as_str());
                    unwatched.extend(call.clone().zip(why.map(str::to_owned)));
                    if matches!(*body.outcome, ToolOutcome::Interrupted) {
                        in_doubt.extend(call);
                    }
                    changes.extend(Change::of(&body.metadata));
                }
                _ => {}
            }
        }
        in_doubt.extend(begun.into_values());
        Self { files: net(changes), in_doubt, unwatched }
    }

    fn notes(&self, session: &str) -> Vec<String> {
        let mut notes = Vec::new();
        if self.files.is_empty() {
            notes.push(format!("no changes of files are recorded in session {}", visible(session)));
        }
        for file in &self.files {
            if file.changed_between {
                let path = one_line(&file.path);
                notes.push(format!("note: {path}: something else changed it in between"));
            }
        }
        for (call, why) in &self.unwatched {
            let (call, why) = (tool::call(call), visible(why));
            notes.push(format!("note: {why}, so not all is told of: {call}"));
        }
        for call in &self.in_doubt {
            let call = tool::call(call);
            notes.push(format!("note: cut off, it may or may not have happened: {call}"));
        }
        notes
    }

    fn patches(&self) -> String {
        self.files.iter().map(patch).collect()
    }

    fn stat(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let lines = match file.patch {
                Some(_) => format!("+{} -{}", grouped(file.added), grouped(file.removed)),
                None => sizes(file),
            };
            text.push_str(&format!("{lines:<12} {}\n", one_line(&file.path)));
        }
        let sum = |of: fn(&FileChange) -> u64| self.files.iter().map(of).sum();
        let (added, removed) = (sum(|file| file.added), sum(|file| file.removed));
        let files = count(self.files.len() as u64, "file");
        let (added, removed) = (count(added, "line"), count(removed, "line"));
        text.push_str(&format!("{files}, {added} added, {removed} removed\n"));
        text
    }
}

/// The patch of a file; of one without, a line that every reader of patches passes by.
fn patch(file: &FileChange) -> String {
    match &file.patch {
        Some(patch) => patch.clone(),
        None => format!("# {}: {}, not kept line by line\n", one_line(&file.path), sizes(file)),
    }
}

fn sizes(file: &FileChange) -> String {
    let bytes = |bytes: u64| count(bytes, "byte");
    match (&file.before, &file.after) {
        (None, Some(after)) => format!("created, {}", bytes(after.bytes)),
        (Some(_), None) => "removed".to_owned(),
        (Some(before), Some(after)) => {
            format!("{} bytes, then {}", grouped(before.bytes), grouped(after.bytes))
        }
        (None, None) => "made and removed again".to_owned(),
    }
}

fn coloured(patches: &str, terminal: Terminal) -> String {
    let mut text = String::new();
    let mut in_hunk = false;
    for line in patches.lines() {
        let tone = match line.as_bytes() {
            [b'@', ..] => {
                in_hunk = true;
                Some(Tone::Quiet)
            }
            [b'd' | b'#', ..] => {
                in_hunk = false;
                Some(Tone::Strong)
            }
            [b'+', ..] if in_hunk => Some(Tone::Added),
            [b'-', ..] if in_hunk => Some(Tone::Removed),
            [b' ', ..] => None,
            [b'\\', ..] => Some(Tone::Quiet),
            _ => Some(Tone::Strong),
        };
        let line = visible(line);
        text.push_str(&tone.map_or_else(|| line.to_string(), |tone| terminal.paint(tone, &line)));
        text.push('\n');
    }
    text
}
