//! `legwork sessions list`: the sessions changed last.

use std::path::Path;
use std::sync::Arc;

use legwork::core::journal::Journal;
use legwork::core::{AgentId, AgentState, Event, ExecutionStatus, SessionId, Timestamp};
use legwork::port::Store;
use legwork::port::store::{Parent, Query, Range, SessionInfo};
use serde::Serialize;

use super::tree::nested;
use crate::args;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::config::locate::shown;
use crate::display::text::{age, clip, count, now, one_line, visible};
use crate::display::{Terminal, table};
use crate::error::Error;
use crate::exit::Exit;
use crate::recorded::begun_in;
use crate::short_id::Length;
use crate::store_address::StoreAddress;

/// Columns of a task in a line about a session.
const TASK: usize = 60;
/// How far a subagent's session is set in below the one that it works for.
const INDENT: usize = 2;
/// The word for a session that a process runs.
const RUNNING: &str = "running";
/// The word for a session that waits for an answer.
const WAITING: &str = "waiting";
/// The word for a session in progress that was suspended.
pub(super) const SUSPENDED: &str = "suspended";
/// The word for a session in progress that no process runs.
pub(super) const INTERRUPTED: &str = "interrupted";

/// A session as it is listed.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) session: SessionId,
    created_at: Timestamp,
    updated_at: Timestamp,
    status: String,
    /// Whether a process runs it; none if the store cannot tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<bool>,
    /// Whether it was suspended between two steps.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    suspended: bool,
    /// Not of one in progress: a list does not know how many it has made meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u64>,
    task: String,
    /// The directory that it was begun in; none if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    dir: Option<String>,
    /// The session that spawned it, and the agent that works in it; none but of a subagent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<AgentId>,
}

impl Row {
    /// Its status in the words of people.
    fn standing(&self) -> String {
        let waits = ExecutionStatus::from(self.status.as_str()).is_waiting();
        match self.running {
            Some(true) => RUNNING.to_owned(),
            Some(false) if self.suspended => SUSPENDED.to_owned(),
            Some(false) => INTERRUPTED.to_owned(),
            None if waits => WAITING.to_owned(),
            None => self.status.replace('_', " "),
        }
    }

    /// The task; that of a subagent with its name.
    fn description(&self) -> String {
        match &self.agent {
            Some(agent) => format!("subagent {agent}: {}", self.task),
            None => self.task.clone(),
        }
    }
}

pub(crate) async fn list(args: args::List, config: &Config) -> Result<Exit, Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let Some(store) = address.open_to_read()? else { return nothing(&address, args.json) };
    let all = store.sessions(&Query::all()).await?.sessions;
    if all.is_empty() {
        return nothing(&address, args.json);
    }
    let query = query(&args);
    let (mut rows, mut found) = (Vec::new(), 0_usize);
    for info in all.iter().filter(|info| query.admits(info)) {
        found += 1;
        if rows.len() < args.limit {
            let dir = begun_in(&store, &info.session).await;
            rows.push(Row { dir, ..row(&store, info).await });
        }
    }
    if args.json {
        let lines = rows.iter().filter_map(|row| serde_json::to_string(row).ok());
        return print_json(&lines.map(|line| line + "\n").collect::<String>());
    }
    let terminal = Terminal::detect().for_out();
    let ids = shown_ids(&all, terminal);
    let listed = rows.len();
    let mut text = lines(nested(rows), ids, terminal, now());
    if let Some(left) = found.checked_sub(listed).filter(|left| *left > 0) {
        text.push_str(&format!("... {left} more; see them with --limit {found}\n"));
    }
    if found == 0 {
        text.push_str(&format!("none of {} is one of these\n", count(all.len() as u64, "session")));
    }
    print(&text)
}

/// The sessions changed last, as many as are asked for, for people.
///
/// # Errors
/// When the store cannot be read.
pub(crate) async fn listed(
    store: &Arc<dyn Store>,
    most: usize,
    terminal: Terminal,
) -> Result<String, Error> {
    let all = store.sessions(&Query::all()).await?.sessions;
    let mut rows = Vec::new();
    for info in all.iter().filter(|info| Query::all().roots().admits(info)).take(most) {
        let dir = begun_in(store, &info.session).await;
        rows.push(Row { dir, ..row(store, info).await });
    }
    let ids = Length::apart(all.iter().map(|info| &info.session));
    Ok(lines(nested(rows), ids, terminal, now()))
}

