//! A persistent vector: cheap to clone, and a change copies few of the shared items.

use std::ops::Range;
use std::slice;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Items of a leaf, and children of a branch node.
const WIDTH: usize = 32;

/// A vector whose clones share all items but the last few, at most 31.
///
/// A clone, a push and a change of one item copy at most 32 items, and 32 pointers for each
/// level of the tree that holds the items, whatever the length.
#[derive(Debug, Clone)]
pub struct Vector<T> {
    /// The tree of the full leaves; none while there are none.
    root: Option<Arc<Node<T>>>,
    /// How many full leaves there are.
    leaves: usize,
    tail: Vec<T>,
}

#[derive(Debug, Clone)]
enum Node<T> {
    Leaf(Vec<T>),
    Branch(Vec<Arc<Self>>),
}

impl<T> Default for Vector<T> {
    fn default() -> Self {
        Self { root: None, leaves: 0, tail: Vec::new() }
    }
}

impl<T> Vector<T> {
    /// An empty vector.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty vector with room for this many items, as far as its tail holds them.
    pub fn with_capacity(items: usize) -> Self {
        Self { root: None, leaves: 0, tail: Vec::with_capacity(items.min(WIDTH)) }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.leaves * WIDTH + self.tail.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.leaves == 0 && self.tail.is_empty()
    }

    /// The item at an index.
    pub fn get(&self, index: usize) -> Option<&T> {
        let leaf = index / WIDTH;
        let items = if leaf < self.leaves { self.leaf(leaf) } else { &self.tail };
        items.get(index - leaf.min(self.leaves) * WIDTH)
    }

    /// The last item.
    pub fn last(&self) -> Option<&T> {
        self.tail.last().or_else(|| self.leaf(self.leaves.checked_sub(1)?).last())
    }

    /// All items in order.
    pub fn iter(&self) -> Iter<'_, T> {
        let (mut front, mut back) = (self.tail.iter(), [].iter());
        if self.leaves > 0 {
            std::mem::swap(&mut front, &mut back);
        }
        Iter { vector: self, leaves: 0..self.leaves, front, back }
    }

    /// Removes all items; keeps the capacity of the tail.
    pub fn clear(&mut self) {
        (self.root, self.leaves) = (None, 0);
        self.tail.clear();
    }

    fn leaf(&self, leaf: usize) -> &[T] {
        let (mut node, mut span) = (self.root.as_ref(), span(self.leaves));
        loop {
            match node.map(|node| &**node) {
                Some(Node::Leaf(items)) => return items,
                Some(Node::Branch(children)) => {
                    span /= WIDTH;
                    node = children.get(leaf / span.max(1) % WIDTH);
                }
                None => return &[],
            }
        }
    }
}

impl<T: Clone> Vector<T> {
    /// Appends an item.
    pub fn push(&mut self, item: T) {
        self.tail.push(item);
        if self.tail.len() < WIDTH {
            return;
        }
        let leaf = Arc::new(Node::Leaf(std::mem::take(&mut self.tail)));
        let full = span(self.leaves);
        self.root = Some(match self.root.take() {
            None => leaf,
            Some(root) if self.leaves == full => {
                Arc::new(Node::Branch(vec![root, path(leaf, full)]))
            }
            Some(mut root) => {
                insert(&mut root, self.leaves, full, leaf);
                root
            }
        });
        self.leaves += 1;
    }

    /// The item at an index, mutable; shared nodes on the way to it are copied first.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let leaf = index / WIDTH;
        if leaf >= self.leaves {
            return self.tail.get_mut(index - self.leaves * WIDTH);
        }
        let (mut node, mut span) = (self.root.as_mut()?, span(self.leaves));
        loop {
            match Arc::make_mut(node) {
                Node::Leaf(items) => return items.get_mut(index % WIDTH),
                Node::Branch(children) => {
                    span /= WIDTH;
                    node = children.get_mut(leaf / span.max(1) % WIDTH)?;
                }
            }
        }
    }
}

/// The items of a vector, in order.
#[derive(Debug)]
pub struct Iter<'a, T> {
    vector: &'a Vector<T>,
    /// The leaves between `front` and `back`.
    leaves: Range<usize>,
    front: slice::Iter<'a, T>,
    back: slice::Iter<'a, T>,
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        loop {
            if let Some(item) = self.front.next() {
                return Some(item);
            }
            match self.leaves.next() {
                Some(leaf) => self.front = self.vector.leaf(leaf).iter(),
                None => return self.back.next(),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.front.len() + self.leaves.len() * WIDTH + self.back.len();
        (count, Some(count))
    }
}

impl<'a, T> DoubleEndedIterator for Iter<'a, T> {
    fn next_back(&mut self) -> Option<&'a T> {
        loop {
            if let Some(item) = self.back.next_back() {
                return Some(item);
            }
            match self.leaves.next_back() {
                Some(leaf) => self.back = self.vector.leaf(leaf).iter(),
                None => return self.front.next_back(),
            }
        }
    }
}

impl<'a, T> IntoIterator for &'a Vector<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// The capacity, in leaves, of the lowest tree that holds this many.
fn span(leaves: usize) -> usize {
    let mut span = 1;
    while span < leaves {
        span *= WIDTH;
    }
    span
}

/// A tree of this capacity, in leaves, with one leaf as its first.
fn path<T>(leaf: Arc<Node<T>>, span: usize) -> Arc<Node<T>> {
    match span {
        0 | 1 => leaf,
        _ => Arc::new(Node::Branch(vec![path(leaf, span / WIDTH)])),
    }
}

/// Appends a leaf to a tree that has room for it.
fn insert<T: Clone>(node: &mut Arc<Node<T>>, at: usize, span: usize, leaf: Arc<Node<T>>) {
    let Node::Branch(children) = Arc::make_mut(node) else { return };
    let below = span / WIDTH;
    match children.get_mut(at / below.max(1)) {
        Some(child) => insert(child, at % below.max(1), below, leaf),
        None => children.push(path(leaf, below)),
    }
}

/// Whether two nodes are equal; nodes at the same address are not compared.
fn same<T: PartialEq>(a: &Arc<Node<T>>, b: &Arc<Node<T>>) -> bool {
    Arc::ptr_eq(a, b)
        || match (&**a, &**b) {
            (Node::Leaf(a), Node::Leaf(b)) => a == b,
            (Node::Branch(a), Node::Branch(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
            }
            _ => false,
        }
}

impl<T: PartialEq> PartialEq for Vector<T> {
    fn eq(&self, other: &Self) -> bool {
        // Vectors of the same length have trees of the same shape.
        self.len() == other.len()
            && self.tail == other.tail
            && match (&self.root, &other.root) {
                (Some(a), Some(b)) => same(a, b),
                (a, b) => a.is_none() && b.is_none(),
            }
    }
}

impl<T: Eq> Eq for Vector<T> {}

impl<T: Clone> FromIterator<T> for Vector<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let items = items.into_iter();
        let mut all = Self::new();
        all.tail.reserve(items.size_hint().0.min(WIDTH));
        items.for_each(|item| all.push(item));
        all
    }
}

impl<T: Serialize> Serialize for Vector<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, T: Clone + Deserialize<'de>> Deserialize<'de> for Vector<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<T>::deserialize(deserializer)?.into_iter().collect())
    }
}
