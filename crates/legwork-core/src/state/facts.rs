//! The facts of a session, and the context of its conversation.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::{self, Approved};
use crate::budget::{Amounts, Ledger};
use crate::chunked::Chunked;
use crate::digest::Digest;
use crate::entry::Entry;
use crate::event::{
    Definition, Event, ForkedFrom, ParentLink, ResultCompared, ResultSummarised, ToolsShown,
};
use crate::id::{AgentId, Seq, SessionId};
use crate::inbox::{Answer, Cursor, Verdict};
use crate::message::Message;
use crate::pending::Pending;
use crate::settings::SessionSettings;
use crate::state::active_time::at_work;
use crate::state::{Compaction, Measured};
use crate::summary;
use crate::time::Timestamp;
use crate::tool::ToolSpec;
use crate::transcript::Transcript;

/// The facts of a session: a fold over all its entries, wherever the head is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// The id of the session.
    pub session: SessionId,
    /// The agent that works in it; none before its first entry.
    pub agent: Option<AgentId>,
    /// The call that spawned it, if it is a subagent's.
    pub parent: Option<Arc<ParentLink>>,
    /// The entry of another session that it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<Arc<ForkedFrom>>,
    /// The first line of the first user message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Arc<str>>,
    /// The title that was given to it, which is shown in place of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_title: Option<Arc<str>>,
    /// Why it is suspended; none if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended: Option<Arc<str>>,
    /// Whether its head was moved, or it was forked, and neither a run nor a person has gone on
    /// from there since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
    /// When its first entry was made.
    pub started_at: Option<Timestamp>,
    /// The definition of the agent: prompt, model, limits.
    pub definition: Arc<Definition>,
    /// The digest of the agent's own definition, as last recorded.
    ///
    /// None if the recorded digest is not that of the recorded definition.
    pub definition_digest: Option<Digest>,
    /// The agent's own definition as last recorded, if the present one differs from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_definition: Option<Arc<Definition>>,
    /// The settings that persons set, which apply over the agent's own definition.
    #[serde(default, skip_serializing_if = "SessionSettings::is_empty")]
    pub settings: SessionSettings,
    /// The number of executions that began.
    pub executions: u64,
    /// The head: the entry at which the session stands.
    pub head: Seq,
    /// The number of the last entry.
    pub version: Seq,
    /// The last inbox item taken up.
    pub inbox_cursor: Cursor,
    /// The limits, and what is used and reserved.
    pub ledger: Ledger,
    /// The time up to which the run that works on a step has charged active time.
    ///
    /// None if no run works on one, as far as the entries say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_work: Option<Timestamp>,
    /// The last entry by which an execution advanced.
    ///
    /// Entries that charge time, record the definition, settings or metadata, take up inbox items
    /// or say how the conversation is read do not count.
    #[serde(default)]
    pub acted: Seq,
    /// The labels of entries.
    pub labels: Arc<BTreeMap<Seq, String>>,
    /// All answers to pending calls, oldest first.
    pub answers: Arc<Vec<Answer>>,
    /// The calls that ever waited for an answer, by their [`Pending::id`].
    #[serde(default, skip_serializing_if = "no_calls")]
    pub asked: Arc<BTreeMap<String, Asked>>,
    /// The approvals that were given, oldest first.
    #[serde(default, skip_serializing_if = "no_approvals")]
    pub approvals: Arc<Vec<Approved>>,
    /// Messages that wait until the agent would otherwise stop, oldest first.
    pub follow_ups: Arc<Vec<Arc<Message>>>,
}

/// A call that waited for an answer, or waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The name of the tool.
    pub tool: Arc<str>,
    /// What the call is; see [`Pending::what`].
    pub what: Option<Digest>,
    /// The digest of the spec of the tool.
    pub spec: Option<Digest>,
    /// Whether the policy of the tool asked for approval.
    pub of_policy: bool,
    /// Why it needs approval, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it can no longer be answered; none = never.
    pub expires_at: Option<Timestamp>,
    /// Whether it was answered.
    pub answered: bool,
}

fn no_calls(asked: &Arc<BTreeMap<String, Asked>>) -> bool {
    asked.is_empty()
}

fn no_approvals(approvals: &Arc<Vec<Approved>>) -> bool {
    approvals.is_empty()
}

impl SessionFacts {
    /// A session before its first entry.
    pub fn new(session: SessionId) -> Self {
        Self {
            session,
            agent: None,
            parent: None,
            forked_from: None,
            title: None,
            given_title: None,
            suspended: None,
            moved: false,
            started_at: None,
            definition: Arc::default(),
            definition_digest: None,
            own_definition: None,
            settings: SessionSettings::default(),
            executions: 0,
            head: Seq::ZERO,
            version: Seq::ZERO,
            inbox_cursor: Cursor::default(),
            ledger: Ledger::default(),
            at_work: None,
            acted: Seq::ZERO,
            labels: Arc::default(),
            answers: Arc::default(),
            asked: Arc::default(),
            approvals: Arc::default(),
            follow_ups: Arc::default(),
        }
    }

