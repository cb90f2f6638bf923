//! From the bytes of an answer to what a model reads.

mod charset;
mod html;
mod kind;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::address::Address;

pub use kind::{Kind, Unreadable};

/// How a page is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// HTML as Markdown, all else as it is.
    #[default]
    Readable,
    /// As it is.
    Source,
}

/// A page as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The title of an HTML page; empty if it has none.
    pub title: String,
    /// The text: of HTML, Markdown.
    pub text: String,
    /// Whether the text is longer than what is rendered of a page.
    pub is_cut: bool,
}

impl Page {
    /// The page that bytes of a kind are; links are relative to its address.
    ///
    /// Linear in the bytes, in time and memory, whatever they hold.
    #[must_use]
    pub fn read(kind: &Kind, bytes: &[u8], address: &Address, form: Form) -> Self {
        let text = charset::decoded(kind, bytes);
        match (kind.is_html(), form) {
            (true, Form::Readable) => html::rendered(&text, address),
            _ => Self { text: plain(text), ..Self::default() },
        }
    }
}

/// A text with the line breaks of Unix.
fn plain(text: Cow<'_, str>) -> String {
    match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n"),
        false => text.into_owned(),
    }
}
