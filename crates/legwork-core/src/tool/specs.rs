//! All tools that are shown to a model.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::digest::Digest;
use crate::encoded::{Encoded, Wire};
use crate::tool::ToolSpec;

/// All tools that are shown to a model; built once, shared by many steps.
#[derive(Debug, Clone, Default)]
pub struct ToolSpecs {
    specs: Vec<Arc<ToolSpec>>,
    index: Index<Arc<str>>,
    digests: Vec<Digest>,
    digest: Option<Digest>,
    weight: u64,
    encoded: Encoded,
}

impl ToolSpecs {
    /// Tools in the order they are shown.
    pub fn new(specs: Vec<Arc<ToolSpec>>) -> Self {
        let digests: Vec<_> = specs.iter().map(|spec| spec.digest()).collect();
        let joined: String = digests.iter().map(Digest::as_str).collect();
        let digest = (!specs.is_empty()).then(|| Digest::of_bytes(joined.as_bytes()));
        let weight = specs.iter().map(|spec| spec.weight()).sum();
        let index = Index::of(specs.iter().map(|spec| Arc::clone(&spec.name)));
        Self { specs, index, digests, digest, weight, encoded: Encoded::default() }
    }

    /// The tools, in the order in which they are shown.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ToolSpec>> {
        self.specs.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.specs.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.specs.is_empty()
    }

    /// The first tool of a name, with its index.
    pub fn find(&self, name: &str) -> Option<(usize, &Arc<ToolSpec>)> {
        let at = self.index.find(name)?;
        Some((at, self.get(at)?))
    }

    /// The tool at an index.
    pub fn get(&self, index: usize) -> Option<&Arc<ToolSpec>> {
        self.specs.get(index)
    }

    /// The digest of the tool at an index.
    pub fn digest_of(&self, index: usize) -> Option<&Digest> {
        self.digests.get(index)
    }

    /// The digest of each tool, in order.
    pub fn digests(&self) -> &[Digest] {
        &self.digests
    }

    /// The digest of all tools; none if there are no tools.
    pub fn digest(&self) -> Option<&Digest> {
        self.digest.as_ref()
    }

    /// An estimate of what a model reads of them, in bytes of text.
    pub fn weight(&self) -> u64 {
        self.weight
    }

    /// Appends the bytes of all tools for a wire; those for the first wire are cached.
    ///
    /// `encode` must only append to the buffer that it is given.
    pub fn append_encoded(
        &self,
        wire: &Wire,
        out: &mut Vec<u8>,
        encode: impl FnOnce(&Self, &mut Vec<u8>),
    ) {
        self.encoded.append(wire, out, |out| encode(self, out));
    }
}

/// The position of each name in a list, found without a linear search.
#[derive(Debug, Clone)]
struct Index<K>(BTreeMap<K, usize>);

impl<K> Default for Index<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Index<K> {
    /// The index of the names of a list; of equal names, the first.
    fn of(names: impl Iterator<Item = K>) -> Self {
        let mut index = BTreeMap::new();
        for (at, name) in names.enumerate() {
            index.entry(name).or_insert(at);
        }
        Self(index)
    }

    fn find<Q: Ord + ?Sized>(&self, name: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.0.get(name).copied()
    }
}

#[cfg(test)]
mod tests;