    /// The fold over all entries of a journal.
    pub fn of<'a>(session: &SessionId, entries: impl IntoIterator<Item = &'a Arc<Entry>>) -> Self {
        let mut facts = Self::new(session.clone());
        entries.into_iter().for_each(|entry| facts.apply(entry));
        facts
    }

    pub(crate) fn apply(&mut self, entry: &Entry) {
        self.version = self.version.max(entry.seq);
        self.head = entry.seq;
        self.apply_act(entry);
        if self.is_copied(entry.seq) {
            // It is a fact of the session that it was copied from.
            return;
        }
        self.apply_money(entry);
        self.apply_presence(entry);
        self.apply_move(entry);
        match &entry.event {
            Event::SessionStarted(started) => {
                self.agent = Some(started.agent.clone());
                self.parent = started.parent.clone().map(Arc::new);
                self.forked_from = started.forked_from.clone().map(Arc::new);
                self.started_at = Some(entry.at);
            }
            Event::Defined(defined) => self.define(defined),
            Event::SettingsSet(settings) => self.set(settings),
            Event::ExecutionStarted(started) => {
                self.executions += 1;
                self.suspended = None;
                if self.title.is_none() {
                    let input = started.input.iter().map(|message| &**message);
                    self.title = summary::title(input).map(Arc::from);
                }
            }
            Event::Paused(paused) => self.ask(&paused.pending),
            Event::Answered(answered) => self.answer(&answered.answer),
            Event::InboxTaken(taken) => {
                self.inbox_cursor = self.inbox_cursor.max(taken.cursor);
            }
            Event::FollowUpQueued(message) => {
                if self.title.is_none() {
                    self.title = summary::title([&**message]).map(Arc::from);
                }
                Arc::make_mut(&mut self.follow_ups).push(Arc::clone(message));
            }
            Event::FollowedUp(_) => {
                let queue = Arc::make_mut(&mut self.follow_ups);
                queue.drain(..queue.len().min(1));
            }
            Event::Labelled(label) => self.label(label),
            Event::Titled(titled) => self.given_title = titled.text.as_deref().map(Arc::from),
            Event::Suspended(suspended) => {
                self.suspended = Some(Arc::from(suspended.reason.as_str()));
            }
            Event::Resumed(_) => self.suspended = None,
            Event::HeadMoved(moved) => self.head = moved.to,
            _ => {}
        }
    }

    fn apply_act(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Worked(_)
            | Event::Defined(_)
            | Event::InboxTaken(_)
            | Event::Steered(_)
            | Event::FollowUpQueued(_)
            | Event::Labelled(_)
            | Event::Titled(_)
            | Event::Suspended(_)
            | Event::Resumed(_)
            | Event::SettingsSet(_)
            | Event::MetadataSet(_)
            | Event::UndoStarted(_)
            | Event::UndoFinished(_)
            | Event::AuxiliaryStarted(_)
            | Event::AuxiliaryFinished(_)
            | Event::Compacted(_)
            | Event::BranchSummarised(_)
            | Event::ResultSummarised(_)
            | Event::ResultCompared(_)
            | Event::HeadMoved(_) => {}
            _ => self.acted = entry.seq,
        }
    }

    /// Whether an entry is part of the conversation that the session was forked with.
    pub fn is_copied(&self, entry: Seq) -> bool {
        let copied = self.forked_from.as_ref().map_or(0, |from| from.copied);
        entry > Seq(1) && entry <= Seq(copied.saturating_add(1))
    }

    /// Tracks whether the session goes on from where its head was moved to.
    fn apply_move(&mut self, entry: &Entry) {
        match &entry.event {
            Event::SessionStarted(started) => self.moved = started.forked_from.is_some(),
            Event::HeadMoved(_) => self.moved = true,
            Event::Labelled(_)
            | Event::Titled(_)
            | Event::InboxTaken(_)
            | Event::Defined(_)
            | Event::SettingsSet(_)
            | Event::MetadataSet(_)
            | Event::AuxiliaryStarted(_)
            | Event::AuxiliaryFinished(_)
            | Event::Compacted(_)
            | Event::BranchSummarised(_)
            | Event::UndoStarted(_)
            | Event::UndoFinished(_) => {}
            _ => self.moved = false,
        }
    }

    /// Tracks whether a run works on a step, as far as its entries say.
    fn apply_presence(&mut self, entry: &Entry) {
        self.at_work = at_work(self.at_work, entry);
    }

    fn apply_money(&mut self, entry: &Entry) {
        match &entry.event {
            Event::ExecutionStarted(_) => self.ledger.begin(),
            Event::InferenceStarted(started) => {
                self.ledger.charge_reserved();
                self.ledger.reserve(entry.seq, None, Amounts { steps: 0, ..started.reserved });
            }
            Event::InferenceFailed(_) | Event::InferenceInterrupted(_) | Event::Responded(_) => {
                self.ledger.release(None);
            }
            Event::AuxiliaryStarted(started) => {
                self.ledger.reserve_auxiliary(entry.seq, started.reserved);
            }
            Event::AuxiliaryFinished(_) => self.ledger.release_auxiliary(),
            Event::ToolStarted(started) if !started.reserved.is_zero() => {
                self.ledger.reserve(entry.seq, Some(started.index), started.reserved);
            }
            Event::ToolFinished(finished) => self.ledger.release(Some(finished.index)),
            Event::StepFinished(_) => self.ledger.charge_reserved(),
            _ => {}
        }
        self.ledger.spend(&entry.event.charged());
    }

    fn ask(&mut self, pending: &[Pending]) {
        for pending in pending {
            let asked = Asked {
                tool: Arc::clone(&pending.tool),
                what: pending.what.clone(),
                spec: pending.spec.clone(),
                of_policy: pending.of_policy,
                reason: pending.explanation.clone(),
                expires_at: pending.expires_at,
                answered: false,
            };
            Arc::make_mut(&mut self.asked).insert(pending.id.clone(), asked);
        }
    }

    fn answer(&mut self, answer: &Answer) {
        Arc::make_mut(&mut self.answers).push(answer.clone());
        let Some(asked) = Arc::make_mut(&mut self.asked).get_mut(&answer.id) else { return };
        asked.answered = true;
        if let (Verdict::Approve(approval), Some(what)) = (&answer.verdict, &asked.what) {
            let (tool, spec) = (Arc::clone(&asked.tool), asked.spec.clone());
            let what = match &approval.arguments {
                Some(arguments) => approval::what(&tool, arguments, spec.as_ref()),
                None => what.clone(),
            };
            let approved = Approved {
                tool,
                what,
                spec,
                of_policy: asked.of_policy,
                reason: asked.reason.clone(),
                remember: approval.remember.clone(),
            };
            Arc::make_mut(&mut self.approvals).push(approved);
        }
    }

    fn label(&mut self, label: &crate::inbox::Label) {
        let labels = Arc::make_mut(&mut self.labels);
        match &label.text {
            Some(text) => {
                // A label names one entry: the one that it was given to last.
                labels.retain(|_, other| other != text);
                labels.insert(label.entry, text.clone());
            }
            None => drop(labels.remove(&label.entry)),
        }
    }
}

