//! `legwork sessions list`: the sessions changed last.

use std::sync::Arc;

use legwork::core::journal::Journal;
use legwork::core::{AgentId, AgentState, Event, ExecutionStatus, SessionId, Timestamp};
use legwork::port::Store;
use legwork::port::store::SessionInfo;
use serde::Serialize;

use crate::args;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::display::Terminal;
use crate::display::text::{age, clip, columns, count, now, one_line, visible};
use crate::error::Error;
use crate::exit::Exit;
use crate::place::Place;
use crate::short_id::Length;

/// Columns below which a session takes two lines.
const NARROW: usize = 60;
/// Columns of a task in a line about a session.
const TASK: usize = 60;
const IN_PROGRESS: &str = "in_progress";
/// The word for a session in progress that no process runs.
pub(super) const INTERRUPTED: &str = "interrupted";

/// A session as it is listed.
#[derive(Debug, Serialize)]
struct Row {
    session: SessionId,
    created_at: Timestamp,
    updated_at: Timestamp,
    status: String,
    /// Whether a process runs it; none if the store cannot tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<bool>,
    steps: u64,
    task: String,
    /// The session that spawned it, and the agent that works in it; none but of a subagent.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<AgentId>,
}

impl Row {
    /// Its status in the words of people.
    fn standing(&self) -> String {
        match self.running {
            Some(false) => self.status.replacen(IN_PROGRESS, INTERRUPTED, 1),
            _ => self.status.clone(),
        }
    }

    /// The task; that of a subagent with its name.
    fn told(&self) -> String {
        match &self.agent {
            Some(agent) => format!("subagent {agent}: {}", self.task),
            None => self.task.clone(),
        }
    }
}

pub(crate) async fn list(args: args::List, config: &Config) -> Result<Exit, Error> {
    let place = Place::of(&args.store, config)?;
    let Some(store) = place.open_to_read()? else { return nothing(&place, args.json) };
    let all = store.sessions(usize::MAX).await?;
    if all.is_empty() {
        return nothing(&place, args.json);
    }
    let mut rows = Vec::new();
    for info in all.iter().take(args.limit) {
        rows.push(row(&store, info).await);
    }
    if args.json {
        let lines = rows.iter().filter_map(|row| serde_json::to_string(row).ok());
        return print_json(&lines.map(|line| line + "\n").collect::<String>());
    }
    let terminal = Terminal::detect().for_out();
    let ids = shown_ids(&all, terminal);
    let mut text = table(&rows, ids, terminal, now());
    if let Some(left) = all.len().checked_sub(rows.len()).filter(|left| *left > 0) {
        text.push_str(&format!("... {left} more; see them with --limit {}\n", all.len()));
    }
    print(&text)
}

fn nothing(place: &Place, json: bool) -> Result<Exit, Error> {
    let text = format!("no sessions yet in {}\nbegin one: legwork run \"task\"\n", place.address());
    print(if json { "" } else { &text })
}

/// What a session says of itself; one that cannot be read does not hide the others.
async fn row(store: &Arc<dyn Store>, info: &SessionInfo) -> Row {
    let row = Row {
        session: info.session.clone(),
        created_at: info.created_at,
        updated_at: info.updated_at,
        status: "unreadable".to_owned(),
        running: None,
        steps: 0,
        task: String::new(),
        parent: None,
        agent: None,
    };
    let loaded = match store.read(&info.session).await {
        Ok(loaded) => loaded,
        Err(error) => return Row { task: error.to_string(), ..row },
    };
    let state = loaded.journal.fold(&info.session);
    let status = match (&loaded.damage, &loaded.unreadable) {
        (_, Some(_)) => format!("{}, rest unreadable", status(&state)),
        (Some(_), None) => format!("{}, damaged", status(&state)),
        (None, None) => status(&state),
    };
    let steps = state.ledger().lifetime.steps;
    let parent = state.facts().parent.as_ref().map(|link| link.session.clone());
    let agent = parent.is_some().then(|| state.facts().agent.clone()).flatten();
    let running = match loaded.unreadable {
        // A newer version may have ended it.
        Some(_) => None,
        None => running(store, &state).await,
    };
    Row { status, running, steps, task: task(&loaded.journal), parent, agent, ..row }
}

/// A session in a line: when it changed, its status and task.
pub(crate) async fn told(store: &Arc<dyn Store>, info: &SessionInfo) -> String {
    let row = row(store, info).await;
    format!("{}, {}: {}", age(row.updated_at, now()), row.standing(), clip(&row.told(), TASK))
}

/// Whether a process runs a session; none if it is not in progress, or the store cannot tell.
pub(super) async fn running(store: &Arc<dyn Store>, state: &AgentState) -> Option<bool> {
    if state.status() != Some(&ExecutionStatus::InProgress) {
        return None;
    }
    store.is_claimed(state.session()).await.ok().flatten()
}

/// How a session stands, in a word.
pub(super) fn status(state: &AgentState) -> String {
    state.status().map_or("empty", |status| status.as_str()).to_owned()
}

/// The first line of the session's first task.
pub(crate) fn task(journal: &Journal) -> String {
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

fn table(rows: &[Row], length: Length, terminal: Terminal, now: Timestamp) -> String {
    let updated: Vec<_> = rows.iter().map(|row| age(row.updated_at, now)).collect();
    let steps: Vec<_> = rows.iter().map(|row| count(row.steps, "step")).collect();
    let wide = |texts: &[String]| texts.iter().map(|text| columns(text)).max().unwrap_or(0);
    let statuses: Vec<_> = rows.iter().map(Row::standing).collect();
    let ids: Vec<_> =
        rows.iter().map(|row| visible(&length.of(&row.session)).into_owned()).collect();
    let (id, a, b, c) = (wide(&ids), wide(&updated), wide(&statuses), wide(&steps));
    let mut text = String::new();
    let columns_of = ids.iter().zip(&updated).zip(&statuses).zip(&steps);
    for (row, (((session, updated), status), steps)) in rows.iter().zip(columns_of) {
        let task = row.told();
        let line = match terminal.columns < NARROW {
            true => {
                let (first, second) =
                    (format!("{session}  {status}"), format!("  {updated}, {steps}: {task}"));
                let first = clip(&first, terminal.columns).into_owned();
                format!("{first}\n{}", clip(&second, terminal.columns))
            }
            false => {
                let line =
                    format!("{session:<id$}  {updated:<a$}  {status:<b$}  {steps:<c$}  {task}");
                clip(&line, terminal.columns).into_owned()
            }
        };
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
