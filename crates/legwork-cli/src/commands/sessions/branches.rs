//! `legwork sessions tree`: the branches of a session.

use legwork::core::budget::Amounts;
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
    #[serde(skip)]
    used: Amounts,
    /// Whether it is a step that has not ended.
    #[serde(skip)]
    open: bool,
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
    let mut all = Vec::new();
    let roots = (0..branches.len()).filter(|index| parent(&branches, *index).is_none());
    let several = roots.clone().count() > 1;
    // Those that are looked at next are last.
    let mut next: Vec<_> = roots.map(|root| (root, usize::from(several))).collect();
    next.reverse();
    let mut steps = vec![0; branches.len()];
    while let Some((index, depth)) = next.pop() {
        let Some(branch) = branches.get(index) else { continue };
        let before = branch.parent.and_then(|parent| steps.get(parent).copied()).unwrap_or(0);
        let mut walk = Walk { depth, lines: Vec::new(), step: before };
        branch.entries.iter().for_each(|entry| walk.take(entry));
        if let Some(place) = steps.get_mut(index) {
            *place = walk.step;
        }
        all.extend(walk.lines);
        next.extend(branch.children.iter().rev().map(|child| (*child, depth + 1)));
    }
    finish(&mut all, journal, state);
    all
}

fn parent(branches: &[Branch], index: usize) -> Option<usize> {
    branches.get(index).and_then(|branch| branch.parent)
}

/// Adds what is known of the whole: labels, and where the head is.
fn finish(lines: &mut [Line], journal: &Journal, state: &AgentState) {
    let tip = journal.tip();
    for line in lines {
        line.head = line.first <= tip && tip <= line.entry;
        let labels = state.facts().labels.iter();
        let own = labels.filter(|(entry, _)| line.first <= **entry && **entry <= line.entry);
        line.labels = own.map(|(_, label)| label.clone()).collect();
        line.tokens = line.used.total_tokens();
        line.cost_usd = line.used.cost.0 as f64 / 1e6;
    }
}

/// A branch, an entry after the other.
struct Walk {
    depth: usize,
    lines: Vec<Line>,
    /// The number of the last step in its execution.
    step: u32,
}

impl Walk {
    fn take(&mut self, entry: &Entry) {
        match &entry.event {
            Event::ExecutionStarted(started) => {
                self.step = 0;
                let task = started.input.first().map_or_else(String::new, |task| task.text());
                self.begin(entry, "task", task);
            }
            Event::InferenceStarted(_) if !self.is_open() => {
                self.step += 1;
                self.begin(entry, "step", String::new());
                self.last(|line| line.open = true);
            }
            Event::Responded(responded) => {
                self.last(|line| line.what = said(&responded.response.message))
            }
            Event::Steered(message) => self.begin(entry, "steered", message.text()),
            Event::FollowedUp(message) => self.begin(entry, "follow-up", message.text()),
            Event::MessageAdded(message) => self.begin(entry, "message", message.text()),
            Event::ExecutionFinished(finished) => {
                let status = finished.status.as_str().replace('_', " ");
                self.begin(entry, "end", status);
            }
            Event::StepFinished(_) => self.last(|line| line.open = false),
            _ => {}
        }
        self.last(|line| {
            line.entry = entry.seq;
            line.used = line.used.plus(&entry.event.charged());
        });
    }

    fn is_open(&self) -> bool {
        self.lines.last().is_some_and(|line| line.open)
    }

    fn begin(&mut self, entry: &Entry, kind: &'static str, what: String) {
        // What is said in the middle of a step is part of it.
        if self.is_open() {
            return;
        }
        self.lines.push(Line {
            depth: self.depth,
            first: entry.seq,
            entry: entry.seq,
            head: false,
            kind,
            what,
            tokens: 0,
            cost_usd: 0.0,
            labels: Vec::new(),
            used: Amounts::default(),
            open: false,
        });
    }

    fn last(&mut self, change: impl FnOnce(&mut Line)) {
        if let Some(line) = self.lines.last_mut() {
            change(line);
        }
    }
}

/// What a response says: the tools that it calls, else its text.
fn said(message: &Message) -> String {
    let tools: Vec<_> = message.tool_calls().map(|call| call.name.to_string()).collect();
    if tools.is_empty() { message.text() } else { tools.join(", ") }
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
