//! `legwork sessions tree`: the branches of a session.

use std::collections::BTreeMap;

use legwork::context::app::BranchSummary;
use legwork::core::journal::{Branch, Journal};
use legwork::core::{AgentState, Entry, Event, Message, Seq};
use serde::Serialize;

use crate::args;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::display::Terminal;
use crate::display::text::{clip, count, money, one_line, visible};
use crate::error::Error;
use crate::exit::Exit;
use crate::session::find;
use crate::store_address::StoreAddress;

/// Columns of what happened in a line of the tree.
const WHAT: usize = 60;

/// The kind and the words of a line of what comes before the first task.
const START: (&str, &str) = ("start", "before the first task");

/// A line of the tree: a task, a step, or something that was said.
#[derive(Debug, Serialize)]
pub(super) struct Line {
    /// How many branches are above it.
    pub(super) depth: usize,
    /// The first entry.
    pub(super) first: Seq,
    /// The last entry, at which a branch can begin.
    pub(super) entry: Seq,
    /// Whether the head is at it.
    pub(super) head: bool,
    pub(super) kind: &'static str,
    pub(super) what: String,
    tokens: u64,
    cost_usd: f64,
    pub(super) labels: Vec<String>,
}

impl Line {
    fn new(depth: usize, entry: Seq, kind: &'static str, what: String) -> Self {
        let (first, labels) = (entry, Vec::new());
        Self { depth, first, entry, head: false, kind, what, tokens: 0, cost_usd: 0.0, labels }
    }
}

pub(super) async fn tree(args: args::Tree, config: &Config) -> Result<Exit, Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let store = address.open_to_read()?;
    let found = find(store.as_ref(), &args.session, &address).await?;
    let state = found.journal.fold(&found.id);
    let lines = lines(&found.journal, &state);
    let exit = match args.json {
        true => {
            let lines = lines.iter().filter_map(|line| serde_json::to_string(line).ok());
            print_json(&lines.map(|line| line + "\n").collect::<String>())
        }
        false => print(&shown(&lines, &state, Terminal::detect().for_out())),
    }?;
    found.warn();
    Ok(exit)
}

/// The lines of all branches, each branch below the one that it began in.
pub(super) fn lines(journal: &Journal, state: &AgentState) -> Vec<Line> {
    let branches = journal.branches();
    let roots = (0..branches.len()).filter(|index| parent(&branches, *index).is_none());
    let several = roots.clone().count() > 1;
    // Those that are looked at next are last.
    let mut next: Vec<_> = roots.map(|root| (root, usize::from(several))).collect();
    next.reverse();
    let mut open = vec![false; branches.len()];
    let mut walk = Walk::default();
    while let Some((index, depth)) = next.pop() {
        let Some(branch) = branches.get(index) else { continue };
        let goes_on = branch.parent.and_then(|parent| open.get(parent).copied());
        walk.enter(depth, goes_on);
        branch.entries.iter().for_each(|entry| walk.take(entry));
        if let Some(place) = open.get_mut(index) {
            *place = walk.open;
        }
        next.extend(branch.children.iter().rev().map(|child| (*child, depth + 1)));
    }
    finish(walk, journal, state)
}

fn parent(branches: &[Branch], index: usize) -> Option<usize> {
    branches.get(index).and_then(|branch| branch.parent)
}

/// Adds what is known of the whole: labels, what was used, and where the head is.
fn finish(walk: Walk, journal: &Journal, state: &AgentState) -> Vec<Line> {
    let Walk { mut lines, of, .. } = walk;
    // What comes before the first task has a line only if there is something to say of it.
    let mut start = Line::new(0, journal.head(), START.0, START.1.to_owned());
    let mut has_start = false;
    let mut line = |lines: &mut [Line], at: Seq, change: &dyn Fn(&mut Line)| match of
        .get(&at)
        .and_then(|index| lines.get_mut(*index))
    {
        Some(line) => change(line),
        None => {
            has_start = true;
            change(&mut start);
        }
    };
    line(&mut lines, journal.tip(), &|line| line.head = true);
    let places = journal.places();
    for (entry, label) in state.facts().labels.iter() {
        let at = places.get(entry).copied().unwrap_or(Seq::ZERO);
        line(&mut lines, at, &|line| line.labels.push(label.clone()));
    }
    for (at, used) in journal.charges() {
        line(&mut lines, at, &|line| {
            line.tokens = line.tokens.saturating_add(used.total_tokens());
            line.cost_usd += used.cost.0 as f64 / 1e6;
        });
    }
    if has_start {
        lines.insert(0, start);
    }
    lines
}

/// The lines of branches, an entry after the other.
#[derive(Default)]
struct Walk {
    lines: Vec<Line>,
    /// The line of each entry.
    of: BTreeMap<Seq, usize>,
    depth: usize,
    /// Whether the branch has no line yet.
    is_new: bool,
    /// Whether the branch is a root.
    is_root: bool,
    /// Whether the last line is of entries that begin none: the next line takes its place.
    is_preface: bool,
    /// Whether a step is under way.
    open: bool,
}

