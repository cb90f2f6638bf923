//! A persistent vector in chunks, which can cache the encoded bytes of each chunk.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::encoded::{Encoded, Wire};
use crate::vector::Vector;

mod buffer;

use buffer::Held;
pub use buffer::{Buffer, Marks, Written};

/// Items in one chunk.
const CHUNK: usize = 32;

/// A vector whose clones share their chunks.
///
/// A clone increments two reference counts. A push copies at most the last chunk, if it is
/// shared.
#[derive(Debug)]
pub struct Chunked<T> {
    full: Arc<Vector<Arc<Chunk<T>>>>,
    tail: Arc<Vec<T>>,
}

/// A full chunk, with the cached bytes of all its items for each wire.
#[derive(Debug)]
struct Chunk<T> {
    items: Arc<Vec<T>>,
    encoded: Encoded,
}

impl<T> Clone for Chunked<T> {
    fn clone(&self) -> Self {
        Self { full: Arc::clone(&self.full), tail: Arc::clone(&self.tail) }
    }
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { full: Arc::default(), tail: Arc::default() }
    }
}

impl<T: Clone> Chunked<T> {
    /// An empty vector.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an item.
    pub fn push(&mut self, item: T) {
        let tail = Arc::make_mut(&mut self.tail);
        tail.push(item);
        if tail.len() >= CHUNK {
            let (items, encoded) = (std::mem::take(&mut self.tail), Encoded::default());
            Arc::make_mut(&mut self.full).push(Arc::new(Chunk { items, encoded }));
        }
    }

    /// Replaces the item at an index, if there is one.
    pub fn replace(&mut self, index: usize, item: T) {
        let change = |items: &mut Arc<Vec<T>>| {
            if let Some(place) = Arc::make_mut(items).get_mut(index % CHUNK) {
                *place = item;
            }
        };
        if index / CHUNK >= self.full.len() {
            if index < self.len() {
                change(&mut self.tail);
            }
            return;
        }
        if let Some(chunk) = Arc::make_mut(&mut self.full).get_mut(index / CHUNK) {
            let (mut items, encoded) = (Arc::clone(&chunk.items), Encoded::default());
            change(&mut items);
            *chunk = Arc::new(Chunk { items, encoded });
        }
    }

    /// Keeps the first `len` items.
    pub fn truncate(&mut self, len: usize) {
        let full = len / CHUNK;
        if let Some(cut) = self.full.get(full) {
            self.tail = Arc::clone(&cut.items);
            self.full = Arc::new(self.full.iter().take(full).cloned().collect());
        }
        let keep = len - self.full.len() * CHUNK;
        if keep < self.tail.len() {
            Arc::make_mut(&mut self.tail).truncate(keep);
        }
    }
}

impl<T> Chunked<T> {
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.tail.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item at an index.
    pub fn get(&self, index: usize) -> Option<&T> {
        match self.full.get(index / CHUNK) {
            Some(chunk) => chunk.items.get(index % CHUNK),
            None => self.tail.get(index.checked_sub(self.full.len() * CHUNK)?),
        }
    }

    /// The first item.
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// The last item.
    pub fn last(&self) -> Option<&T> {
        self.tail.last().or_else(|| self.full.last().and_then(|chunk| chunk.items.last()))
    }

    /// All items in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.full.iter().flat_map(|chunk| chunk.items.iter()).chain(self.tail.iter())
    }

    /// The items from an index on, in order.
    pub fn iter_from(&self, index: usize) -> impl Iterator<Item = &T> {
        (index..self.len()).filter_map(|index| self.get(index))
    }

    /// Removes all items; keeps the capacity of the last chunk if it is not shared.
    pub fn clear(&mut self) {
        if !self.full.is_empty() {
            self.full = Arc::default();
        }
        match Arc::get_mut(&mut self.tail) {
            Some(tail) => tail.clear(),
            None => self.tail = Arc::default(),
        }
    }
}

