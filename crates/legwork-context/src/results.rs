//! Results of tools that are summarised, or compared with others, before a model reads them.

use std::collections::VecDeque;
use std::sync::Arc;

use legwork_core::event::Purpose;
use legwork_core::{AgentState, ModelSettings};
use legwork_port::Model;

use crate::auxiliary::{About, Auxiliary};
use crate::comparer::{Comparer, RunVectors, lock};
use crate::context::Context;
use crate::memory::Memory;
use crate::transforms::ToSummarise;

/// The results of a run, as far as they were looked at.
#[derive(Default)]
pub(crate) struct Results {
    /// How many messages of the transcript were looked at.
    seen: usize,
    /// Those that are to be summarised.
    long: VecDeque<ToSummarise>,
    vectors: RunVectors,
}

impl Results {
    /// The inference that the results that came since the last look need; `own` are the settings
    /// of the model of the session.
    pub(crate) fn owed(
        &mut self,
        context: &Context,
        memory: &Memory,
        state: &AgentState,
        own: impl FnOnce() -> Arc<ModelSettings>,
    ) -> Option<Box<Auxiliary>> {
        self.compares(context, memory, state).or_else(|| self.summarises(context, own))
    }

    fn compares(
        &mut self,
        context: &Context,
        memory: &Memory,
        state: &AgentState,
    ) -> Option<Box<Auxiliary>> {
        let facts = state.context();
        let len = facts.transcript.messages().len();
        // What was compacted is not read.
        let first = facts.compaction.as_ref().map_or(0, |compaction| compaction.first);
        let from = std::mem::replace(&mut self.seen, len).max(first).min(len);
        if from == len {
            return None;
        }
        // As they are after redaction: what no model may read is not sent for a summary either.
        let units = memory.units_after(context.redacted(), from);
        if let Some(summaries) = &context.summaries {
            let is_known = |key| memory.recorded.summaries.of(key).is_some();
            self.long.extend(summaries.which.owed_of(units, is_known));
        }
        let similar = context.similar.as_ref()?;
        let is_known = |key| memory.recorded.comparisons.of(key).is_some();
        let results = similar.which.owed_of(units, is_known);
        if results.is_empty() {
            return None;
        }
        let read = memory.results();
        lock(&self.vectors).keep(|key| read.contains(&key));
        let comparer = Arc::new(Comparer::new(similar, results, Arc::clone(&self.vectors)));
        let (request, model) = (comparer.request(), Some(Arc::clone(&comparer) as Arc<dyn Model>));
        let (purpose, about) = (Purpose::Similarity, About::Similar(comparer));
        Some(Box::new(Auxiliary { purpose, model, request, about }))
    }

    fn summarises(
        &mut self,
        context: &Context,
        own: impl FnOnce() -> Arc<ModelSettings>,
    ) -> Option<Box<Auxiliary>> {
        let result = self.long.pop_front()?;
        let model = context.summaries.as_ref().and_then(|one| one.by.clone());
        let settings = if model.is_some() { Arc::default() } else { own() };
        let request = result.request(settings);
        let (purpose, about) = (Purpose::ToolResultSummary, About::Result(result));
        Some(Box::new(Auxiliary { purpose, model, request, about }))
    }
}
