//! A document as one HTML page that loads nothing and runs nothing.
//!
//! All text is escaped, links lead within the page only, and a policy in the page forbids scripts
//! and whatever is elsewhere.

use legwork::core::SessionId;
use legwork::core::message::{Image, MediaSource};

use super::document::{Block, Call, Document, Kind};
use super::parts::{Part, in_words};
use crate::commands::sessions::branches::Line;
use crate::display::text::{count, one_line, visible};

const STYLE: &str = include_str!("page.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";
/// Lines of a result that are shown unfolded.
const OPEN: usize = 12;
/// Types of images that are shown.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The documents, the first one above all others.
pub(super) fn of(documents: &[Document]) -> String {
    let title = documents.first().map_or("", |document| document.title.as_str());
    let mut page = Page { out: String::new(), documents, at: 0 };
    page.line(&format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>",
        line(title)
    ));
    for at in 0..documents.len() {
        page.at = at;
        page.document();
    }
    page.line("</body>\n</html>");
    page.out
}

struct Page<'d> {
    out: String,
    documents: &'d [Document],
    /// The index of the document that is written.
    at: usize,
}

impl Page<'_> {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn document(&mut self) {
        let documents = self.documents;
        let Some(document) = documents.get(self.at) else { return };
        let is_root = self.at == 0;
        let (open, close) = if is_root { ("main", "main") } else { ("section", "section") };
        self.line(&format!("<{open} id=\"s{}\">", self.at));
        let (level, lead) = if is_root { ("h1", "") } else { ("h2", "Subagent: ") };
        self.line(&format!("<{level}>{lead}{}</{level}>", line(&document.title)));
        self.line("<dl>");
        for (name, fact) in &document.facts {
            self.line(&format!("<dt>{name}</dt><dd>{}</dd>", line(fact)));
        }
        self.line("</dl>");
        self.tree(document);
        let mut last = None;
        for block in &document.blocks {
            // An entry has one anchor, whatever it is shown as.
            if last.replace(block.entry) != Some(block.entry) {
                self.line(&format!("<a id=\"{}\"></a>", self.anchor(block.entry.0)));
            }
            self.block(block);
        }
        self.line(&format!("</{close}>"));
    }

    fn anchor(&self, entry: u64) -> String {
        format!("s{}-e{entry}", self.at)
    }

    /// The branches, as a list in a list.
    fn tree(&mut self, document: &Document) {
        let is_branched = !document.left.is_empty();
        let open = if is_branched { " open" } else { "" };
        self.line(&format!(
            "<details class=\"tree\"{open}><summary>Tasks, steps and branches</summary>"
        ));
        let mut depth = 0;
        self.line("<ul>");
        for line in &document.tree {
            // Branches that begin at the same entry are lists of their own.
            let begins = document.begins.contains(&line.first);
            let keep = if begins { line.depth.saturating_sub(1) } else { line.depth };
            while depth > keep {
                self.line("</ul></li>");
                depth -= 1;
            }
            while depth < line.depth {
                self.line("<li><ul>");
                depth += 1;
            }
            self.branch(document, line);
        }
        (0..depth).for_each(|_| self.line("</ul></li>"));
        self.line("</ul>\n</details>");
    }

    fn branch(&mut self, document: &Document, of: &Line) {
        let text = line(&format!("{}: {}", of.kind, one_line(&of.what)));
        let is_here = |block: &&Block| of.first <= block.entry && block.entry <= of.entry;
        let text = match document.blocks.iter().find(is_here) {
            Some(block) => format!("<a href=\"#{}\">{text}</a>", self.anchor(block.entry.0)),
            None => text,
        };
        let labels: String = of.labels.iter().map(|label| format!(" [{}]", line(label))).collect();
        let head = if of.head { (" class=\"head\"", " (the head)") } else { ("", "") };
        let entry = format!("<span class=\"quiet\">{}</span>", of.entry);
        self.line(&format!("<li{}>{entry} {text}{labels}{}</li>", head.0, head.1));
    }

    fn block(&mut self, block: &Block) {
        match &block.kind {
            Kind::Task(number, parts) => {
                self.line(&format!("<h2>Task {number}</h2>"));
                self.said("said asked", parts);
            }
            Kind::Step(number, used) => {
                self.line(&format!("<h3>Step {number} <small>{}</small></h3>", line(used)));
            }
            Kind::Message(how, parts) => {
                self.line(&format!("<p class=\"quiet\">{}</p>", line(how)));
                self.said("said asked", parts);
            }
            Kind::Said(parts) => self.said("said", parts),
            Kind::Thinking(text) => self.folded("Thinking", text),
            Kind::Call(call) => self.call(call),
            Kind::Output(json) => {
                self.line(&format!("<p class=\"quiet\">Output</p>\n<pre>{}</pre>", escaped(json)));
            }
            Kind::Note(text) => self.line(&format!("<p class=\"quiet\">{}</p>", line(text))),
            Kind::Error(text) => self.line(&format!("<p class=\"bad\">{}</p>", escaped(text))),
        }
    }

    fn said(&mut self, class: &str, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Text(text) => {
                    self.line(&format!(
                        "<div class=\"{class}\">{}</div>",
                        escaped(text.trim_end())
                    ));
                }
                Part::Note(text) => self.line(&format!("<p class=\"quiet\">{}</p>", line(text))),
                Part::Image(image) => self.image(image),
            }
        }
    }

    fn call(&mut self, call: &Call) {
        let outcome = call.outcome.as_deref().unwrap_or("not run");
        let class = if outcome.starts_with("succeeded") { "quiet" } else { "bad" };
        self.line(&format!(
            "<div class=\"call\">\n<strong>{}</strong> <span class=\"{class}\">{}</span>",
            line(&call.name),
            line(outcome)
        ));
        if let Some(child) = &call.child {
            let link = self.link(child);
            self.line(&format!("<p class=\"quiet\">Subagent: {link}</p>"));
        }
        self.folded("Arguments", &call.arguments);
        for part in &call.result {
            match part {
                Part::Text(text) if text.lines().count() > OPEN => {
                    let lines = count(text.lines().count() as u64, "line");
                    self.folded(&format!("Result, {lines}"), text);
                }
                Part::Text(text) => self.line(&format!("<pre>{}</pre>", escaped(text.trim_end()))),
                Part::Note(text) => self.line(&format!("<p class=\"quiet\">{}</p>", line(text))),
                Part::Image(image) => self.image(image),
            }
        }
        self.line("</div>");
    }

    /// A link to the session of a subagent, if it is in the page.
    fn link(&self, child: &SessionId) -> String {
        let text = line(child.as_str());
        match self.documents.iter().position(|document| document.session == *child) {
            Some(at) => format!("<a href=\"#s{at}\">{text}</a>"),
            None => text,
        }
    }

    fn folded(&mut self, name: &str, text: &str) {
        let (name, text) = (line(name), escaped(text.trim_end()));
        self.line(&format!("<details><summary>{name}</summary><pre>{text}</pre></details>"));
    }

    /// An image that the journal has, of a type that is only a picture; any other in words.
    fn image(&mut self, image: &Image) {
        let media_type = image.media_type.to_ascii_lowercase();
        let is_base64 = |text: &str| {
            text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
        };
        match &image.source {
            MediaSource::Base64(bytes)
                if IMAGES.contains(&media_type.as_str()) && is_base64(bytes) =>
            {
                self.line(&format!(
                    "<img alt=\"picture\" src=\"data:{media_type};base64,{bytes}\">"
                ));
            }
            _ => self.line(&format!("<p class=\"quiet\">{}</p>", line(&in_words(image)))),
        }
    }
}

/// Text in one line, for text and for attributes in double quotes.
fn line(text: &str) -> String {
    escaped(&one_line(text))
}

/// Text for text and for attributes in double quotes.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
