//! Markdown as it streams in, for a terminal.
//!
//! What is written is never written again in another way: words of a line appear as they
//! come, and only what more text could still change waits: a mark that is not closed, the
//! beginning of a line that may become an item, the rows of a table. Each wait is bounded,
//! so that the work is linear in the text, whatever it is.

mod block;
mod inline;
mod lists;
mod table;
mod wrap;

#[cfg(test)]
mod tests;

use block::{Extent, Kind, Line};
use inline::{Style, Styles};
use lists::Lists;
use wrap::Wrap;

use super::marks::Marks;

/// Bytes that a word, and an open mark, are waited for.
const WORD: usize = 2_000;
const MARK: usize = 500;
/// Rows that a table is waited for.
const ROWS: usize = 500;

/// Markdown as it streams in.
#[derive(Debug)]
pub(crate) struct Markdown {
    wrap: Wrap,
    marks: Marks,
    /// What came of the line and is not shown yet.
    held: String,
    state: State,
    fence: Option<Fence>,
    lists: Lists,
    rows: Vec<String>,
    /// Whether a blank line came since what was shown last.
    gap: bool,
    begun: bool,
    /// Whether the line before was code by its indentation.
    indented: bool,
    /// Bytes that are to be held before open marks are looked at again.
    again: usize,
}

/// What is known of the line that comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Text(Style),
    /// Its characters are shown as they are.
    Raw,
}

#[derive(Debug)]
struct Fence {
    sign: char,
    length: usize,
    quotes: usize,
    indent: usize,
    lead: String,
}

impl Markdown {
    pub(crate) fn new(columns: usize, colour: bool, marks: Marks) -> Self {
        let styles = if colour { Styles::Terminal } else { Styles::None };
        Self {
            wrap: Wrap::new(columns.max(8), styles),
            marks,
            held: String::new(),
            state: State::Unknown,
            fence: None,
            lists: Lists::default(),
            rows: Vec::new(),
            gap: false,
            begun: false,
            indented: false,
            again: 0,
        }
    }

    /// Whether what is shown ends within a line.
    pub(crate) fn is_open(&self) -> bool {
        self.wrap.is_open()
    }

    /// Whether a line, or a table, has begun that more text goes on with.
    pub(crate) fn is_within_line(&self) -> bool {
        let waits = !self.held.is_empty() || !self.rows.is_empty();
        waits || self.state != State::Unknown || self.is_open()
    }

    /// The width of lines from here on.
    pub(crate) fn set_columns(&mut self, columns: usize) {
        self.wrap.width = columns.max(8);
    }