impl Walk {
    /// Begins a branch; `open` is whether it begins in a step, none at a root.
    fn enter(&mut self, depth: usize, open: Option<bool>) {
        self.depth = depth;
        self.open = open.unwrap_or_default();
        self.is_new = true;
        self.is_root = open.is_none();
        self.is_preface = false;
    }

    fn take(&mut self, entry: &Entry) {
        match (self.begins(&entry.event), self.lines.last_mut()) {
            (Some(("follow-up", text)), Some(task)) if is_unsaid(task, self.is_new) => {
                task.what = text;
            }
            (Some((kind, what)), Some(preface)) if self.is_preface => {
                (preface.kind, preface.what) = (kind, what);
                self.is_preface = false;
            }
            (Some((kind, what)), _) => self.begin(entry, kind, what),
            (None, _) if self.is_new && self.is_root => {
                self.begin(entry, START.0, START.1.to_owned());
                self.is_preface = true;
            }
            (None, _) if self.is_new => {
                self.begin(entry, "entry", entry.event.kind().replace('_', " "));
                self.is_preface = !self.open;
            }
            (None, _) => {}
        }
        match &entry.event {
            Event::InferenceStarted(_) => self.open = true,
            Event::StepFinished(_) | Event::ExecutionStarted(_) => self.open = false,
            _ => {}
        }
        let Some(line) = self.lines.last_mut() else { return };
        line.entry = entry.seq;
        if let Event::Responded(responded) = &entry.event {
            line.what = said(&responded.response.message);
        }
        self.of.insert(entry.seq, self.lines.len() - 1);
    }

    /// The kind of line that an event begins, and what it says.
    fn begins(&self, event: &Event) -> Option<(&'static str, String)> {
        // What is said in the middle of a step is part of it.
        if self.open && !matches!(event, Event::ExecutionStarted(_)) {
            return None;
        }
        Some(match event {
            Event::ExecutionStarted(started) => {
                ("task", started.input.first().map_or_else(String::new, |task| task.text()))
            }
            Event::InferenceStarted(_) => ("step", String::new()),
            Event::Steered(message) => ("steered", message.text()),
            Event::FollowedUp(message) => ("follow-up", message.text()),
            Event::MessageAdded(message) => ("message", message.text()),
            Event::Compacted(compacted) => ("compaction", compacted.summary.clone()),
            Event::BranchSummarised(branch) => ("summary", summary(&branch.message)),
            Event::ExecutionFinished(finished) => {
                ("end", finished.status.as_str().replace('_', " "))
            }
            _ => return None,
        })
    }

    fn begin(&mut self, entry: &Entry, kind: &'static str, what: String) {
        self.is_new = false;
        self.lines.push(Line::new(self.depth, entry.seq, kind, what));
    }
}

/// Whether a line is a task of which nothing was said yet: a message that was queued follows.
fn is_unsaid(line: &Line, is_of_another_branch: bool) -> bool {
    line.kind == "task" && line.what.is_empty() && !is_of_another_branch
}

/// What a response says: the tools that it calls, else its text.
fn said(message: &Message) -> String {
    let tools: Vec<_> = message.tool_calls().map(|call| call.name.to_string()).collect();
    if tools.is_empty() { message.text() } else { tools.join(", ") }
}

/// What was said of a path that was left.
fn summary(message: &Message) -> String {
    let summary = message.app.as_ref().and_then(|app| app.read::<BranchSummary>().ok());
    summary.map_or_else(|| message.text(), |branch| branch.summary)
}

fn shown(lines: &[Line], state: &AgentState, terminal: Terminal) -> String {
    let mut text = format!("{}\n", visible(&one_line(&state.summary().title)));
    let width = lines.iter().map(|line| line.entry.to_string().len()).max().unwrap_or(1);
    for line in lines {
        let head = if line.head { '*' } else { ' ' };
        let what = one_line(&line.what);
        let what = visible(&what);
        let what = clip(&what, WHAT);
        let mut about = Vec::new();
        if line.tokens > 0 {
            about.push(count(line.tokens, "token"));
        }
        if line.cost_usd > 0.0 {
            about.push(money(line.cost_usd));
        }
        about.extend(line.labels.iter().map(|label| format!("[{}]", visible(label))));
        let about =
            if about.is_empty() { String::new() } else { format!("  {}", about.join("  ")) };
        let bars = "│ ".repeat(line.depth);
        let bars = if terminal.out { bars } else { "| ".repeat(line.depth) };
        text.push_str(&format!(
            "{head} {:>width$}  {bars}{}: {what}{about}\n",
            line.entry, line.kind
        ));
    }
    text
}