/// Which sessions are listed.
fn query(args: &args::List) -> Query {
    let mut query = Query::all();
    query.status = args.status.map(|status| ExecutionStatus::from(status.as_str()));
    query.label.clone_from(&args.label);
    query.title.clone_from(&args.title);
    query.parent = args.roots.then_some(Parent::None);
    query.since = args.since.map(|since| {
        let since = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        Timestamp(now().0.saturating_sub(since))
    });
    query
}

fn nothing(address: &StoreAddress, json: bool) -> Result<Exit, Error> {
    let text =
        format!("no sessions yet in {}\nbegin one: legwork run \"task\"\n", address.as_str());
    print(if json { "" } else { &text })
}

/// What a list says of a session, without its journal.
async fn row(store: &Arc<dyn Store>, info: &SessionInfo) -> Row {
    let summary = &info.summary;
    let status = summary.status.as_ref();
    let running = running(store, &info.session, status).await;
    let in_progress = status == Some(&ExecutionStatus::InProgress);
    let suspended = running == Some(false) && is_suspended(store, info).await;
    let agent = summary.parent.is_some().then(|| summary.agent.clone()).flatten();
    Row {
        session: info.session.clone(),
        created_at: info.created_at,
        updated_at: info.updated_at,
        status: status.map_or("empty", ExecutionStatus::as_str).to_owned(),
        running,
        suspended,
        steps: (!in_progress).then_some(summary.steps),
        task: one_line(&summary.title),
        dir: None,
        parent: summary.parent.clone(),
        agent,
    }
}

/// Whether a session in progress that no process runs was suspended.
///
/// Its summary says only that it is not due, so that the journals of these few are read: the head
/// of others was moved.
async fn is_suspended(store: &Arc<dyn Store>, info: &SessionInfo) -> bool {
    if info.summary.due_at.is_some() {
        return false;
    }
    let read = store.read(&info.session, Range::ALL).await;
    read.is_ok_and(|read| read.journal.fold(&info.session).facts().suspended.is_some())
}

/// A session in a line: when it changed, its status and task.
pub(crate) async fn summary_line(store: &Arc<dyn Store>, info: &SessionInfo) -> String {
    let row = row(store, info).await;
    format!(
        "{}, {}: {}",
        age(row.updated_at, now()),
        row.standing(),
        clip(&row.description(), TASK)
    )
}

/// Whether a process runs a session; none if it is not in progress, or the store cannot tell.
pub(crate) async fn running(
    store: &Arc<dyn Store>,
    session: &SessionId,
    status: Option<&ExecutionStatus>,
) -> Option<bool> {
    if status != Some(&ExecutionStatus::InProgress) {
        return None;
    }
    store.is_claimed(session).await.ok().flatten()
}

/// How a session stands, in a word.
pub(super) fn status(state: &AgentState) -> String {
    state.status().map_or("empty", |status| status.as_str()).to_owned()
}

/// The first line of the session's first task.
pub(super) fn task(journal: &Journal) -> String {
    let first = journal.entries().iter().find_map(|entry| match &entry.event {
        Event::ExecutionStarted(started) => started.input.first(),
        _ => None,
    });
    let text = first.map_or_else(String::new, |message| message.text());
    one_line(text.trim_start().lines().next().unwrap_or_default())
}

/// How much of ids is shown: all to programs, to people as much as tells them apart.
pub(super) fn shown_ids(all: &[SessionInfo], terminal: Terminal) -> Length {
    match terminal.out {
        true => Length::apart(all.iter().map(|info| &info.session)),
        false => Length::Whole,
    }
}

/// The sessions with how deep each is below others. A list for programs has one line each.
fn lines(rows: Vec<(usize, Row)>, length: Length, terminal: Terminal, now: Timestamp) -> String {
    let indent = if terminal.out { INDENT } else { 0 };
    let cells = rows.iter().map(|(depth, row)| {
        let id = visible(&length.of(&row.session)).into_owned();
        let dir = row.dir.as_deref().map(|dir| shown(Path::new(dir)));
        vec![
            format!("{:set$}{id}", "", set = depth * indent),
            age(row.updated_at, now),
            row.standing(),
            row.steps.map_or_else(String::new, |steps| count(steps, "step")),
            dir.unwrap_or_default(),
            row.description(),
        ]
    });
    table(&cells.collect::<Vec<_>>(), terminal.for_table())
}
