//! What a run keeps of its conversation, and what the next request needs first.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::error::ErrorRecord;
use legwork_core::event::{CompactionCause, Event, Purpose, RequestSent};
use legwork_core::journal::Journal;
use legwork_core::state::ProposedCompaction;
use legwork_core::{AgentState, ModelRequest, Seq, Transcript};
use legwork_port::Profile;

use crate::auxiliary::{About, Auxiliary};
use crate::branch::Leaving;
use crate::compaction::{Cannot, Files, Plan};
use crate::context::Context;
use crate::memory::Memory;
use crate::outgoing::Outgoing;
use crate::pipeline::NotSettled;
use crate::results::Results;

/// What a run keeps of its conversation: the messages that the model reads, and what the next
/// request needs first.
///
/// It asks no model and journals nothing. Who runs the session builds a request of
/// [`messages`](Self::messages), does what is [`owed`](Self::owed), and builds it again until
/// nothing is.
pub struct Conversation {
    context: Context,
    memory: Memory,
    results: Results,
    outgoing: Outgoing,
    overflow: Option<Overflow>,
    /// Whether the model gave no summary: it is not asked again for the window's sake.
    gave_up: bool,
    /// Whether the present request is not compacted: a hook cancelled that, or nothing can be cut.
    declined: bool,
    /// Where the last compaction was to cut; another one cuts behind that.
    cut_at: Option<usize>,
    proposed: Option<Plan>,
    warnings: Vec<String>,
    warned: BTreeSet<Arc<str>>,
}

/// A request that the provider refused as too long.
struct Overflow {
    error: ErrorRecord,
    /// The compaction of the conversation then.
    compacted: Option<Seq>,
    /// Whether compacting it was tried.
    tried: bool,
}

/// What the next request needs first.
pub enum Owed {
    /// A compaction, which hooks may see first; then [`Conversation::compaction`] says what is
    /// asked for it.
    Compaction(Arc<ProposedCompaction>),
    /// An inference that is no step.
    Inference(Box<Auxiliary>),
}

/// What comes of a compaction that hooks have seen.
pub enum Agreed {
    /// A model is asked for the summary.
    Inference(Box<Auxiliary>),
    /// A hook gave the summary.
    Replaced(Box<Event>),
    /// Nothing: a hook cancelled it, or it cannot be asked for.
    Nothing,
}

impl Conversation {
    /// Nothing yet.
    pub fn new(context: Context) -> Self {
        Self {
            context,
            memory: Memory::new(),
            results: Results::default(),
            outgoing: Outgoing::default(),
            overflow: None,
            gave_up: false,
            declined: false,
            cut_at: None,
            proposed: None,
            warnings: Vec::new(),
            warned: BTreeSet::new(),
        }
    }

    /// The messages that a model with this profile reads of a state.
    ///
    /// # Errors
    /// If calls have no results yet.
    pub fn messages(
        &mut self,
        state: &AgentState,
        profile: &Profile,
    ) -> Result<Transcript, NotSettled> {
        let shown = self.context.pipeline().to_model(&mut self.memory, state, profile)?;
        for left in &shown.report.left_out {
            if self.warned.insert(Arc::clone(&left.kind)) {
                self.warnings.push(left.to_string());
            }
        }
        Ok(self.outgoing.made(shown))
    }

    /// An inference that results of tools need before the next request is built, so that they are
    /// no part of it as they are; none before the first request of a run, for which
    /// [`owed`](Self::owed) says it.
    pub fn owed_for_results(
        &mut self,
        state: &AgentState,
        profile: &Profile,
    ) -> Option<Box<Auxiliary>> {
        if self.context.summaries.is_none() && self.context.similar.is_none() {
            return None;
        }
        let (redacted, pipeline) = (self.context.redacted(), self.context.pipeline());
        if !pipeline.read_ahead(&mut self.memory, state, profile, redacted) {
            return None;
        }
        let own = || Arc::new(state.settings().clone());
        self.results.owed(&self.context, &self.memory, state, own)
    }

