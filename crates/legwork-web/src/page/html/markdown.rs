//! The Markdown that the tokens of a page come to.

use std::borrow::Cow;

use html5gum::StartTag;

use super::elements::{Meaning, Numbers, may_hide};
use super::table::Table;
use super::writer::Writer;
use crate::address::Address;

/// Characters of a title that are kept.
const TITLE: usize = 300;
/// Lists that are remembered; deeper ones are taken for plain ones.
const LISTS: usize = 64;
/// Characters of the main content below which all of the page is shown.
const MAIN: usize = 200;

/// Markdown that grows.
pub(super) struct Markdown<'a> {
    address: &'a Address,
    writer: Writer,
    title: String,
    /// The element whose content is left out, and how often it is nested in itself.
    left_out: Option<(String, usize)>,
    is_title: bool,
    /// Levels of preformatted text.
    preformatted: usize,
    /// Where the link that is open begins, and where it leads.
    link: Option<(usize, String)>,
    /// The number of the next item of each list; none where it is not numbered.
    lists: Vec<Option<u64>>,
    table: Table,
    main: Option<(usize, usize)>,
}

impl<'a> Markdown<'a> {
    pub(super) fn new(address: &'a Address) -> Self {
        Self {
            address,
            writer: Writer::default(),
            title: String::new(),
            left_out: None,
            is_title: false,
            preformatted: 0,
            link: None,
            lists: Vec::new(),
            table: Table::default(),
            main: None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.writer.len()
    }

    pub(super) fn opens(&mut self, tag: &StartTag<()>) {
        let name = String::from_utf8_lossy(&tag.name);
        if let Some((left_out, depth)) = &mut self.left_out {
            if *left_out == *name && !tag.self_closing {
                *depth = depth.saturating_add(1);
            }
            return;
        }
        let meaning = Meaning::of(&name);
        let hidden = may_hide(&name) && tag.attributes.contains_key(&b"hidden"[..]);
        if (meaning == Meaning::LeftOut || hidden) && !tag.self_closing {
            self.left_out = Some((name.into_owned(), 0));
            return;
        }
        match meaning {
            Meaning::Link => self.open_link(attribute(tag, b"href")),
            Meaning::Picture => self.picture(attribute(tag, b"alt")),
            meaning => self.begin(meaning),
        }
    }

    fn begin(&mut self, meaning: Meaning) {
        match meaning {
            Meaning::Title => self.is_title = self.title.is_empty(),
            Meaning::Heading(level) => {
                self.block(2);
                self.writer.mark(&("#".repeat(level) + " "));
            }
            Meaning::Paragraph => self.block(2),
            Meaning::Line => self.block(1),
            Meaning::Break => self.block(1),
            Meaning::Rule => {
                self.block(2);
                self.put("---");
                self.block(2);
            }
            Meaning::List(numbers) => self.open_list(numbers),
            Meaning::Item => self.item(),
            Meaning::Quote => {
                self.block(2);
                self.writer.quotes = self.writer.quotes.saturating_add(1);
            }
            Meaning::Preformatted => {
                self.block(2);
                if self.preformatted == 0 {
                    self.put("```");
                    self.writer.newline();
                }
                self.preformatted = self.preformatted.saturating_add(1);
            }
            Meaning::Code if self.preformatted == 0 => self.put("`"),
            Meaning::Marked(mark) if self.preformatted == 0 => self.put(mark),
            Meaning::Table => {
                self.table = Table::default();
                self.writer.breaks(2);
            }
            Meaning::Row => self.table.row(&mut self.writer),
            Meaning::Cell(head) => self.table.cell(head, &mut self.writer),
            Meaning::Main => {
                self.block(2);
                let at = self.writer.len();
                self.main.get_or_insert((at, usize::MAX));
            }
            _ => {}
        }
    }

    pub(super) fn closes(&mut self, name: &str) {
        if let Some((left_out, depth)) = &mut self.left_out {
            if left_out == name {
                match depth.checked_sub(1) {
                    Some(less) => *depth = less,
                    None => self.left_out = None,
                }
            }
            return;
        }
        match Meaning::of(name) {
            Meaning::Title => self.is_title = false,
            Meaning::Heading(_) | Meaning::Paragraph => self.block(2),
            Meaning::Line | Meaning::Item => self.block(1),
            Meaning::List(_) => {
                self.lists.pop();
                self.writer.lists = self.lists.len();
                let breaks = if self.lists.is_empty() { 2 } else { 1 };
                self.block(breaks);
            }
            Meaning::Quote => {
                self.writer.quotes = self.writer.quotes.saturating_sub(1);
                self.block(2);
            }
            Meaning::Preformatted if self.preformatted > 0 => {
                self.preformatted -= 1;
                if self.preformatted == 0 {
                    self.writer.breaks(1);
                    self.put("```");
                    self.block(2);
                }
            }
            Meaning::Code if self.preformatted == 0 => self.writer.close("`"),
            Meaning::Marked(mark) if self.preformatted == 0 => self.writer.close(mark),
            Meaning::Link => self.close_link(),
            Meaning::Table => {
                self.table.end_row(&mut self.writer);
                self.table = Table::default();
                self.writer.breaks(2);
            }
            Meaning::Row => self.table.end_row(&mut self.writer),
            Meaning::Main => {
                let at = self.writer.len();
                if let Some((_, end)) = self.main.as_mut().filter(|(_, end)| *end == usize::MAX) {
                    *end = at;
                }
                self.block(2);
            }
            _ => {}
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.left_out.is_some() {
            return;
        }
        if self.is_title {
            let room = TITLE.saturating_sub(self.title.chars().count());
            self.title.extend(text.chars().take(room));
            return;
        }
        if self.preformatted > 0 {
            return self.lines(text);
        }
        if text.starts_with(is_space) {
            self.writer.space();
        }
        let mut words = text.split(is_space).filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            self.put(word);
            if words.peek().is_some() || text.ends_with(is_space) {
                self.writer.space();
            }
        }
    }

    /// Text whose line breaks count.
    fn lines(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.writer.newline();
            }
            let line = line.trim_end_matches('\r');
            if !line.is_empty() {
                self.put(line);
            }
        }
    }

    fn put(&mut self, words: &str) {
        self.writer.put(words);
    }

    /// Begins a new line, or only another word where a row of a table has to go on.
    fn block(&mut self, breaks: usize) {
        match self.table.is_in_row() {
            true => self.writer.space(),
            false => self.writer.breaks(breaks),
        }
    }

    fn open_list(&mut self, numbers: Numbers) {
        let breaks = if self.lists.is_empty() { 2 } else { 1 };
        self.block(breaks);
        if self.lists.len() < LISTS {
            self.lists.push((numbers == Numbers::Numbered).then_some(1));
        }
        self.writer.lists = self.lists.len();
    }

    fn item(&mut self) {
        self.block(1);
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ => "- ".to_owned(),
        };
        match self.table.is_in_row() {
            true => self.put(mark.trim_end()),
            false => self.writer.mark(&mark),
        }
    }

    fn open_link(&mut self, href: Option<Cow<'_, str>>) {
        self.close_link();
        let Some(href) = href.filter(|href| !href.is_empty() && !href.starts_with('#')) else {
            return;
        };
        let Ok(leads) = self.address.resolve(&href) else { return };
        if matches!(leads.scheme().as_str(), "http" | "https" | "mailto") && self.preformatted == 0
        {
            let at = self.writer.position();
            self.put("[");
            self.link = Some((at, leads.into_string()));
        }
    }

    fn close_link(&mut self) {
        let Some((at, leads)) = self.link.take() else { return };
        match self.writer.len().saturating_sub(at) {
            // There is no text in it.
            0 | 1 => self.writer.take_back(at),
            _ => self.writer.close(&format!("]({leads})")),
        }
    }

    fn picture(&mut self, alt: Option<Cow<'_, str>>) {
        let alt = alt.unwrap_or_default();
        let words: Vec<_> = alt.split_whitespace().collect();
        if !words.is_empty() {
            self.put(&format!("[image: {}]", words.join(" ")));
        }
    }

    /// The title and the text: of the main content, if the page says which it is.
    pub(super) fn finish(mut self) -> (String, String) {
        self.close_link();
        self.table.end_row(&mut self.writer);
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let length = self.writer.len();
        let is_long = |part: &(usize, usize)| part.1.min(length).saturating_sub(part.0) >= MAIN;
        (title, self.writer.finish(self.main.filter(is_long)))
    }
}

/// The white space of HTML, and the space that does not break.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c' | '\u{a0}')
}

fn attribute<'t>(tag: &'t StartTag<()>, name: &[u8]) -> Option<Cow<'t, str>> {
    tag.attributes.get(name).map(|value| String::from_utf8_lossy(value))
}
