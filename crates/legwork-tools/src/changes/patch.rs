//! A patch of one file, as `git apply` and `patch` read it.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, capture_diff_slices_deadline};

use super::chain::Chain;
use super::lines::Token;
use super::{Kind, Version, binary};

/// Lines shown around a change.
const CONTEXT: usize = 3;
/// After so long the rest is shown as replaced.
const PATIENCE: Duration = Duration::from_secs(1);

/// The hunks of a patch, and how many lines it adds and removes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hunks {
    pub(super) text: String,
    pub(super) added: u64,
    pub(super) removed: u64,
}

#[derive(Clone, Copy)]
struct Row<'a> {
    tag: ChangeTag,
    token: Token<'a>,
    /// The lines before it, in the old and in the new.
    before: (u64, u64),
}

/// The hunks that lead from the old to the new.
pub(super) fn hunks(old: &[Token<'_>], new: &[Token<'_>]) -> Hunks {
    let rows = rows(old, new);
    let mut hunks = Hunks::default();
    // Lines that are not known are in no hunk.
    for known in rows.split(|row| matches!(row.token, Token::Gap { .. })) {
        for hunk in grouped(known) {
            hunks.push(hunk);
        }
    }
    hunks
}

fn rows<'a>(old: &[Token<'a>], new: &[Token<'a>]) -> Vec<Row<'a>> {
    let deadline = Instant::now().checked_add(PATIENCE);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, old, new, deadline);
    let (mut rows, mut before) = (Vec::new(), (0_u64, 0_u64));
    for change in ops.iter().flat_map(|op| op.iter_changes(old, new)) {
        let (tag, token) = (change.tag(), change.value());
        rows.push(Row { tag, token, before });
        let lines = token.lines();
        if tag != ChangeTag::Insert {
            before.0 = before.0.saturating_add(lines);
        }
        if tag != ChangeTag::Delete {
            before.1 = before.1.saturating_add(lines);
        }
    }
    rows
}

/// The rows around changes, those near each other together.
fn grouped<'r, 'a>(rows: &'r [Row<'a>]) -> Vec<&'r [Row<'a>]> {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if row.tag == ChangeTag::Equal {
            continue;
        }
        let (start, end) = (at.saturating_sub(CONTEXT), (at + 1 + CONTEXT).min(rows.len()));
        match groups.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            _ => groups.push((start, end)),
        }
    }
    groups.into_iter().filter_map(|(start, end)| rows.get(start..end)).collect()
}

impl Hunks {
    fn push(&mut self, rows: &[Row<'_>]) {
        let Some(first) = rows.first() else { return };
        let count = |but: ChangeTag| rows.iter().filter(|row| row.tag != but).count() as u64;
        let (old, new) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        // An empty range names the line before it.
        let start = |before: u64, count: u64| before.saturating_add(u64::from(count > 0));
        let (from, to) = (start(first.before.0, old), start(first.before.1, new));
        let _ = writeln!(self.text, "@@ -{from},{old} +{to},{new} @@");
        for row in rows {
            let sign = match row.tag {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let Token::Line(line) = row.token else { continue };
            self.text.push(sign);
            self.text.push_str(line);
            if !line.ends_with('\n') {
                self.text.push_str("\n\\ No newline at end of file\n");
            }
        }
        let tagged = |tag: ChangeTag| rows.iter().filter(|row| row.tag == tag).count() as u64;
        self.added = self.added.saturating_add(tagged(ChangeTag::Insert));
        self.removed = self.removed.saturating_add(tagged(ChangeTag::Delete));
    }
}

/// The patch of a file, and how many lines it adds and removes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) text: String,
    pub(super) added: u64,
    pub(super) removed: u64,
}

/// The patch of a file, as git writes it; none where what was there is not known.
pub(super) fn of(path: &str, chain: &Chain) -> Option<Patch> {
    let mut patch = Patch::default();
    let (before, after) = (chain.before(), chain.after());
    let kinds = before.zip(after).map(|(before, after)| (before.kind, after.kind));
    let is_other = kinds.is_some_and(|(before, after)| before != after);
    match &chain.lines {
        Some(lines) => {
            let (old, new) = lines.both();
            // What becomes something else is removed, and the other made.
            let parts = match is_other {
                true => vec![(before, None, hunks(&old, &[])), (None, after, hunks(&[], &new))],
                false => vec![(before, after, hunks(&old, &new))],
            };
            for (before, after, hunks) in parts {
                patch.add(path, before, after, &hunks);
            }
        }
        None => {
            let (old, new) = chain.contents()?;
            let (old, new) = (old.as_deref(), new.as_deref());
            match is_other {
                true => {
                    patch.add_binary(path, (before, old), (None, None));
                    patch.add_binary(path, (None, None), (after, new));
                }
                false => patch.add_binary(path, (before, old), (after, new)),
            }
        }
    }
    Some(patch)
}

type Side<'a> = (Option<&'a Version>, Option<&'a [u8]>);

impl Patch {
    fn add(
        &mut self,
        path: &str,
        before: Option<&Version>,
        after: Option<&Version>,
        hunks: &Hunks,
    ) {
        if hunks.text.is_empty() && self.is_only_mode(path, before, after) {
            return;
        }
        let (old, new) = self.head(path, before, after);
        self.added = self.added.saturating_add(hunks.added);
        self.removed = self.removed.saturating_add(hunks.removed);
        if hunks.text.is_empty() {
            return;
        }
        // A tab says where a name ends that holds a blank.
        let end = if path.contains(' ') { "\t" } else { "" };
        let side = |version: Option<&Version>, name: &str| match version {
            None => "/dev/null".to_owned(),
            Some(_) => format!("{name}{end}"),
        };
        let (old, new) = (side(before, &old), side(after, &new));
        let _ = write!(self.text, "--- {old}\n+++ {new}\n{}", hunks.text);
    }