    /// What the next request needs first; none if it can be sent.
    ///
    /// `request` is the request as it is without that.
    pub fn owed(
        &mut self,
        state: &AgentState,
        request: &ModelRequest,
        profile: &Profile,
    ) -> Option<Owed> {
        let tokens = self.outgoing.tokens()?;
        let is_met = |overflow: &Overflow| overflow.compacted != compacted_at(state);
        self.overflow.take_if(|overflow| is_met(overflow));
        let own = || Arc::clone(&request.settings);
        let ask = self.results.owed(&self.context, &self.memory, state, own);
        ask.map(Owed::Inference).or_else(|| {
            let cause = self.cause(tokens, profile)?;
            let policy = self.context.compaction.unwrap_or_default();
            let plan = Plan::of(state, &policy, profile.context_window, cause);
            // One that cuts no further shortens nothing.
            match plan.map(|plan| (self.cut_at.is_none_or(|before| plan.at > before), plan)) {
                Ok((true, plan)) => Some(self.propose(plan)),
                Ok((false, _)) => self.decline(&not_compacted(Cannot::NothingToCut)),
                Err(cannot) => self.decline(&not_compacted(cannot)),
            }
        })
    }

    /// Why the conversation is to be compacted now, if it is.
    fn cause(&self, tokens: u64, profile: &Profile) -> Option<CompactionCause> {
        let policy = self.context.compaction.as_ref()?;
        if self.overflow.as_ref().is_some_and(|overflow| !overflow.tried) {
            return Some(CompactionCause::Overflow);
        }
        let is_due = policy.is_due(tokens, profile.context_window);
        let is_due = is_due && !self.gave_up && !self.declined;
        is_due.then_some(CompactionCause::Window)
    }

    /// Notes that the provider refused the request as too long, with this error.
    ///
    /// # Errors
    /// If it is not compacted for that: then the refusal stands.
    pub fn overflown(
        &mut self,
        state: &AgentState,
        profile: &Profile,
        error: ErrorRecord,
    ) -> Result<(), Cannot> {
        let policy = self.context.compaction.as_ref().ok_or(Cannot::Off)?;
        let again = |one: &Overflow| one.compacted == compacted_at(state);
        if self.overflow.as_ref().is_some_and(again) {
            return Err(Cannot::StillTooLong);
        }
        Plan::of(state, policy, profile.context_window, CompactionCause::Overflow)?;
        self.overflow = Some(Overflow { error, compacted: compacted_at(state), tried: false });
        Ok(())
    }

    /// The refusal of the request as too long, if compacting the conversation was tried and it
    /// was not compacted.
    pub fn overflow(&mut self) -> Option<ErrorRecord> {
        self.overflow.take_if(|overflow| overflow.tried).map(|overflow| overflow.error)
    }

    /// Proposes a compaction on request.
    ///
    /// # Errors
    /// If nothing can be left out.
    pub fn manual(
        &mut self,
        state: &AgentState,
        profile: &Profile,
        focus: Option<String>,
    ) -> Result<Owed, Cannot> {
        let policy = self.context.compaction.unwrap_or_default();
        let plan = Plan::of(state, &policy, profile.context_window, CompactionCause::Manual)?;
        Ok(self.propose(focus.into_iter().fold(plan, Plan::with_focus)))
    }

    fn propose(&mut self, plan: Plan) -> Owed {
        self.cut_at = Some(plan.at);
        let proposed = Arc::new(plan.proposed());
        self.proposed = Some(plan);
        Owed::Compaction(proposed)
    }

