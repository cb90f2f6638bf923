//! A file as lines, of which only those near changes are known.

use std::collections::{BTreeMap, BTreeSet};

use super::Lines;

/// A file that was changed several times, as far as the changes say.
///
/// Its lines before all changes are numbered from 0. Those that a change showed are
/// learned; the others are the same before and after, whatever they say.
#[derive(Debug)]
pub(super) struct Changed {
    of: u64,
    learned: BTreeMap<u64, String>,
    now: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// Lines that were there before all changes.
    Old {
        from: u64,
        to: u64,
    },
    New(String),
}

/// A line that is known, or lines that are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Token<'a> {
    Line(&'a str),
    Gap { from: u64, to: u64 },
}

impl Token<'_> {
    /// How many lines it represents.
    pub(super) fn lines(self) -> u64 {
        match self {
            Self::Line(_) => 1,
            Self::Gap { from, to } => to.saturating_sub(from),
        }
    }
}

impl Piece {
    fn lines(&self) -> u64 {
        match self {
            Self::Old { from, to } => to.saturating_sub(*from),
            Self::New(_) => 1,
        }
    }
}

impl Changed {
    /// A file of so many lines before its first change.
    pub(super) fn new(of: u64) -> Self {
        Self { of, learned: BTreeMap::new(), now: vec![Piece::Old { from: 0, to: of }] }
    }

    /// Applies the next change; false, and nothing happens, if it does not fit.
    pub(super) fn apply(&mut self, change: &Lines) -> bool {
        let before: Vec<_> = change.before.split_inclusive('\n').collect();
        let count = u64::try_from(before.len()).unwrap_or(u64::MAX);
        let total: u64 = self.now.iter().map(Piece::lines).sum();
        let fits = change.skipped.checked_add(count).is_some_and(|end| end <= total);
        if !fits || total != change.of {
            return false;
        }
        let start = self.cut(change.skipped);
        let end = self.cut(change.skipped.saturating_add(count));
        let after = change.after.split_inclusive('\n').map(|line| Piece::New(line.to_owned()));
        let replaced: Vec<_> = self.now.splice(start..end, after).collect();
        let mut lines = before.into_iter();
        for piece in replaced {
            match piece {
                Piece::New(_) => drop(lines.next()),
                Piece::Old { from, to } => {
                    for (number, line) in (from..to).zip(lines.by_ref()) {
                        self.learned.entry(number).or_insert_with(|| line.to_owned());
                    }
                }
            }
        }
        true
    }

    /// The index of the piece that begins after so many lines; one is cut in two for it.
    fn cut(&mut self, lines: u64) -> usize {
        let mut passed = 0_u64;
        for index in 0..self.now.len() {
            if passed == lines {
                return index;
            }
            let Some(piece) = self.now.get_mut(index) else { break };
            let next = passed.saturating_add(piece.lines());
            if let Piece::Old { from, to } = *piece {
                let middle = from.saturating_add(lines.saturating_sub(passed));
                if lines < next {
                    *piece = Piece::Old { from, to: middle };
                    let at = index.saturating_add(1);
                    self.now.insert(at, Piece::Old { from: middle, to });
                    return at;
                }
            }
            passed = next;
        }
        self.now.len()
    }

    /// What it held before all changes, and what it holds now.
    pub(super) fn both(&self) -> (Vec<Token<'_>>, Vec<Token<'_>>) {
        // Lines that are not known are split where anything begins or ends.
        let edges: BTreeSet<u64> = self
            .now
            .iter()
            .filter_map(|piece| match piece {
                Piece::Old { from, to } => Some([*from, *to]),
                Piece::New(_) => None,
            })
            .flatten()
            .collect();
        let mut old = Vec::new();
        self.tokens(0, self.of, &edges, &mut old);
        let mut new = Vec::new();
        for piece in &self.now {
            match piece {
                Piece::New(line) => new.push(Token::Line(line)),
                Piece::Old { from, to } => self.tokens(*from, *to, &edges, &mut new),
            }
        }
        (old, new)
    }

    fn tokens<'a>(&'a self, from: u64, to: u64, edges: &BTreeSet<u64>, into: &mut Vec<Token<'a>>) {
        let mut at = from;
        while at < to {
            if let Some(line) = self.learned.get(&at) {
                into.push(Token::Line(line));
                at = at.saturating_add(1);
                continue;
            }
            let known = self.learned.range(at..).next().map_or(to, |(number, _)| *number);
            let edge = edges.range(at.saturating_add(1)..).next().copied().unwrap_or(to);
            let end = known.min(edge).min(to);
            into.push(Token::Gap { from: at, to: end });
            at = end;
        }
    }
}
