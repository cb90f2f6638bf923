//! Short ids: of sessions the end, which is random (the beginning is the time), of calls that wait
//! the beginning of their digest.

use legwork::core::SessionId;
use legwork::core::state::Pending;

/// Characters of the end of an id that are shown, and those where they are not enough.
const LENGTHS: [usize; 2] = [8, 12];
/// The fewest characters that name a session by the end of its id.
const LEAST: usize = 4;
/// Characters of an id that was made for a session, and where its dashes are.
const MADE: usize = 36;
const DASHES: [usize; 4] = [8, 13, 18, 23];

/// The name of a call that waits. It is of what was asked: another call has another name.
pub(crate) fn of_call(pending: &Pending) -> &str {
    let digest = pending.digest.as_str();
    digest.get(..LENGTHS[0]).unwrap_or(digest)
}

/// How much of an id is shown, so that all differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    Whole,
    /// So many characters of the end.
    End(usize),
}

impl Length {
    /// That of an id that stands alone.
    pub(crate) const SHORT: Self = Self::End(8);

    /// The shortest that tells all of these apart.
    pub(crate) fn apart<'a>(ids: impl Iterator<Item = &'a SessionId> + Clone) -> Self {
        let is_apart = |length: &Self| {
            let mut shown: Vec<_> = ids.clone().map(|id| length.of(id)).collect();
            shown.sort_unstable();
            shown.windows(2).all(|pair| pair.first() != pair.last())
        };
        LENGTHS.map(Self::End).into_iter().find(is_apart).unwrap_or(Self::Whole)
    }

    /// An id as it is shown: that of a subagent with the call that it works for behind it,
    /// one that a person chose as it is.
    pub(crate) fn of(self, id: &SessionId) -> String {
        let id = id.as_str();
        let (root, below) = id.split_at_checked(MADE).unwrap_or((id, ""));
        let is_made = is_made(root) && (below.is_empty() || below.starts_with('.'));
        match self {
            Self::End(length) if is_made => {
                let start = root.len().saturating_sub(length);
                format!("{}{below}", root.get(start..).unwrap_or(root))
            }
            _ => id.to_owned(),
        }
    }
}

fn is_made(id: &str) -> bool {
    id.len() == MADE
        && id.char_indices().all(|(at, c)| match DASHES.contains(&at) {
            true => c == '-',
            false => c.is_ascii_hexdigit(),
        })
}

/// The sessions that an argument may name: by the whole id, its beginning or its end. What
/// names a session names none of its subagents, whose ids begin with the whole of its own.
pub(crate) fn meant<'a>(
    asked: &str,
    ids: impl Iterator<Item = &'a SessionId> + Clone,
) -> Vec<&'a SessionId> {
    if let Some(exact) = ids.clone().find(|id| id.as_str() == asked) {
        return vec![exact];
    }
    let by_end = |id: &SessionId| asked.len() >= LEAST && id.as_str().ends_with(asked);
    let meant: Vec<_> = ids.filter(|id| id.as_str().starts_with(asked) || by_end(id)).collect();
    let is_below = |id: &SessionId| meant.iter().any(|above| is_child(id, above));
    meant.iter().copied().filter(|id| !is_below(id)).collect()
}

fn is_child(id: &SessionId, above: &SessionId) -> bool {
    id.as_str().strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests;