    /// What is done about a compaction as hooks left it.
    ///
    /// `request` is the one that the conversation is too long for; `journal` says which files were
    /// read and changed.
    pub fn compaction(
        &mut self,
        state: &AgentState,
        request: &ModelRequest,
        profile: &Profile,
        agreed: Option<Arc<ProposedCompaction>>,
        journal: &Journal,
    ) -> Agreed {
        let (Some(plan), Some(agreed)) = (self.proposed.take(), agreed) else {
            self.decline("a hook cancelled the compaction of the conversation");
            self.cut_at = None;
            return Agreed::Nothing;
        };
        let path = journal.path(plan.first_kept);
        let left_out = path.iter().take_while(|entry| entry.seq < plan.first_kept);
        let files = Files::of(left_out.map(|entry| &**entry), None);
        if let Some(summary) = &agreed.summary {
            let compacted = plan.compacted(state, summary.clone(), files);
            return Agreed::Replaced(Box::new(Event::Compacted(compacted.into())));
        }
        let plan = agreed.focus.iter().fold(plan, Plan::with_focus);
        match plan.request(&self.memory, state, request, profile.context_window) {
            Ok(request) => {
                let (purpose, about) = (Purpose::Compaction, About::Compaction(plan, files));
                Agreed::Inference(Box::new(Auxiliary { purpose, model: None, request, about }))
            }
            Err(cannot) => {
                self.decline(&not_compacted(cannot));
                Agreed::Nothing
            }
        }
    }

    /// What is asked for the summary of a path that is about to be left.
    ///
    /// `common` is the last entry that both paths have.
    ///
    /// # Errors
    /// If calls are open, nothing is left, or the request would be too long.
    pub fn leaving(
        &self,
        state: &AgentState,
        request: &ModelRequest,
        profile: &Profile,
        common: Seq,
    ) -> Result<Box<Auxiliary>, Cannot> {
        let mut leaving = Leaving::of(state, common)?;
        let redacted = self.context.redacted();
        if redacted > 0 {
            let len = state.context().transcript.messages().len();
            let first = self.memory.units_after(redacted, len - leaving.messages).first();
            leaving = leaving.named(&first.map(|unit| unit.head().text()).unwrap_or_default());
        }
        let request = leaving.request(&self.memory, state, request, profile.context_window)?;
        let (purpose, about) = (Purpose::BranchSummary, About::Branch(leaving));
        Ok(Box::new(Auxiliary { purpose, model: None, request, about }))
    }

    /// Notes that what was asked gave nothing; the event that records it, if there is one.
    pub fn failed(&mut self, ask: &Auxiliary, why: &str) -> Option<Event> {
        let event = ask.without_answer(why);
        let why = ask.failed(why);
        match ask.purpose {
            Purpose::Compaction => self.give_up(why),
            // Its call says it.
            Purpose::ToolPrompt => {}
            _ => self.warnings.push(why),
        }
        event
    }

    fn give_up(&mut self, why: String) {
        match &mut self.overflow {
            Some(overflow) => overflow.tried = true,
            None => self.gave_up = true,
        }
        // Nothing was cut there.
        self.cut_at = None;
        self.warnings.push(why);
    }

    /// The present request is sent as it is; it is said once a run.
    fn decline(&mut self, why: &str) -> Option<Owed> {
        self.declined = true;
        if let Some(overflow) = &mut self.overflow {
            overflow.tried = true;
        }
        if self.warned.insert(why.into()) {
            self.warnings.push(why.to_owned());
        }
        None
    }

    /// What people should know, since the last call.
    pub fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// The request that was built last is sent: the next one is compared with it.
    pub fn sent(&mut self) {
        self.outgoing.sent();
        self.declined = false;
    }

    /// Notes that hooks put another request in the place of the one that was built.
    pub fn changed(&mut self, built: &ModelRequest, sent: &ModelRequest) {
        self.outgoing.changed(built, sent);
    }

    /// What identifies a request that is about to be sent; none if no messages were made for it.
    pub fn identify(&mut self, request: &ModelRequest) -> Option<RequestSent> {
        self.outgoing.identify(request)
    }
}

/// The entry of the compaction that a state has.
fn compacted_at(state: &AgentState) -> Option<Seq> {
    state.context().compaction.as_ref().map(|compaction| compaction.entry)
}

fn not_compacted(why: Cannot) -> String {
    format!("the conversation was not compacted: {why}")
}
