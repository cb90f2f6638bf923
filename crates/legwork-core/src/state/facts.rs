//! Facts of the session, and the context of the conversation.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::{Amounts, Ledger};
use crate::digest::Digest;
use crate::entry::Entry;
use crate::event::{self, Definition, Event, ParentLink, ToolsShown};
use crate::id::{AgentId, Seq, SessionId};
use crate::inbox::{Answer, Cursor};
use crate::message::Message;
use crate::summary;
use crate::time::Timestamp;
use crate::tool::ToolSpec;
use crate::transcript::Transcript;

/// What is true of the session whatever path it stands on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// The session.
    pub session: SessionId,
    /// The agent that works in it, once it began.
    pub agent: Option<AgentId>,
    /// Where it was spawned from, if it is a subagent's.
    pub parent: Option<Arc<ParentLink>>,
    /// The first line of the first text that a user gave it as input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Arc<str>>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// What the agent is: prompt, model, limits.
    pub definition: Arc<Definition>,
    /// The digest of the agent's own definition, as it was last recorded; none where the
    /// journal holds another definition than it says.
    pub definition_digest: Option<Digest>,
    /// How many executions began.
    pub executions: u64,
    /// The entry that the session stands at.
    pub head: Seq,
    /// The number of the last entry.
    pub version: Seq,
    /// The last inbox item taken up.
    pub inbox_cursor: Cursor,
    /// What is used, held and left.
    pub ledger: Ledger,
    /// Since when the time of the run that works on a step is not charged; none if it left in
    /// good order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_work: Option<Timestamp>,
    /// The last entry that tells what an execution did: none that only charges time, says what
    /// the agent is, or was left for the session.
    #[serde(default)]
    pub acted: Seq,
    /// Labels of entries.
    pub labels: Arc<BTreeMap<Seq, String>>,
    /// Every answer that a person gave.
    pub answers: Arc<Vec<Answer>>,
    /// Messages that wait until the agent would otherwise stop, oldest first.
    pub follow_ups: Arc<Vec<Arc<Message>>>,
}

impl SessionFacts {
    /// A session before its first entry.
    pub fn new(session: SessionId) -> Self {
        Self {
            session,
            agent: None,
            parent: None,
            title: None,
            started_at: None,
            definition: Arc::default(),
            definition_digest: None,
            executions: 0,
            head: Seq::ZERO,
            version: Seq::ZERO,
            inbox_cursor: Cursor::default(),
            ledger: Ledger::default(),
            at_work: None,
            acted: Seq::ZERO,
            labels: Arc::default(),
            answers: Arc::default(),
            follow_ups: Arc::default(),
        }
    }

    /// The facts that all entries of a journal amount to.
    pub fn of<'a>(session: &SessionId, entries: impl IntoIterator<Item = &'a Arc<Entry>>) -> Self {
        let mut facts = Self::new(session.clone());
        entries.into_iter().for_each(|entry| facts.apply(entry));
        facts
    }

    pub(super) fn apply(&mut self, entry: &Entry) {
        self.version = self.version.max(entry.seq);
        self.head = entry.seq;
        self.apply_money(entry);
        self.apply_presence(entry);
        self.apply_act(entry);
        match &entry.event {
            Event::SessionStarted(started) => {
                self.agent = Some(started.agent.clone());
                self.parent = started.parent.clone().map(Arc::new);
                self.started_at = Some(entry.at);
            }
            Event::Defined(defined) => {
                self.definition = Arc::clone(&defined.definition);
                if let Some(digest) = &defined.digest {
                    // One that is not of this definition vouches for nothing: the agent records
                    // its own anew.
                    let own = defined.definition.digest() == *digest;
                    self.definition_digest = own.then(|| digest.clone());
                }
                self.ledger.budget = defined.definition.budget.clone();
            }
            Event::ExecutionStarted(started) => {
                self.executions += 1;
                if self.title.is_none() {
                    let input = started.input.iter().map(|message| &**message);
                    self.title = summary::title(input).map(Arc::from);
                }
            }
            Event::Answered(answered) => {
                Arc::make_mut(&mut self.answers).push(answered.answer.clone());
            }
            Event::InboxTaken(taken) => {
                self.inbox_cursor = self.inbox_cursor.max(taken.cursor);
            }
            Event::FollowUpQueued(message) => {
                Arc::make_mut(&mut self.follow_ups).push(Arc::clone(message));
            }
            Event::FollowedUp(_) => {
                let queue = Arc::make_mut(&mut self.follow_ups);
                queue.drain(..queue.len().min(1));
            }
            Event::Labelled(label) => self.label(label),
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
            | Event::HeadMoved(_) => {}
            _ => self.acted = entry.seq,
        }
    }

    /// Whether a run is at work on a step, as far as its entries say.
    fn apply_presence(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Worked(event::Worked { rests: true, .. })
            | Event::StepFinished(_)
            | Event::ExecutionStarted(_)
            | Event::ExecutionFinished(_) => self.at_work = None,
            Event::Worked(_) => self.at_work = Some(entry.at),
            Event::InferenceStarted(_)
            | Event::InferenceFailed(_)
            | Event::InferenceInterrupted(_)
            | Event::Responded(_)
            | Event::ResponseChanged(_)
            | Event::ToolStarted(_)
            | Event::ToolFinished(_)
            | Event::ToolChanged(_) => {
                self.at_work.get_or_insert(entry.at);
            }
            _ => {}
        }
    }

    fn apply_money(&mut self, entry: &Entry) {
        match &entry.event {
            Event::ExecutionStarted(_) => self.ledger.begin(),
            Event::InferenceStarted(started) => {
                self.ledger.charge_unsettled();
                self.ledger.reserve(entry.seq, None, Amounts { steps: 0, ..started.reserved });
            }
            Event::InferenceFailed(_) | Event::InferenceInterrupted(_) | Event::Responded(_) => {
                self.ledger.release(None);
            }
            Event::ToolStarted(started) if !started.reserved.is_zero() => {
                self.ledger.reserve(entry.seq, Some(started.index), started.reserved);
            }
            Event::ToolFinished(finished) => self.ledger.release(Some(finished.index)),
            Event::StepFinished(_) => self.ledger.charge_unsettled(),
            _ => {}
        }
        self.ledger.spend(&entry.event.charged());
    }

    fn label(&mut self, label: &crate::inbox::Label) {
        let labels = Arc::make_mut(&mut self.labels);
        match &label.text {
            Some(text) => labels.insert(label.entry, text.clone()),
            None => labels.remove(&label.entry),
        };
    }
}

/// The context of the conversation on the path to the head.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Context {
    /// The messages.
    pub transcript: Transcript,
    /// Metadata, for programs.
    pub metadata: Arc<BTreeMap<String, Value>>,
    /// JSON Schema that answers shall fit, if any.
    pub response_format: Option<Arc<Value>>,
    /// The last recorded set of tools shown.
    pub tools_shown: Option<Arc<ShownTools>>,
    /// Whether a message was steered in that no inference was asked with, and no execution
    /// began with, yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steered: bool,
}

/// The tools that a model was shown, by digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownTools {
    /// The digest of all of them.
    pub digest: Option<Digest>,
    /// The digest of each as it is by itself, by name.
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
