//! HTML as Markdown.
//!
//! The tokens of the page (`html5gum`, which is the tokenizer of the standard) are written as
//! they come: no tree is made of them. A tree as the standard builds it is what a hostile page
//! makes large: it nests without end, which exhausts the stack of whoever walks it, and elements
//! that were not closed are repeated in each block after them, so that a page of 100 kB may have a
//! tree of gigabytes. Here time and memory are linear in the page, and what is written has a bound.

mod elements;
mod markdown;
mod table;
mod writer;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};

use self::markdown::Markdown;
use super::Page;
use crate::address::Address;

/// Bytes of Markdown after which the rest of a page is left out.
const MOST: usize = 8 << 20;

/// The page that HTML is.
pub(super) fn rendered(html: &str, address: &Address) -> Page {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut markdown = Markdown::new(address);
    let mut is_cut = false;
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => markdown.opens(&tag),
            Token::EndTag(tag) => markdown.closes(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => markdown.text(&String::from_utf8_lossy(&text.value)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
        if markdown.len() > MOST {
            is_cut = true;
            break;
        }
    }
    let (title, text) = markdown.finish();
    Page { title, text, is_cut }
}
