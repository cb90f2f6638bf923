//! Auxiliary inferences: those that are no step, and whose answers the context or a call needs.

use std::sync::Arc;

use legwork_core::event::{Event, Purpose};
use legwork_core::state::Pending;
use legwork_core::tool::Prompted;
use legwork_core::{AgentState, ModelRequest, Response};
use legwork_port::Model;

use crate::branch::Leaving;
use crate::compaction::{Cannot, Files, Plan};
use crate::comparer::Comparer;
use crate::prompt::CallPrompt;
use crate::transforms::ToSummarise;

/// An auxiliary inference, which is no step: what is asked, of which model, and what its answer is for.
///
/// Who runs the session reserves it, sends [`request`](Self::request), charges the answer, and
/// journals the [`events`](Self::events) that come of it.
pub struct Auxiliary {
    /// What it is for.
    pub purpose: Purpose,
    /// The model that is asked; none = that of the session.
    pub model: Option<Arc<dyn Model>>,
    /// The request.
    pub request: ModelRequest,
    pub(crate) about: About,
}

/// What an answer is for.
pub(crate) enum About {
    Compaction(Plan, Files),
    Branch(Leaving),
    Result(ToSummarise),
    Similar(Arc<Comparer>),
    Call(Box<CallPrompt>),
}

impl Auxiliary {
    /// The prompt of a call that waits for the model; none if it waits for something else.
    pub fn of_call(state: &AgentState, pending: &Pending) -> Option<Self> {
        let (request, prompt) = CallPrompt::of(state, pending)?;
        let (purpose, about) = (Purpose::ToolPrompt, About::Call(Box::new(prompt)));
        Some(Self { purpose, model: None, request, about })
    }

    /// The events that record what came of it.
    ///
    /// # Errors
    /// If the answer cannot be used.
    pub fn events(&self, state: &AgentState, response: &Response) -> Result<Vec<Event>, Cannot> {
        match &self.about {
            About::Compaction(plan, files) => {
                let summary = plan.read(response)?;
                let compacted = plan.compacted(state, summary, files.clone());
                Ok(vec![Event::Compacted(compacted.into())])
            }
            About::Branch(leaving) => {
                Ok(vec![Event::BranchSummarised(leaving.summarised(response)?)])
            }
            About::Result(result) => {
                let summary = crate::compaction::said(response)?;
                Ok(vec![Event::ResultSummarised(result.summarised(summary).into())])
            }
            About::Similar(comparer) => {
                let found = comparer.found().into_iter();
                Ok(found.map(Event::ResultCompared).collect())
            }
            About::Call(prompt) => Ok(vec![prompt.supplied(&prompt.read(response))]),
        }
    }

    /// The event that records that it gave nothing; none where that is a warning alone.
    pub(crate) fn without_answer(&self, why: &str) -> Option<Event> {
        match &self.about {
            About::Call(prompt) => Some(prompt.supplied(&Prompted::Failed(why.to_owned()))),
            _ => None,
        }
    }

    /// The warning about one that gave nothing.
    pub(crate) fn failed(&self, why: &str) -> String {
        format!("{}: {why}", what(&self.purpose))
    }
}

/// What was not done, in words.
fn what(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Compaction => "the conversation was not compacted",
        Purpose::BranchSummary => "the path that is left was not summarised",
        Purpose::ToolResultSummary => "a long result was not summarised, and is sent as it is",
        Purpose::Similarity => "results were not compared, and are sent as they are",
        _ => "an auxiliary inference failed",
    }
}
