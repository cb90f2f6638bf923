//! Emphasis, code and links in a stretch of one line, as words.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// Put in front, so that nothing in a stretch is read as the beginning of a block.
const LEAD: &str = "x ";

/// How text is set off from the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) strong: bool,
    pub(super) emphasis: bool,
    pub(super) code: bool,
    pub(super) struck: bool,
    pub(super) quiet: bool,
}

/// Text in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) style: Style,
    pub(super) text: String,
}

/// What is never broken over lines.
pub(super) type Word = Vec<Span>;

/// How marks are shown where they cannot be styled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Styles {
    /// By styles of the terminal.
    Terminal,
    /// Code keeps its backticks; other marks go.
    None,
}

/// The words of a stretch of one line.
pub(super) fn words(text: &str, base: Style, styles: Styles) -> Vec<Word> {
    let mut reading = Reading { words: Vec::new(), open: false, styles };
    let (mut style, mut links) = (base, Vec::new());
    for event in parse(&format!("{LEAD}{text}")) {
        match event {
            Event::Start(Tag::Strong) => style.strong = true,
            Event::End(TagEnd::Strong) => style.strong = base.strong,
            Event::Start(Tag::Emphasis) => style.emphasis = true,
            Event::End(TagEnd::Emphasis) => style.emphasis = base.emphasis,
            Event::Start(Tag::Strikethrough) => style.struck = true,
            Event::End(TagEnd::Strikethrough) => style.struck = base.struck,
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                let is_itself = matches!(link_type, LinkType::Autolink | LinkType::Email);
                links.push((reading.place(), (!is_itself).then_some(dest_url)));
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                links.push((reading.place(), Some(dest_url)));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if let Some((from, Some(url))) = links.pop() {
                    reading.address(from, &url, base);
                }
            }
            Event::Text(text) | Event::InlineHtml(text) | Event::Html(text) => {
                reading.add(&text, style);
            }
            Event::Code(text) => reading.code(&text, style),
            Event::SoftBreak | Event::HardBreak => reading.open = false,
            _ => {}
        }
    }
    // The lead.
    reading.words.drain(..reading.words.len().min(1));
    reading.words
}

/// Whether nothing that follows could change how a stretch reads: no mark is left open.
pub(super) fn is_settled(text: &str) -> bool {
    let mut left = String::new();
    for event in parse(&format!("{LEAD}{text}")) {
        match event {
            Event::Text(text) => left.push_str(&text),
            Event::Code(_) => left.push('.'),
            _ => {}
        }
    }
    mark(&left).is_none()
}

/// Where the first mark is that may open something.
pub(super) fn mark(text: &str) -> Option<usize> {
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map_or(' ', |(_, c)| *c);
        let opens = match c {
            '`' | '[' => true,
            '*' => !(before.is_whitespace() && after.is_whitespace()),
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            '~' => after == '~' || before == '~',
            '<' => after.is_ascii_alphabetic() || after == '/' || after == '!',
            _ => false,
        };
        if opens {
            return Some(at);
        }
        before = c;
    }
    None
}

fn parse(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH)
}

struct Reading {
    words: Vec<Word>,
    /// Whether the last word goes on.
    open: bool,
    styles: Styles,
}

impl Reading {
    fn add(&mut self, text: &str, style: Style) {
        for (at, piece) in text.split(|c: char| c.is_ascii_whitespace()).enumerate() {
            self.open &= at == 0;
            if piece.is_empty() {
                continue;
            }
            let span = Span { style, text: piece.to_owned() };
            match self.words.last_mut().filter(|_| self.open) {
                Some(word) => word.push(span),
                None => self.words.push(vec![span]),
            }
            self.open = true;
        }
    }

    fn code(&mut self, text: &str, style: Style) {
        match self.styles {
            Styles::Terminal => self.add(text, Style { code: true, ..style }),
            Styles::None => self.add(&format!("`{text}`"), style),
        }
    }

    /// Where a text begins that is added next: a word, and a span in it.
    fn place(&self) -> (usize, usize) {
        match self.words.last().filter(|_| self.open) {
            Some(word) => (self.words.len().saturating_sub(1), word.len()),
            None => (self.words.len(), 0),
        }
    }

    /// Adds where a link goes, unless its text says so.
    fn address(&mut self, (word, span): (usize, usize), url: &str, base: Style) {
        let first = self.words.get(word).and_then(|word| word.get(span..)).unwrap_or_default();
        let rest = self.words.get(word.saturating_add(1)..).unwrap_or_default();
        let text: String =
            first.iter().chain(rest.iter().flatten()).map(|span| &*span.text).collect();
        if url.is_empty() || url == text || url.trim_end_matches('/') == text {
            return;
        }
        let url: String = url.chars().filter(|c| !c.is_whitespace()).collect();
        let style = Style { quiet: true, ..base };
        self.open = false;
        match text.is_empty() {
            true => self.add(&url, style),
            false => self.add(&format!("({url})"), style),
        }
    }
}
