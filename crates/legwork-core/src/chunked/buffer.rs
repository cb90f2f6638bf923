//! A buffer for the bytes of a vector, which continues those of the vector before.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Weak};

use super::{Chunk, Chunked};
use crate::encoded::Wire;

/// Bytes that are written, among them those of a [`Chunked`](super::Chunked) vector.
///
/// A buffer that is made [`after`](Self::after) another one keeps its bytes up to where the two
/// vectors differ, so that only what was added is copied. What is written before the vector has to
/// be the same bytes as in the other one; if it is not, all is written anew.
///
/// It dereferences to a vector of bytes, which is written to. What was written before the last item of the
/// vector must not be changed any more; up to one byte behind the last item may be removed.
#[derive(Debug)]
pub struct Buffer<M> {
    bytes: Vec<u8>,
    marks: Option<Marks<M>>,
    before: Option<Written<M>>,
}

/// Bytes that were written, and where in them the items of a vector end.
#[derive(Debug)]
pub struct Written<M> {
    /// The bytes; as many as there were, or none.
    pub bytes: Vec<u8>,
    /// Where the items end.
    pub marks: Option<Marks<M>>,
}

/// Where the items of a vector end in bytes that were written.
///
/// They are marks of full chunks, and of the items behind these. They keep no item alive.
#[derive(Debug)]
pub struct Marks<M> {
    wire: Wire,
    /// Where the first item begins.
    start: usize,
    chunks: Vec<Mark<Chunk<Arc<M>>>>,
    /// The items behind these chunks.
    items: Vec<Mark<M>>,
}

/// What was written, and where its bytes end.
#[derive(Debug)]
struct Mark<W> {
    what: Weak<W>,
    end: usize,
}

/// What a buffer has of a vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    /// How many full chunks from the first on.
    pub(super) chunks: usize,
    /// How many items behind these.
    pub(super) items: usize,
}

impl<M> Buffer<M> {
    /// An empty buffer that uses the memory of what was written before, and continues it.
    pub fn after(before: Written<M>) -> Self {
        let head = before.marks.as_ref().map_or(0, |marks| marks.start);
        Self { bytes: Vec::with_capacity(head), marks: None, before: Some(before) }
    }

    /// What was written.
    pub fn into_written(self) -> Written<M> {
        let Self { bytes, mut marks, .. } = self;
        if let Some(marks) = &mut marks {
            marks.forget(|end| end > bytes.len());
        }
        Written { bytes, marks }
    }

    /// Begins to write a vector, of which the buffer may have the first items.
    pub(super) fn begin(&mut self, wire: &Wire, vector: &Chunked<Arc<M>>) -> Held {
        let start = self.bytes.len();
        let Written { mut bytes, marks } = self.before.take().unwrap_or_default();
        let is_same = |marks: &Marks<M>| {
            let is_head = marks.start == start && bytes.get(..start) == Some(&self.bytes);
            marks.wire == *wire && is_head && marks.end().is_none_or(|end| end <= bytes.len())
        };
        let mut marks = marks.filter(is_same).unwrap_or_else(|| Marks {
            wire: wire.clone(),
            start,
            chunks: Vec::new(),
            items: Vec::new(),
        });
        let held = marks.keep(vector);
        match marks.end() {
            Some(end) => bytes.truncate(end),
            None => {
                bytes.clear();
                bytes.extend_from_slice(&self.bytes);
            }
        }
        (self.bytes, self.marks) = (bytes, Some(marks));
        held
    }

    /// Notes that the bytes of a chunk end here.
    pub(super) fn mark(&mut self, chunk: &Arc<Chunk<Arc<M>>>) {
        let end = self.bytes.len();
        if let Some(marks) = &mut self.marks {
            marks.items.clear();
            marks.chunks.push(Mark::new(chunk, end));
        }
    }

    /// Notes that the bytes of an item end here.
    pub(super) fn mark_item(&mut self, item: &Arc<M>) {
        let end = self.bytes.len();
        if let Some(marks) = &mut self.marks {
            marks.items.push(Mark::new(item, end));
        }
    }

    /// Ends the vector: forgets what has nothing behind it.
    ///
    /// For the last byte may be removed.
    pub(super) fn end(&mut self) {
        let end = self.bytes.len();
        if let Some(marks) = &mut self.marks {
            marks.forget(|ends| ends == end);
        }
    }
}

impl<M> Marks<M> {
    /// Keeps what a vector has, too.
    fn keep(&mut self, vector: &Chunked<Arc<M>>) -> Held {
        let both = self.chunks.iter().zip(vector.full.iter());
        let chunks = both.take_while(|(mark, chunk)| mark.is_of(chunk)).count();
        let behind = match vector.full.get(chunks) {
            _ if chunks < self.chunks.len() => &[],
            Some(chunk) => &**chunk.items,
            None => &**vector.tail,
        };
        let both = self.items.iter().zip(behind);
        let items = both.take_while(|(mark, item)| mark.is_of(item)).count();
        self.chunks.truncate(chunks);
        self.items.truncate(items);
        Held { chunks, items }
    }

    /// Where the last item ends.
    fn end(&self) -> Option<usize> {
        let chunk = || self.chunks.last().map(|mark| mark.end);
        self.items.last().map(|mark| mark.end).or_else(chunk)
    }

    /// Forgets what ends there, from the last on.
    fn forget(&mut self, ends: impl Fn(usize) -> bool) {
        while self.items.pop_if(|mark| ends(mark.end)).is_some() {}
        if self.items.is_empty() {
            while self.chunks.pop_if(|mark| ends(mark.end)).is_some() {}
        }
    }
}

impl<M> Default for Buffer<M> {
    fn default() -> Self {
        Self { bytes: Vec::new(), marks: None, before: None }
    }
}

impl<M> Default for Written<M> {
    fn default() -> Self {
        Self { bytes: Vec::new(), marks: None }
    }
}

impl<W> Mark<W> {
    fn new(what: &Arc<W>, end: usize) -> Self {
        Self { what: Arc::downgrade(what), end }
    }

    fn is_of(&self, other: &Arc<W>) -> bool {
        std::ptr::eq(self.what.as_ptr(), Arc::as_ptr(other))
    }
}

impl<M> Deref for Buffer<M> {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl<M> DerefMut for Buffer<M> {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}