/// The context of the conversation: a fold over the path to the head.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Context {
    /// The messages, each with the number of its entry.
    pub transcript: Transcript,
    /// The metadata of the conversation, for programs.
    pub metadata: Arc<BTreeMap<String, Value>>,
    /// The tools shown, as last recorded.
    pub tools_shown: Option<Arc<ShownTools>>,
    /// Whether there is a steering message that no inference and no execution has used yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steered: bool,
    /// The latest compaction on the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Arc<Compaction>>,
    /// The summaries of results of tool calls, oldest first.
    #[serde(default, skip_serializing_if = "Chunked::is_empty")]
    pub result_summaries: Chunked<Arc<ResultSummarised>>,
    /// Which results of tool calls were compared with earlier ones, oldest first.
    #[serde(default, skip_serializing_if = "Chunked::is_empty")]
    pub comparisons: Chunked<ResultCompared>,
    /// The tokens of the conversation, as the provider counted them last.
    ///
    /// None before a provider counted any, and after a compaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

/// The tools that the model was shown, with their digests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownTools {
    /// The digest of all of them.
    pub digest: Option<Digest>,
    /// The digest of each tool before a selection changed it, by name.
    pub tools: BTreeMap<Arc<str>, Digest>,
    /// The tools as they were shown.
    pub specs: Vec<Arc<ToolSpec>>,
    /// What their toolsets added to the system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Arc<str>>,
}

impl ShownTools {
    pub(super) fn of(shown: &ToolsShown) -> Self {
        let names = shown.specs.iter().map(|spec| Arc::clone(&spec.name));
        let tools = names.zip(shown.digests.iter().cloned());
        let (tools, specs) = (tools.collect(), shown.specs.clone());
        let (digest, instructions) = (shown.digest.clone(), shown.instructions.clone());
        Self { digest, tools, specs, instructions }
    }
}
