//! A session as a document: what the formats for people have in common.

use std::collections::BTreeSet;

use legwork::core::journal::Journal;
use legwork::core::{ExecutionStatus, Seq, SessionId};

use super::parts::Part;
use super::read::read;
use crate::commands::sessions::branches::{Line, lines};
use crate::display::text::{count, grouped, money};
use crate::recorded::Recorded;

/// One session as a document.
pub(super) struct Document {
    pub(super) session: SessionId,
    pub(super) title: String,
    /// What is known of the session as a whole, each with its name.
    pub(super) facts: Vec<(&'static str, String)>,
    /// What happened on the path to the head, in order.
    pub(super) blocks: Vec<Block>,
    /// All branches, as `legwork sessions tree` shows them.
    pub(super) tree: Vec<Line>,
    /// The first lines of branches of the tree, by their first entries.
    pub(super) begins: BTreeSet<Seq>,
    /// Branches that are not on the path to the head.
    pub(super) left: Vec<Left>,
}

/// A branch that is not on the path to the head.
pub(super) struct Left {
    /// Its last entry.
    pub(super) entry: Seq,
    /// What happened first in it.
    pub(super) what: String,
}

/// Something that happened, at an entry.
pub(super) struct Block {
    pub(super) entry: Seq,
    pub(super) kind: Kind,
}

/// What happened.
pub(super) enum Kind {
    /// A task was given; its number.
    Task(u64, Vec<Part>),
    /// A step began; its number in the task, and what it used.
    Step(u64, String),
    /// What was said beside tasks: how and by whom, and what.
    Message(String, Vec<Part>),
    /// What the model said.
    Said(Vec<Part>),
    Thinking(String),
    Call(Call),
    /// The output of a task, as JSON.
    Output(String),
    /// Something else, in a line.
    Note(String),
    Error(String),
}

/// A tool call, and what came of it.
pub(super) struct Call {
    pub(super) name: String,
    /// JSON with line breaks where it is JSON.
    pub(super) arguments: String,
    /// What came of it, in a few words; none if it has no outcome.
    pub(super) outcome: Option<String>,
    pub(super) result: Vec<Part>,
    /// The session of the subagent that it ran.
    pub(super) child: Option<SessionId>,
}

impl Document {
    pub(super) fn of(session: &SessionId, journal: &Journal) -> Self {
        let state = journal.fold(session);
        let tree = lines(journal, &state);
        let path: Vec<_> = journal.path(journal.head()).iter().map(|entry| entry.seq).collect();
        let left = left(journal, &tree, &path);
        let begins = begins(journal, &tree);
        let title = Some(state.summary().title.clone()).filter(|title| !title.trim().is_empty());
        Self {
            session: session.clone(),
            title: title.unwrap_or_else(|| "Without a task".to_owned()),
            facts: facts(session, journal),
            blocks: read(journal),
            tree,
            begins,
            left,
        }
    }
}

fn begins(journal: &Journal, tree: &[Line]) -> BTreeSet<Seq> {
    let branches = journal.branches();
    let firsts: Vec<_> = branches.iter().filter_map(|branch| branch.entries.first()).collect();
    let lines = tree.iter().filter(|line| {
        firsts.iter().any(|first| line.first <= first.seq && first.seq <= line.entry)
    });
    lines.map(|line| line.first).collect()
}

fn left(journal: &Journal, tree: &[Line], path: &[Seq]) -> Vec<Left> {
    let branches = journal.branches();
    let ends = branches.iter().filter(|branch| branch.children.is_empty());
    let left = ends.filter_map(|branch| {
        let (first, last) = (branch.entries.first()?.seq, branch.entries.last()?.seq);
        let line = tree.iter().find(|line| line.first <= first && first <= line.entry);
        let what = line.map_or_else(String::new, |line| format!("{}: {}", line.kind, line.what));
        (!path.contains(&last)).then_some(Left { entry: last, what })
    });
    left.collect()
}

fn facts(session: &SessionId, journal: &Journal) -> Vec<(&'static str, String)> {
    let state = journal.fold(session);
    let mut facts = vec![("Session", session.to_string())];
    let known = state.facts();
    facts.extend(known.agent.as_ref().map(|agent| ("Agent", agent.to_string())));
    facts.push(("Model", state.settings().model.to_string()));
    facts.extend(Recorded::of(&state).dir.map(|dir| ("Directory", dir)));
    facts.extend(known.parent.as_ref().map(|link| ("Subagent of", link.session.to_string())));
    facts.extend(
        known
            .forked_from
            .as_ref()
            .map(|from| ("Forked from", format!("entry {} of {}", from.entry, from.session))),
    );
    let entries = journal.entries();
    if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
        facts.push(("Begun", first.at.to_string()));
        facts.push(("Changed", last.at.to_string()));
    }
    let status = state.status().unwrap_or(&ExecutionStatus::InProgress);
    facts.push(("Status", status.to_string().replace('_', " ")));
    let used = &state.ledger().lifetime;
    let mut usage = vec![count(used.steps, "step"), count(used.tool_calls, "tool call")];
    usage.push(format!("{} tokens", grouped(used.total_tokens())));
    if used.cost.0 > 0 {
        usage.push(money(used.cost.0 as f64 / 1e6));
    }
    facts.push(("Usage", usage.join(", ")));
    facts
}
