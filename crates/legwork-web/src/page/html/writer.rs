//! Writes text with as few spaces and line breaks as are needed, and what lines begin with.

/// Levels of quotes and lists that are shown; deeper ones look like the last.
const SHOWN: usize = 6;

/// Text that grows.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    /// Line breaks that are due before the next text.
    breaks: usize,
    /// Whether a space is due before the next text.
    space: bool,
    /// Levels of quotes and of lists around the text.
    pub(super) quotes: usize,
    pub(super) lists: usize,
    /// What the next text begins with, such as the mark of an item or heading.
    mark: String,
}

impl Writer {
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Has the next text begin on a new line; of `2`, after an empty one.
    pub(super) fn breaks(&mut self, breaks: usize) {
        self.breaks = self.breaks.max(breaks);
        self.space = false;
    }

    /// Has a space before the next text on the same line.
    pub(super) fn space(&mut self) {
        self.space = true;
    }

    /// Has the next text begin with this.
    pub(super) fn mark(&mut self, mark: &str) {
        mark.clone_into(&mut self.mark);
    }

    /// Whether nothing was written since the last mark or line break.
    pub(super) fn at_start(&self) -> bool {
        self.breaks > 0 || self.text.is_empty() || self.text.ends_with('\n')
    }

    /// Writes words as they are.
    pub(super) fn put(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        let at_start = self.at_start();
        if at_start {
            self.begin_line();
        } else if self.space {
            self.text.push(' ');
        }
        self.space = false;
        self.text.push_str(words);
    }

    /// Writes the marks that text ends with: spaces that are due come after them.
    pub(super) fn close(&mut self, mark: &str) {
        self.text.push_str(mark);
    }

    /// Where the next text will begin, with all that comes before it written.
    pub(super) fn position(&mut self) -> usize {
        if self.at_start() {
            self.begin_line();
        } else if std::mem::take(&mut self.space) {
            self.text.push(' ');
        }
        self.text.len()
    }

    /// Takes back what was written from a position on.
    pub(super) fn take_back(&mut self, to: usize) {
        self.text.truncate(to);
    }

    /// A line break within text whose line breaks count.
    pub(super) fn newline(&mut self) {
        self.text.push('\n');
        self.prefix();
    }

    fn begin_line(&mut self) {
        let breaks = std::mem::take(&mut self.breaks);
        if !self.text.is_empty() {
            let there = self.text.len() - self.text.trim_end_matches('\n').len();
            (there..breaks).for_each(|_| self.text.push('\n'));
        }
        self.prefix();
        let mark = std::mem::take(&mut self.mark);
        self.text.push_str(&mark);
        self.space = false;
    }

    fn prefix(&mut self) {
        (0..self.quotes.min(SHOWN)).for_each(|_| self.text.push_str("> "));
        let lists = self.lists.min(SHOWN);
        let marked = usize::from(!self.mark.is_empty() && lists > 0);
        (marked..lists).for_each(|_| self.text.push_str("  "));
    }

    /// The text from one position to another, or all of it.
    pub(super) fn finish(self, part: Option<(usize, usize)>) -> String {
        let part = part.and_then(|(from, to)| self.text.get(from..to.min(self.text.len())));
        let text = part.unwrap_or(&self.text);
        // A line that only holds what lines begin with is an empty one.
        let mut tidy = String::with_capacity(text.len());
        for line in text.trim_matches('\n').lines() {
            tidy.push_str(line.trim_end());
            tidy.push('\n');
        }
        tidy.truncate(tidy.trim_end().len());
        tidy
    }
}
