//! Changes of one file, each of what the one before had left.

use super::lines::Changed;
use super::{Change, Kind, Lines, Version};

/// The bytes of a file; none if there is no file.
type Bytes = Option<Vec<u8>>;

/// Changes of one file, each of what the one before had left.
#[derive(Debug)]
pub(super) struct Chain {
    changes: Vec<Change>,
    /// None once a change is not known line by line.
    pub(super) lines: Option<Changed>,
}

/// The changes of each file in the order in which they were made, cut where something else
/// changed the file in between. Files come in the order of their first change.
pub(super) fn chains(changes: impl IntoIterator<Item = Change>) -> Vec<(String, Vec<Chain>)> {
    let mut files: Vec<(String, Vec<Chain>)> = Vec::new();
    for change in changes {
        let at = files.iter().position(|(path, _)| *path == change.path);
        let at = at.unwrap_or_else(|| {
            files.push((change.path.clone(), Vec::new()));
            files.len().saturating_sub(1)
        });
        if let Some((_, chains)) = files.get_mut(at) {
            match chains.last_mut().filter(|chain| chain.goes_on_with(&change)) {
                Some(chain) => chain.push(change),
                None => chains.push(Chain::new(change)),
            }
        }
    }
    files
}

impl Chain {
    fn new(change: Change) -> Self {
        let lines = change.lines.as_ref().map(|lines| Changed::new(lines.of));
        let mut chain = Self { changes: Vec::new(), lines };
        chain.push(change);
        chain
    }

    /// Whether a change found what the last one had left.
    fn goes_on_with(&self, change: &Change) -> bool {
        match (self.after(), &change.before) {
            (Some(after), Some(before)) => after.may_be(before),
            (after, before) => after.is_none() && before.is_none(),
        }
    }

    fn push(&mut self, change: Change) {
        // Bytes that stayed are lines that stayed, whether there are any or not.
        let same = change.before.as_ref().zip(change.after.as_ref());
        let is_same = same.is_some_and(|(before, after)| before.has_bytes_of(after));
        self.lines = self.lines.take().and_then(|mut file| match &change.lines {
            Some(lines) => file.apply(lines).then_some(file),
            None => is_same.then_some(file),
        });
        self.changes.push(change);
    }

    /// What was there before the first change.
    pub(super) fn before(&self) -> Option<&Version> {
        self.changes.first().and_then(|change| change.before.as_ref())
    }

    /// What was there after the last.
    pub(super) fn after(&self) -> Option<&Version> {
        self.changes.last().and_then(|change| change.after.as_ref())
    }

    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether it came to nothing: the file is what it was. Without a digest it is not possible to
    /// say that two versions are the same.
    pub(super) fn is_nothing(&self) -> bool {
        match (self.before(), self.after()) {
            (Some(before), Some(after)) => before.has_bytes_of(after) && before.mode == after.mode,
            (before, after) => before.is_none() && after.is_none(),
        }
    }

    /// What was there before the first change and after the last, none where nothing was;
    /// none at all where it is not known.
    pub(super) fn contents(&self) -> Option<(Bytes, Bytes)> {
        let (at, known) = self
            .changes
            .iter()
            .enumerate()
            .find_map(|(at, change)| Some((at, known(change.after.as_ref())?)))?;
        let (back, on) = self.changes.split_at_checked(at.saturating_add(1))?;
        let before = back
            .iter()
            .rev()
            .try_fold(known.clone(), |content, change| reversed(change, content.as_deref()))?;
        let after =
            on.iter().try_fold(known, |content, change| applied(change, content.as_deref()))?;
        Some((before, after))
    }

    /// What was there before the first change, from what was there after the last.
    pub(super) fn back_from(&self, after: Option<&[u8]>) -> Option<Bytes> {
        let mut content = after.map(<[u8]>::to_vec);
        for change in self.changes.iter().rev() {
            content = reversed(change, content.as_deref())?;
        }
        Some(content)
    }
}

/// The content of a version, where all of it was kept; inner none for no file.
fn known(version: Option<&Version>) -> Option<Bytes> {
    let Some(version) = version else { return Some(None) };
    let content = version.content.as_ref()?.bytes()?;
    is_of(version, &content).then_some(Some(content))
}

/// What was there before a change, from what was there after it.
fn reversed(change: &Change, after: Option<&[u8]>) -> Option<Bytes> {
    let way = |lines: &Lines| Some((lines.skipped, lines.after.clone(), lines.before.clone()));
    led(change, (change.after.as_ref(), after), change.before.as_ref(), way)
}

/// What was there after a change, from what was there before it.
fn applied(change: &Change, before: Option<&[u8]>) -> Option<Bytes> {
    let way = |lines: &Lines| Some((lines.skipped, lines.before.clone(), lines.after.clone()));
    led(change, (change.before.as_ref(), before), change.after.as_ref(), way)
}

fn led(
    change: &Change,
    (from, content): (Option<&Version>, Option<&[u8]>),
    to: Option<&Version>,
    way: impl Fn(&Lines) -> Option<(u64, String, String)>,
) -> Option<Bytes> {
    let Some(to) = to else { return Some(None) };
    if let Some(known) = known(Some(to)).flatten() {
        return Some(Some(known));
    }
    let content = content.unwrap_or_default();
    let stayed = from.is_some_and(|from| from.has_bytes_of(to));
    let made = match &change.lines {
        Some(lines) => {
            let (skipped, old, new) = way(lines)?;
            replaced(content, skipped, old.as_bytes(), new.as_bytes())?
        }
        None if stayed => content.to_vec(),
        None => return None,
    };
    is_of(to, &made).then_some(Some(made))
}

/// The content with lines replaced; none if they are not there.
fn replaced(content: &[u8], skipped: u64, old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    let skipped = usize::try_from(skipped).ok()?;
    let start: usize =
        content.split_inclusive(|byte| *byte == b'\n').take(skipped).map(<[u8]>::len).sum();
    let rest = content.get(start..)?.strip_prefix(old)?;
    Some([content.get(..start)?, new, rest].concat())
}

/// Whether a version has this content, as its digest says.
pub(super) fn is_of(version: &Version, content: &[u8]) -> bool {
    let of = match version.kind {
        Kind::File => Version::file(content, None),
        Kind::Link => Version::link(content),
    };
    version.has_bytes_of(&of)
}