    fn add_binary(&mut self, path: &str, (before, old): Side<'_>, (after, new): Side<'_>) {
        if old == new && self.is_only_mode(path, before, after) {
            return;
        }
        self.head(path, before, after);
        if old == new {
            return;
        }
        self.text.push_str(&binary::index(old, new));
        self.text.push_str(&binary::body(old.unwrap_or_default(), new.unwrap_or_default()));
    }

    /// Whether only the mode changed, and git does not know of it; then a line says that
    /// every reader of patches passes by.
    fn is_only_mode(
        &mut self,
        path: &str,
        before: Option<&Version>,
        after: Option<&Version>,
    ) -> bool {
        let Some((old, new)) = before.zip(after).filter(|(old, new)| mode(old) == mode(new)) else {
            return false;
        };
        let shown = |version: &Version| version.mode.unwrap_or_default();
        let path = path.escape_debug();
        let _ = writeln!(self.text, "# {path}: mode {:03o}, then {:03o}", shown(old), shown(new));
        true
    }

    /// What comes before the lines; the names of both sides.
    fn head(
        &mut self,
        path: &str,
        before: Option<&Version>,
        after: Option<&Version>,
    ) -> (String, String) {
        let relative = path.trim_start_matches('/');
        let (old, new) = (name("a", relative), name("b", relative));
        let _ = writeln!(self.text, "diff --git {old} {new}");
        let _ = match (before.map(mode), after.map(mode)) {
            (None, Some(mode)) => writeln!(self.text, "new file mode {mode}"),
            (Some(mode), None) => writeln!(self.text, "deleted file mode {mode}"),
            (Some(old), Some(new)) if old != new => {
                writeln!(self.text, "old mode {old}\nnew mode {new}")
            }
            _ => Ok(()),
        };
        (old, new)
    }
}

/// What git keeps of a mode: whether its owner may run it.
fn mode(version: &Version) -> &'static str {
    match (version.kind, version.mode) {
        (Kind::Link, _) => "120000",
        (Kind::File, Some(mode)) if mode & 0o100 != 0 => "100755",
        (Kind::File, _) => "100644",
    }
}

/// A path in a patch; quoted as C does where it holds what would be read otherwise.
fn name(side: &str, path: &str) -> String {
    let plain = |c: char| !c.is_control() && c != '"' && c != '\\';
    if path.chars().all(plain) {
        return format!("{side}/{path}");
    }
    let mut quoted = format!("\"{side}/");
    for c in path.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let mut bytes = [0_u8; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
