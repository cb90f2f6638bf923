//! `legwork sessions diff`: the files that a session changed, before and after.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork::core::SessionId;
use legwork::port::Store;
use legwork::port::store::Range;
use legwork::tools::changes::{Change, FileChange, net};
use serde_json::json;

use super::changed::Changed;
use crate::args;
use crate::commands::{print, print_data, print_json, tell};
use crate::config::Config;
use crate::display::text::{count, grouped, one_line, visible};
use crate::display::{Terminal, Tone};
use crate::error::Error;
use crate::exit::Exit;
use crate::session::{Found, find};
use crate::store_address::StoreAddress;

pub(crate) async fn diff(args: args::Diff, config: &Config) -> Result<Exit, Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let store = address.open_to_read()?;
    let found = find(store.as_ref(), &args.session, &address).await?;
    found.warn();
    let changed = match &store {
        Some(store) => Diff::of(Changed::of(&**store, &found).await?),
        None => Diff::of(Changed::default()),
    };
    let terminal = Terminal::detect();
    if args.json {
        return print_json(&changed.json());
    }
    for note in changed.notes(found.id.as_str()) {
        tell(&note);
    }
    match (args.stat, terminal.out) {
        (true, _) => print(&changed.stat()),
        (false, true) => {
            let terminal = terminal.for_out();
            print(&coloured(&changed.patches(), terminal))
        }
        // What `git apply` reads is left as it is.
        (false, false) => print_data(&changed.patches()),
    }
}

/// What a session changed in files, as a patch for people, with what is to be said beside it.
///
/// # Errors
/// When the store cannot be read.
pub(crate) async fn changes(
    store: &Arc<dyn Store>,
    session: &SessionId,
    terminal: Terminal,
) -> Result<(String, Vec<String>), Error> {
    let found = Found::new(session.clone(), store.read(session, Range::ALL).await?);
    let changed = Diff::of(Changed::of(&**store, &found).await?);
    let notes = changed.notes(session.as_str());
    Ok((coloured(&changed.patches(), terminal), notes))
}

/// What journals tell of files.
struct Diff {
    files: Vec<FileChange>,
    /// What the paths are relative to: the root of the Git repository that the session worked
    /// in, as `git apply` wants it, else the directory; none if that is not recorded.
    base: Option<PathBuf>,
    changed: Changed,
}

impl Diff {
    fn of(mut changed: Changed) -> Self {
        let base = changed.dir.as_deref().map(base);
        let changes = std::mem::take(&mut changed.changes).into_iter().map(|change| {
            let path =
                base.as_deref().and_then(|base| Path::new(&change.path).strip_prefix(base).ok());
            let path = path.map(|path| path.to_string_lossy().into_owned());
            Change { path: path.unwrap_or(change.path), ..change }
        });
        let files = net(changes);
        Self { files, base, changed }
    }

    fn notes(&self, session: &str) -> Vec<String> {
        let mut notes = Vec::new();
        if self.files.is_empty() && !self.changed.has_undone() {
            notes.push(format!("no changes of files are recorded in session {}", visible(session)));
        }
        for file in &self.files {
            let path = one_line(&file.path);
            if file.changed_between {
                notes.push(format!("note: {path}: something else changed it in between"));
            }
            if self.base.is_some() && file.path.starts_with('/') {
                notes.push(format!("note: {path}: outside of the directory, so no patch takes it"));
            }
        }
        let here = std::env::current_dir().ok();
        if let Some(base) = self.base.as_ref().filter(|base| Some(*base) != here.as_ref()) {
            let base = visible(&base.to_string_lossy()).into_owned();
            let files = !self.files.is_empty();
            notes.extend(files.then(|| format!("note: paths are relative to {base}")));
        }
        notes.extend(self.changed.notes());
        notes
    }

    fn json(&self) -> String {
        let line = |file: &FileChange| {
            let mut line = serde_json::to_value(file).ok()?;
            line.as_object_mut()?.insert("base".to_owned(), json!(self.base));
            Some(format!("{line}\n"))
        };
        self.files.iter().filter_map(line).collect()
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

/// The root of the Git repository that a directory is in; itself if it is in none.
fn base(dir: &Path) -> PathBuf {
    let root = dir.ancestors().find(|above| above.join(".git").exists());
    root.unwrap_or(dir).to_owned()
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
            [b'd' | b'#' | b'G', ..] => {
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
