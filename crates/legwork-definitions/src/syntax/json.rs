//! JSON, read into nodes that know their lines.

use std::cell::Cell;
use std::io::{self, Read};

use serde::de::{DeserializeSeed, Deserializer};

use super::node::{Lines, Node, NodeVisitor};
use crate::problem::{Problem, cut};

/// The value of a JSON text.
pub(super) fn read(text: &str) -> Result<Node, Problem> {
    let line = Cell::new(1);
    let bytes = Counted { left: text.as_bytes(), line: &line, ended: false };
    let mut json = serde_json::Deserializer::from_reader(bytes);
    let read = Seed(&line).deserialize(&mut json).and_then(|node| json.end().map(|()| node));
    read.map_err(|error| {
        let line = u64::try_from(error.line()).ok().filter(|line| *line > 0);
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let mend = match message.starts_with("recursion limit") {
            true => "make it flatter",
            false => "mend the JSON there: double quotes, no comma at the end, no comments",
        };
        Problem::new(format!("cannot be read as JSON: {}", cut(message)), mend).on_line(line)
    })
}

/// Hands out one byte at a time, and counts the lines that ended before the last one.
struct Counted<'a> {
    left: &'a [u8],
    line: &'a Cell<u64>,
    ended: bool,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let (Some((byte, left)), Some(first)) = (self.left.split_first(), into.first_mut()) else {
            return Ok(0);
        };
        if std::mem::replace(&mut self.ended, *byte == b'\n') {
            self.line.set(self.line.get().saturating_add(1));
        }
        *first = *byte;
        self.left = left;
        Ok(1)
    }
}

#[derive(Clone, Copy)]
struct Seed<'a>(&'a Cell<u64>);

impl Lines for Seed<'_> {
    fn line(&self) -> Option<u64> {
        Some(self.0.get())
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(NodeVisitor(self))
    }
}