    /// Takes a piece and gives what can be shown now.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for part in piece.split_inclusive('\n') {
            match part.strip_suffix('\n') {
                Some(line) => {
                    self.held.push_str(line.strip_suffix('\r').unwrap_or(line));
                    self.end_line(&mut out);
                }
                None => {
                    self.held.push_str(part);
                    self.feed(&mut out);
                }
            }
        }
        out
    }

    /// Gives what was held back and ends the line, so that others can write.
    pub(crate) fn pause(&mut self) -> String {
        let mut out = String::new();
        if !self.held.is_empty() || self.state != State::Unknown {
            self.end_line(&mut out);
        }
        self.end_table(&mut out);
        self.wrap.end_open(&mut out);
        out
    }

    /// Ends the text: what comes next is another one.
    pub(crate) fn finish(&mut self) -> String {
        let out = self.pause();
        self.fence = None;
        self.lists.clear();
        (self.gap, self.begun, self.indented) = (false, false, false);
        out
    }

    fn end_line(&mut self, out: &mut String) {
        if self.state == State::Unknown {
            self.decide(Extent::Whole, out);
        }
        match self.state {
            State::Unknown => {}
            State::Raw => {
                let held = std::mem::take(&mut self.held);
                self.wrap.raw(&held, out);
                self.wrap.end(out);
            }
            State::Text(style) => {
                self.feed_words(style, out);
                let held = std::mem::take(&mut self.held);
                self.words(&held, style, out);
                self.wrap.end(out);
            }
        }
        self.held.clear();
        (self.state, self.again) = (State::Unknown, 0);
    }

    fn feed(&mut self, out: &mut String) {
        if self.state == State::Unknown {
            self.decide(Extent::Beginning, out);
        }
        match self.state {
            State::Unknown => {}
            State::Raw => {
                // A carriage return may belong to the line's end.
                let held = std::mem::take(&mut self.held);
                let text = held.strip_suffix('\r').unwrap_or(&held);
                self.wrap.raw(text, out);
                self.held.push_str(held.get(text.len()..).unwrap_or_default());
            }
            State::Text(style) => self.feed_words(style, out),
        }
    }

    /// Shows the words of the line that nothing can change any more.
    fn feed_words(&mut self, style: Style, out: &mut String) {
        let held = std::mem::take(&mut self.held);
        let mut rest = &*held;
        while let Some((ready, left)) = self.ready(rest).and_then(|at| rest.split_at_checked(at)) {
            self.words(ready, style, out);
            if !ready.ends_with([' ', '\t']) {
                self.wrap.glue();
            }
            (rest, self.again) = (left, 0);
        }
        self.held.push_str(rest);
    }

    /// How many bytes can be shown; none while more text is needed.
    fn ready(&mut self, text: &str) -> Option<usize> {
        let window = text.get(..floor(text, WORD)).unwrap_or_default();
        let Some(end) = after_space(window) else {
            return (text.len() > WORD).then_some(window.len());
        };
        let words = text.get(..end)?;
        let Some(mark) = inline::mark(words) else { return Some(end) };
        if let Some(before) = text.get(..mark).and_then(after_space) {
            return Some(before);
        }
        for (at, space) in words.match_indices([' ', '\t']) {
            let end = at.saturating_add(space.len());
            if end < self.again || end > MARK {
                continue;
            }
            if inline::is_settled(text.get(..end)?) {
                return Some(end);
            }
            // Looked at again only when there is markedly more: the work stays linear.
            self.again = end.saturating_add(end / 4).saturating_add(1);
        }
        // It was waited for long enough: what is open stays so.
        (text.len() > MARK)
            .then(|| words.get(..floor(words, MARK)).and_then(after_space))?
            .or(Some(end))
    }

    fn words(&mut self, text: &str, style: Style, out: &mut String) {
        for word in inline::words(text, style, self.wrap.styles) {
            self.wrap.word(&word, out);
        }
    }

    /// Finds out what the line is, if enough of it is there.
    fn decide(&mut self, extent: Extent, out: &mut String) {
        if self.fence.is_some() {
            return self.code(extent);
        }
        let Some(line) = block::line(&self.held, extent) else {
            if self.held.len() > MARK && self.held.trim_start().is_empty() {
                // More white space than this says nothing more.
                self.held.truncate(floor(&self.held, MARK));
            }
            return;
        };
        if line.kind != Kind::Row && !self.rows.is_empty() {
            self.end_table(out);
        }
        match &line.kind {
            Kind::Blank => {
                self.gap = true;
                self.held.clear();
            }
            Kind::Row => self.row(&line, out),
            Kind::Text if self.is_code(&line) => self.indented_code(out),
            _ => self.begin(line, out),
        }
    }

    /// A line that begins or goes on with a block, but for code and tables.
    fn begin(&mut self, line: Line, out: &mut String) {
        self.indented = false;
        self.separate(out);
        let quote = self.quote(line.quotes);
        let content = self.held.get(line.content..).unwrap_or_default().trim_start().to_owned();
        self.held = content;
        let lead = |columns: usize| format!("{quote}{}", " ".repeat(columns));
        match line.kind {
            Kind::Item(number) => {
                let sign = if number.is_empty() { self.marks.bullet.to_owned() } else { number };
                let (before, after) =
                    self.lists.open_item(line.indent, sign.chars().count(), self.wrap.width);
                self.wrap.begin(format!("{}{sign} ", lead(before)), lead(after));
                self.state = State::Text(Style::default());
            }
            Kind::Heading(level) => {
                self.lists.clear();
                let sign = match self.wrap.styles {
                    Styles::Terminal => String::new(),
                    Styles::None => format!("{} ", "#".repeat(level)),
                };
                self.wrap.begin(format!("{quote}{sign}"), quote);
                self.state = State::Text(Style { strong: true, ..Style::default() });
            }
            Kind::Rule => {
                self.lists.clear();
                self.held.clear();
                self.wrap.begin(quote.clone(), quote);
                self.wrap.raw(&self.marks.rule.repeat(self.wrap.width.min(24)), out);
                self.wrap.end(out);
            }
            Kind::Fence(sign, length) => {
                let lead = lead(self.lists.hanging(line.indent).saturating_add(2));
                self.held.clear();
                self.fence =
                    Some(Fence { sign, length, quotes: line.quotes, indent: line.indent, lead });
            }
            Kind::Text | Kind::Blank | Kind::Row => {
                let hanging = lead(self.lists.hanging(line.indent));
                self.wrap.begin(hanging.clone(), hanging);
                self.state = State::Text(Style::default());
            }
        }
    }

    /// The empty line that stood before a block, once there is one.
    fn separate(&mut self, out: &mut String) {
        if std::mem::take(&mut self.gap) && self.begun {
            out.push('\n');
        }
        self.begun = true;
    }

    fn quote(&self, depth: usize) -> String {
        self.marks.quote.repeat(depth)
    }

    fn is_code(&self, line: &Line) -> bool {
        let apart = self.gap || !self.begun || self.indented;
        line.indent >= 4 && line.quotes == 0 && self.lists.is_empty() && apart
    }

    fn indented_code(&mut self, out: &mut String) {
        self.separate(out);
        self.indented = true;
        self.wrap.begin(String::new(), String::new());
        self.state = State::Raw;
    }

    fn row(&mut self, line: &Line, out: &mut String) {
        if self.rows.is_empty() {
            self.separate(out);
            let quote = self.quote(line.quotes);
            let lead = format!("{quote}{}", " ".repeat(self.lists.hanging(line.indent)));
            self.wrap.begin(lead.clone(), lead);
        }
        let row = self.held.get(line.content..).unwrap_or_default().to_owned();
        self.rows.push(row);
        self.held.clear();
        if self.rows.len() >= ROWS {
            self.end_table(out);
        }
    }

    fn end_table(&mut self, out: &mut String) {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return;
        }
        let signs = table::Signs { rule: self.marks.rule, bullet: self.marks.bullet };
        if !table::write(&rows, &signs, &mut self.wrap, out) {
            for row in rows {
                self.words(&row, Style::default(), out);
                self.wrap.end(out);
            }
        }
    }

    /// A line of fenced code, or the end of the fence.
    fn code(&mut self, extent: Extent) {
        let Some(fence) = &self.fence else { return };
        let inner = block::unquoted(&self.held, fence.quotes);
        let (indent, rest) = block::indented(inner);
        let sign = rest.trim_end_matches([' ', '\t']);
        let may_end = sign.chars().all(|c| c == fence.sign) && self.held.len() < WORD;
        if may_end && extent == Extent::Beginning {
            return;
        }
        if may_end && indent < 4 && sign.len() >= fence.length {
            self.fence = None;
            self.held.clear();
            return;
        }
        // The code is indented by no less than its fence, if it is by as much.
        let spaces = inner.len().saturating_sub(inner.trim_start_matches(' ').len());
        let code = inner.get(spaces.min(fence.indent)..).unwrap_or_default().to_owned();
        let lead = if code.is_empty() { String::new() } else { fence.lead.clone() };
        self.held = code;
        self.wrap.begin(lead.clone(), lead);
        self.state = State::Raw;
    }
}

/// The end of the last white space.
fn after_space(text: &str) -> Option<usize> {
    text.rfind([' ', '\t']).map(|at| at.saturating_add(1))
}

/// The largest end of a character that is no further than this.
fn floor(text: &str, most: usize) -> usize {
    text.floor_char_boundary(most)
}
