//! How many matches each file has, up to as many as are needed.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};

use super::text::{Searched, Texts};
use crate::blocking::Stop;
use crate::tree::{Opener, Regular, Tree};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Lines that match.
    Lines,
    /// Files with a line that matches.
    Files,
}

/// What became of one file.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    Text { matches: usize, cut: bool },
    Binary,
    Unreadable,
}

/// What the files gone through hold: all, or those up to as many as are needed.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// How many matches each has, in the order of the files.
    pub(super) matches: Vec<usize>,
    /// All of them together.
    pub(super) found: usize,
    pub(super) binary: usize,
    pub(super) unreadable: usize,
    /// How many have lines that were not searched whole.
    pub(super) cut: usize,
}

impl Counted {
    fn add(&mut self, outcome: Outcome) {
        let one_more = |number: &mut usize| *number = number.saturating_add(1);
        let mut own = 0;
        match outcome {
            Outcome::Text { matches, cut } => {
                own = matches;
                if cut {
                    one_more(&mut self.cut);
                }
            }
            Outcome::Binary => one_more(&mut self.binary),
            Outcome::Unreadable => one_more(&mut self.unreadable),
        }
        self.found = self.found.saturating_add(own);
        self.matches.push(own);
    }
}

/// What the threads of a count share.
struct Count<'a> {
    tree: &'a Tree,
    paths: &'a [PathBuf],
    unit: Unit,
    needed: usize,
    next: AtomicUsize,
    progress: Mutex<Progress>,
    /// Enough was found, or the caller has stopped waiting.
    enough: Stop,
    stop: &'a Stop,
}

/// Outcomes come in any order and are counted in that of the files, so that
/// what is found does not hang on which thread was faster.
struct Progress {
    outcomes: Vec<Option<Outcome>>,
    counted: Counted,
}

/// Counts, with several threads, until so many matches were found in order.
pub(super) fn count(
    tree: &Tree,
    matcher: &RegexMatcher,
    paths: &[PathBuf],
    (unit, needed): (Unit, usize),
    threads: usize,
    stop: &Stop,
) -> Counted {
    let outcomes = vec![None; paths.len()];
    let progress = Mutex::new(Progress { outcomes, counted: Counted::default() });
    let (next, enough) = (AtomicUsize::new(0), Stop::default());
    let count = Count { tree, paths, unit, needed, next, progress, enough, stop };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let matcher = matcher.clone();
            let count = &count;
            scope.spawn(move || count.work(&matcher));
        }
        count.work(matcher);
    });
    count.progress.into_inner().unwrap_or_else(PoisonError::into_inner).counted
}

impl Count<'_> {
    fn work(&self, matcher: &RegexMatcher) {
        let searcher = SearcherBuilder::new()
            .line_number(false)
            .binary_detection(BinaryDetection::quit(0))
            .build();
        let mut texts = Texts::new(searcher);
        let mut opener = Opener::new(self.tree);
        while !self.stop.is_raised() && !self.enough.is_raised() {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = self.paths.get(index) else {
                return;
            };
            let opened = opener.file(path);
            let outcome = self.search(opened, &mut texts, matcher);
            self.send(index, outcome);
        }
    }

    fn search(
        &self,
        opened: io::Result<Option<Regular>>,
        texts: &mut Texts,
        matcher: &RegexMatcher,
    ) -> Outcome {
        let file = match opened {
            Ok(Some(file)) => file,
            Ok(None) => return Outcome::Text { matches: 0, cut: false },
            Err(_) => return Outcome::Unreadable,
        };
        let most = if self.unit == Unit::Files { 1 } else { self.needed };
        let mut tally = Tally { matches: 0, most, enough: &self.enough, stop: self.stop };
        match texts.search(matcher, file, &mut tally, self.stop) {
            Ok(Searched::Text { cut }) => Outcome::Text { matches: tally.matches, cut },
            Ok(Searched::Binary) => Outcome::Binary,
            Err(_) => Outcome::Unreadable,
        }
    }

    fn send(&self, index: usize, outcome: Outcome) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let Progress { outcomes, counted } = &mut *progress;
        if let Some(slot) = outcomes.get_mut(index) {
            *slot = Some(outcome);
        }
        while counted.found < self.needed {
            let Some(Some(outcome)) = outcomes.get(counted.matches.len()) else {
                return;
            };
            counted.add(*outcome);
        }
        self.enough.raise();
    }
}

/// Counts the matches of one file.
struct Tally<'a> {
    matches: usize,
    most: usize,
    enough: &'a Stop,
    stop: &'a Stop,
}

impl Sink for Tally<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> io::Result<bool> {
        self.matches = self.matches.saturating_add(1);
        Ok(self.matches < self.most && !self.enough.is_raised() && !self.stop.is_raised())
    }
}
