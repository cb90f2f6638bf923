//! A buffer for the bytes of a vector, which continues those of the vector before.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Weak};

use super::Chunk;
use crate::encoded::Wire;
use crate::vector::Vector;

/// Bytes that are written, among them those of a [`Chunked`](super::Chunked) vector.
///
/// A buffer that is made [`after`](Self::after) another one keeps its bytes up to where the two
/// vectors differ, so that only what was added is copied. What is written before the vector has to
/// be the same bytes as in the other one; if it is not, all is written anew.
///
/// It dereferences to a vector of bytes, which is written to. What was written before the last item of the
/// vector must not be changed any more; up to one byte behind the last item may be removed.
#[derive(Debug)]
pub struct Buffer<T> {
    bytes: Vec<u8>,
    marks: Option<Marks<T>>,
    before: Option<Written<T>>,
}

/// Bytes that were written, and where in them the chunks of a vector end.
#[derive(Debug)]
pub struct Written<T> {
    /// The bytes; as many as there were, or none.
    pub bytes: Vec<u8>,
    /// Where the chunks end.
    pub marks: Option<Marks<T>>,
}

/// Where the full chunks of a vector end in bytes that were written.
///
/// It keeps no item alive.
#[derive(Debug)]
pub struct Marks<T> {
    wire: Wire,
    /// Where the first item begins.
    start: usize,
    chunks: Vec<Mark<T>>,
}

/// A full chunk, and where its bytes end.
#[derive(Debug)]
struct Mark<T> {
    chunk: Weak<Chunk<T>>,
    end: usize,
}

impl<T> Buffer<T> {
    /// An empty buffer that uses the memory of what was written before, and continues it.
    pub fn after(before: Written<T>) -> Self {
        let head = before.marks.as_ref().map_or(0, |marks| marks.start);
        Self { bytes: Vec::with_capacity(head), marks: None, before: Some(before) }
    }

    /// What was written.
    pub fn into_written(self) -> Written<T> {
        let Self { bytes, mut marks, .. } = self;
        if let Some(marks) = &mut marks {
            while marks.chunks.pop_if(|mark| mark.end > bytes.len()).is_some() {}
        }
        Written { bytes, marks }
    }

    /// Begins to write a vector, of which the buffer may have the first chunks: how many it has.
    pub(super) fn begin(&mut self, wire: &Wire, chunks: &Vector<Arc<Chunk<T>>>) -> usize {
        let start = self.bytes.len();
        let Written { mut bytes, marks } = self.before.take().unwrap_or_default();
        let is_same = |marks: &Marks<T>| {
            marks.wire == *wire && marks.start == start && bytes.get(..start) == Some(&self.bytes)
        };
        let mut marks = marks.filter(is_same).unwrap_or_else(|| Marks {
            wire: wire.clone(),
            start,
            chunks: Vec::new(),
        });
        let both = marks.chunks.iter().zip(chunks.iter());
        let held = both.take_while(|(mark, chunk)| mark.is_of(chunk)).count();
        marks.chunks.truncate(held);
        match marks.chunks.last() {
            Some(mark) => bytes.truncate(mark.end),
            None => {
                bytes.clear();
                bytes.extend_from_slice(&self.bytes);
            }
        }
        (self.bytes, self.marks) = (bytes, Some(marks));
        held
    }

    /// Notes that the bytes of a chunk end here.
    pub(super) fn mark(&mut self, chunk: &Arc<Chunk<T>>) {
        let end = self.bytes.len();
        if let Some(marks) = &mut self.marks {
            marks.chunks.push(Mark { chunk: Arc::downgrade(chunk), end });
        }
    }

    /// Ends the vector: forgets the chunks with nothing behind them, because the last byte may be
    /// removed.
    pub(super) fn end(&mut self) {
        let end = self.bytes.len();
        if let Some(marks) = &mut self.marks {
            while marks.chunks.pop_if(|mark| mark.end == end).is_some() {}
        }
    }
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self { bytes: Vec::new(), marks: None, before: None }
    }
}

impl<T> Default for Written<T> {
    fn default() -> Self {
        Self { bytes: Vec::new(), marks: None }
    }
}

impl<T> Mark<T> {
    fn is_of(&self, chunk: &Arc<Chunk<T>>) -> bool {
        std::ptr::eq(self.chunk.as_ptr(), Arc::as_ptr(chunk))
    }
}

impl<T> Deref for Buffer<T> {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl<T> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}
