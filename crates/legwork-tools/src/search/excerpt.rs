//! The matches of one page, as lines of text.

use std::collections::VecDeque;
use std::io;
use std::path::Path;

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch,
};

use super::line::shorten;
use super::text::Texts;
use crate::blocking::Stop;
use crate::tree::Tree;

/// Bytes after which a page takes no further match.
pub(super) const BYTES_MAX: usize = 100 * 1024;

/// Matches of a file: from which on, and how many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) skip: usize,
    pub(super) take: usize,
}

/// A page that grows file by file.
#[derive(Debug)]
pub(super) struct Page<'a> {
    tree: &'a Tree,
    matcher: &'a RegexMatcher,
    texts: Texts,
    context: usize,
    stop: &'a Stop,
    pub(super) text: String,
}

impl<'a> Page<'a> {
    pub(super) fn new(
        tree: &'a Tree,
        matcher: &'a RegexMatcher,
        context: usize,
        stop: &'a Stop,
    ) -> Self {
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .binary_detection(BinaryDetection::quit(0))
            .build();
        Self { tree, matcher, texts: Texts::new(searcher), context, stop, text: String::new() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.text.len() >= BYTES_MAX
    }

    /// Adds matches of a file, those that are not gone by now; how many.
    pub(super) fn add(&mut self, path: &Path, wanted: Wanted) -> usize {
        let before = self.text.len();
        if before > 0 {
            self.text.push('\n');
        }
        self.text.push_str(&self.tree.shown(path));
        self.text.push('\n');
        let mut excerpt = Excerpt {
            matcher: self.matcher,
            context: self.context,
            wanted,
            seen: 0,
            shown: 0,
            before: VecDeque::new(),
            last: None,
            text: &mut self.text,
        };
        if let Ok(Some(file)) = self.tree.file(path) {
            // What was found before an error is shown.
            let _ = self.texts.search(self.matcher, file, &mut excerpt, self.stop);
        }
        let shown = excerpt.shown;
        if shown == 0 {
            self.text.truncate(before);
        }
        shown
    }
}

/// Writes the matches of one file, with the lines around them.
struct Excerpt<'a> {
    matcher: &'a RegexMatcher,
    context: usize,
    wanted: Wanted,
    /// How many matches went by, and how many of them were written.
    seen: usize,
    shown: usize,
    /// The last lines that were not written; the next match may want them.
    before: VecDeque<(u64, String)>,
    /// Number of the last line written.
    last: Option<u64>,
    text: &'a mut String,
}

impl Excerpt<'_> {
    fn keep(&mut self, number: u64, bytes: &[u8]) {
        if self.context == 0 {
            return;
        }
        if self.before.len() >= self.context {
            self.before.pop_front();
        }
        self.before.push_back((number, shorten(bytes, 0)));
    }

    fn write(&mut self, number: u64, mark: char, line: &str) {
        let gap = self.last.is_some_and(|last| last.saturating_add(1) < number);
        if gap && self.context > 0 {
            self.text.push_str("--\n");
        }
        self.last = Some(number);
        self.text.push_str(&format!("{number}{mark}{line}\n"));
    }
}

impl Sink for Excerpt<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let number = found.line_number().unwrap_or_default();
        self.seen = self.seen.saturating_add(1);
        if self.seen <= self.wanted.skip {
            self.keep(number, found.bytes());
            return Ok(true);
        }
        if self.shown >= self.wanted.take || self.text.len() >= BYTES_MAX {
            return Ok(false);
        }
        let near = number.saturating_sub(u64::try_from(self.context).unwrap_or(u64::MAX));
        for (number, line) in std::mem::take(&mut self.before) {
            if number >= near {
                self.write(number, '-', &line);
            }
        }
        let at = self.matcher.find(found.bytes())?.map_or(0, |at| at.start());
        self.write(number, ':', &shorten(found.bytes(), at));
        self.shown = self.shown.saturating_add(1);
        // Without lines to come after it, the last one ends the file.
        Ok(self.context > 0 || self.shown < self.wanted.take)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        let number = line.line_number().unwrap_or_default();
        if self.shown > 0 && *line.kind() == SinkContextKind::After {
            let text = shorten(line.bytes(), 0);
            self.write(number, '-', &text);
        } else {
            self.keep(number, line.bytes());
        }
        Ok(true)
    }
}