impl<M> Chunked<Arc<M>> {
    /// Appends the bytes of all items for a wire, in order.
    ///
    /// The bytes of a full chunk are encoded once for a wire, and copied from then on, unless the
    /// buffer continues one that has them. `encode` appends the bytes of one item, and must
    /// append the same ones each time.
    pub fn append_encoded(
        &self,
        wire: &Wire,
        out: &mut Buffer<M>,
        encode: impl FnMut(&Arc<M>, &mut Vec<u8>),
    ) {
        self.append_joined(wire, out, |_, _, _| {}, encode);
    }

    /// Appends the bytes of all items for a wire, in order, with others between them.
    ///
    /// As [`append_encoded`](Self::append_encoded); `join` appends what is between an item and
    /// the next, which may depend on these two alone.
    pub fn append_joined(
        &self,
        wire: &Wire,
        out: &mut Buffer<M>,
        join: impl Fn(&Arc<M>, &Arc<M>, &mut Vec<u8>),
        mut encode: impl FnMut(&Arc<M>, &mut Vec<u8>),
    ) {
        let Held { chunks, mut items } = out.begin(wire, self);
        let before = chunks.checked_sub(1).and_then(|index| self.full.get(index));
        let mut last = before.and_then(|chunk| chunk.items.last());
        for chunk in (chunks..self.full.len()).filter_map(|index| self.full.get(index)) {
            match std::mem::take(&mut items) {
                0 => {
                    if let (Some(last), Some(first)) = (last, chunk.items.first()) {
                        join(last, first, out);
                    }
                    let each = |out: &mut Vec<u8>| each(&chunk.items, out, &join, &mut encode);
                    chunk.encoded.append(wire, out, each);
                }
                held => rest(&chunk.items, held, last, out, &join, &mut encode),
            }
            out.mark(chunk);
            last = chunk.items.last();
        }
        rest(&self.tail, items, last, out, &join, &mut encode);
        out.end();
    }
}

/// Appends the bytes of items, and what is between them.
fn each<T>(
    items: &[T],
    out: &mut Vec<u8>,
    join: impl Fn(&T, &T, &mut Vec<u8>),
    mut encode: impl FnMut(&T, &mut Vec<u8>),
) {
    let mut last = None;
    for item in items {
        if let Some(last) = last {
            join(last, item, out);
        }
        encode(item, out);
        last = Some(item);
    }
}

/// Appends the bytes of the items that the buffer does not hold, with marks.
fn rest<M>(
    items: &[Arc<M>],
    held: usize,
    before: Option<&Arc<M>>,
    out: &mut Buffer<M>,
    join: impl Fn(&Arc<M>, &Arc<M>, &mut Vec<u8>),
    mut encode: impl FnMut(&Arc<M>, &mut Vec<u8>),
) {
    let (known, new) = items.split_at_checked(held).unwrap_or_default();
    let mut last = known.last().or(before);
    for item in new {
        if let Some(last) = last {
            join(last, item, out);
        }
        encode(item, out);
        out.mark_item(item);
        last = Some(item);
    }
}

impl<T: Clone> Chunked<T> {
    /// All items in one vector, which is not copied while all are in the last chunk.
    pub fn to_shared(&self) -> Arc<Vec<T>> {
        match self.full.is_empty() {
            true => Arc::clone(&self.tail),
            false => Arc::new(self.to_vec()),
        }
    }

    /// A copy of all items.
    pub fn to_vec(&self) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len());
        all.extend(self.iter().cloned());
        all
    }
}

impl<T: PartialEq> PartialEq for Chunked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<T: Eq> Eq for Chunked<T> {}

impl<T: Clone> FromIterator<T> for Chunked<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut all = Self::new();
        items.into_iter().for_each(|item| all.push(item));
        all
    }
}

impl<T: Serialize> Serialize for Chunked<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, T: Clone + Deserialize<'de>> Deserialize<'de> for Chunked<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<T>::deserialize(deserializer)?.into_iter().collect())
    }
}
