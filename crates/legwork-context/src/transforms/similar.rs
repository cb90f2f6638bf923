//! Refers to an earlier result where a result means the same, by embeddings.

use std::ops::Range;

use legwork_core::AgentState;
use legwork_core::event::{ResultCompared, ResultKey};
use legwork_core::message::ResultPart;
use legwork_port::embedder::{Embedder, Embeddings, Error, Request};

use crate::source::Source;
use crate::transform::{Cx, Extended, Transform};
use crate::unit::Unit;
use crate::view::View;

/// Refers to an earlier result where the journal says that a result repeats it.
///
/// It asks no model: [`owed`](Self::owed) says which results are to be compared,
/// [`Vectors::compare`] compares them, and `result_compared` entries record what came of it.
#[derive(Debug, Clone, Copy)]
pub struct RemoveSimilar {
    above: usize,
}

/// A result that is to be compared with earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToCompare {
    /// Which result.
    pub key: ResultKey,
    /// Its text.
    pub text: String,
}

/// The vectors of results that later ones are compared with, as long as a process lives.
///
/// Each has the length 1, or 0 if its result is like no other.
#[derive(Debug, Clone, Default)]
pub struct Vectors(Vec<(ResultKey, Vec<f32>)>);

impl RemoveSimilar {
    /// Compares results with more than so many bytes of text.
    pub const fn above(bytes: usize) -> Self {
        Self { above: bytes }
    }

    /// The results that were not compared yet, of the messages of the transcript from an index
    /// on; see [`SummariseResults::owed`](super::SummariseResults::owed).
    pub fn owed(&self, state: &AgentState, since: usize) -> Vec<ToCompare> {
        let all = &state.context().comparisons;
        let is_known = |key: ResultKey| all.iter().rev().any(|one| one.result == key);
        self.owed_of(&Source::since(state, since), is_known)
    }

    /// The results of units that were not compared yet.
    pub(crate) fn owed_of(
        &self,
        units: &[Unit],
        is_known: impl Fn(ResultKey) -> bool,
    ) -> Vec<ToCompare> {
        let mut owed = Vec::new();
        for unit in units {
            for (key, result) in unit.results() {
                let text = result.text();
                if text.len() > self.above && !result.is_error && !is_known(key) {
                    owed.push(ToCompare { key, text: text.into_owned() });
                }
            }
        }
        owed
    }
}

impl Vectors {
    /// Embeds results and compares each with those before it.
    ///
    /// A result repeats an earlier one if the cosine of their vectors is at least `least`; 0.95
    /// finds what says the same in other words. Results that repeat nothing are what later ones
    /// are compared with.
    ///
    /// Dropping the future loses nothing but what was asked.
    ///
    /// # Errors
    /// Why there are no vectors; nothing was compared then.
    pub async fn compare(
        &mut self,
        embedder: &dyn Embedder,
        results: &[ToCompare],
        least: f32,
    ) -> Result<Vec<ResultCompared>, Error> {
        if results.is_empty() {
            return Ok(Vec::new());
        }
        let texts = results.iter().map(|result| result.text.clone());
        let answer = embedder.embed(Request::new(texts)).await?;
        Ok(self.compared(results, &answer, least))
    }

    /// Compares results by the vectors that an embedder gave for their texts.
    pub fn compared(
        &mut self,
        results: &[ToCompare],
        answer: &Embeddings,
        least: f32,
    ) -> Vec<ResultCompared> {
        let vectors = results.iter().zip(&answer.vectors);
        vectors.map(|(result, vector)| self.take(result.key, vector.clone(), least)).collect()
    }

    /// Keeps those of some results: what no model reads any more is no repetition.
    pub(crate) fn keep(&mut self, is_read: impl Fn(ResultKey) -> bool) {
        self.0.retain(|(key, _)| is_read(*key));
    }

    fn take(&mut self, result: ResultKey, mut vector: Vec<f32>, least: f32) -> ResultCompared {
        normalise(&mut vector);
        let alike = self.0.iter().map(|(key, other)| (*key, cosine(other, &vector)));
        let best = alike.filter(|(_, alike)| *alike >= least);
        let best = best.max_by(|(_, one), (_, two)| one.total_cmp(two));
        if best.is_none() {
            self.0.push((result, vector));
        }
        ResultCompared { result, repeats: best.map(|(key, _)| key) }
    }
}

/// Gives a vector the length 1; one that has no direction gets the length 0.
fn normalise(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    let is_some = length.is_normal();
    vector.iter_mut().for_each(|number| *number = if is_some { *number / length } else { 0.0 });
}

/// The cosine of the angle between two normalised vectors; 0 if they are not comparable.
fn cosine(one: &[f32], two: &[f32]) -> f32 {
    if one.len() == two.len() { dot(one, two) } else { 0.0 }
}

fn dot(one: &[f32], two: &[f32]) -> f32 {
    one.iter().zip(two).map(|(a, b)| a * b).sum()
}

/// How many comparisons of the state were there at the last call.
#[derive(Clone, Copy, Default)]
struct Read(usize);

impl Transform for RemoveSimilar {
    fn name(&self) -> &str {
        "remove_similar"
    }

    fn priority(&self) -> i32 {
        800
    }

    fn extend(&self, view: &mut View, added: Range<usize>, cx: &Cx<'_>) -> Extended {
        let Read(since) = view.memory();
        let all = &cx.state.context().comparisons;
        let compared = &cx.recorded.comparisons;
        let new = all.iter_from(since).filter(|one| one.repeats.is_some());
        let late = compared.late(view, added.start, since, new.map(|one| one.result));
        for index in late.into_iter().chain(added) {
            let Some(unit) = view.get(index).cloned() else { continue };
            let shorter = unit.with_results(|key, _| {
                let earlier = all.get(compared.of(key)?)?.repeats?;
                // What it refers to must be there, before it.
                let at = view.position_of_entry(earlier.entry).filter(|at| *at <= index)?;
                let words = super::call_words::of(view.get(at)?, earlier.index)?;
                Some(vec![ResultPart::Text(format!(
                    "[says the same as the result of {words} above]"
                ))])
            });
            if let Some(shorter) = shorter {
                view.shorten(index, shorter);
            }
        }
        view.keep(Read(all.len()));
        Extended::Done
    }
}
