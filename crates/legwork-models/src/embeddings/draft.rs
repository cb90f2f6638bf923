//! The vectors of an answer as they are read, before they are known to be right.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use legwork_core::Usage;
use legwork_port::embedder::Embeddings;

use super::Fault;
use crate::answer::json::{Read, Reader};
use crate::answer::usage::Reading;

/// What an answer says, in the order in which it says it.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    vectors: Vec<Vec<f32>>,
    /// Which text each vector is for, as far as the answer says.
    indexes: Vec<Option<u64>>,
    pub(super) model: Option<String>,
    pub(super) usage: Reading,
    /// What is wrong with the first vector that is wrong.
    fault: Option<Fault>,
    /// Whether there is a place for vectors in the answer.
    pub(super) recognised: bool,
}

impl Draft {
    /// Reads a list of vectors.
    pub(super) fn vectors(&mut self, json: &mut Reader<'_>) -> Read {
        self.recognised = true;
        let mut position = json.array()?;
        while json.item(&mut position)? {
            self.vector(json)?;
        }
        Ok(())
    }

    /// Reads a vector: numbers, or the base64 of them.
    pub(super) fn vector(&mut self, json: &mut Reader<'_>) -> Read {
        self.recognised = true;
        let text = self.vectors.len();
        let vector = match json.peek() {
            b'"' => decoded(&json.text()?),
            _ => numbers(json)?,
        };
        let vector = vector.and_then(|numbers| match numbers.iter().all(|one| one.is_finite()) {
            _ if numbers.is_empty() => Err(Wrong::Empty),
            true => Ok(numbers),
            false => Err(Wrong::NotFinite),
        });
        let vector = vector.unwrap_or_else(|wrong| {
            self.fault.get_or_insert(wrong.at(text));
            Vec::new()
        });
        self.vectors.push(vector);
        self.indexes.push(None);
        Ok(())
    }

    /// Says which text the vector is for that was read last.
    pub(super) fn index(&mut self, index: Option<u64>) {
        if let Some(last) = self.indexes.last_mut() {
            *last = index;
        }
    }

    /// How many vectors there are.
    pub(super) fn count(&self) -> usize {
        self.vectors.len()
    }

    /// The vectors in the order of their texts.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn finish(
        mut self,
        texts: Option<usize>,
        dimensions: Option<u32>,
    ) -> Result<Embeddings, Fault> {
        if let Some(texts) = texts.filter(|texts| *texts != self.vectors.len()) {
            return Err(Fault::Count { texts, vectors: self.vectors.len() });
        }
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let vectors = in_order(std::mem::take(&mut self.vectors), &self.indexes)?;
        same_length(&vectors, dimensions)?;
        let mut answer = Embeddings::new(vectors);
        answer.usage = self.usage.usage().or_else(|| only_total(&self.usage));
        answer.model = self.model;
        Ok(answer)
    }
}

/// Some servers count no input, only all tokens.
fn only_total(usage: &Reading) -> Option<Usage> {
    usage.total().map(|input| Usage { input, ..Usage::default() })
}

/// What is wrong with one vector.
enum Wrong {
    NotFinite,
    Empty,
    Base64,
}

impl Wrong {
    fn at(self, text: usize) -> Fault {
        match self {
            Self::NotFinite => Fault::NotFinite { text },
            Self::Empty => Fault::Empty { text },
            Self::Base64 => Fault::Base64 { text },
        }
    }
}

/// The numbers of a list.
fn numbers(json: &mut Reader<'_>) -> Read<Result<Vec<f32>, Wrong>> {
    let (mut numbers, mut position) = (Vec::new(), json.array()?);
    let mut all = true;
    while json.item(&mut position)? {
        match json.number()? {
            Some(number) => numbers.push(number),
            None => all = false,
        }
    }
    Ok(if all { Ok(numbers) } else { Err(Wrong::NotFinite) })
}

/// The numbers of a text, little-endian, as OpenAI sends them.
fn decoded(text: &str) -> Result<Vec<f32>, Wrong> {
    let bytes = BASE64_STANDARD.decode(text).map_err(|_| Wrong::Base64)?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    match rest {
        [] => Ok(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()),
        _ => Err(Wrong::Base64),
    }
}

/// Vectors by the indexes of their texts; as they came if none has one.
fn in_order(mut vectors: Vec<Vec<f32>>, indexes: &[Option<u64>]) -> Result<Vec<Vec<f32>>, Fault> {
    if indexes.iter().all(Option::is_none) {
        return Ok(vectors);
    }
    let mut ordered = vec![Vec::new(); vectors.len()];
    for (vector, index) in vectors.iter_mut().zip(indexes) {
        let index = index.ok_or(Fault::Unnumbered)?;
        let place = usize::try_from(index).ok().and_then(|index| ordered.get_mut(index));
        match place.filter(|place| place.is_empty()) {
            Some(place) => *place = std::mem::take(vector),
            None => return Err(Fault::Index { text: index }),
        }
    }
    Ok(ordered)
}

fn same_length(vectors: &[Vec<f32>], dimensions: Option<u32>) -> Result<(), Fault> {
    let Some(others) = vectors.first().map(Vec::len) else { return Ok(()) };
    if let Some((text, odd)) = vectors.iter().enumerate().find(|(_, one)| one.len() != others) {
        return Err(Fault::Length { text, numbers: odd.len(), others });
    }
    match dimensions {
        Some(asked) if usize::try_from(asked) != Ok(others) => {
            Err(Fault::Dimensions { asked, numbers: others })
        }
        _ => Ok(()),
    }
}
