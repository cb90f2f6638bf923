//! One call of the command: its events followed, and killed when it is time.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

#[cfg(test)]
mod tests;

/// How often the demo looks whether it is time to kill.
const LOOK: Duration = Duration::from_millis(10);

/// A run that takes longer hangs; a small model on a slow machine stays below.
const LIMIT: Duration = Duration::from_secs(600);

/// What one call of the command came to.
pub(super) struct Run {
    pub(super) session: Option<String>,
    pub(super) resumed_from: Option<String>,
    pub(super) text: Option<String>,
    pub(super) ended: Ended,
    /// Text that has streamed in and was not shown yet.
    saying: String,
}

#[derive(Clone, Copy)]
pub(super) enum Ended {
    Killed,
    ByItself(ExitStatus),
}

/// Shows the events of a run as they come, and kills it when it is time.
pub(super) fn follow(
    command: &mut Command,
    is_time: impl Fn(Option<&Value>) -> bool,
) -> Result<Run, String> {
    println!("$ {}", line_of(command));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start legwork: {error}"))?;
    let events = events(&mut child);
    let mut run = Run {
        session: None,
        resumed_from: None,
        text: None,
        ended: Ended::Killed,
        saying: String::new(),
    };
    let start = Instant::now();
    loop {
        let news = match events.recv_timeout(LOOK) {
            Ok(event) => {
                run.take(&event);
                Some(event)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let late = start.elapsed() > LIMIT;
        if late || is_time(news.as_ref()) {
            return kill(child, run, late);
        }
    }
    let status = child.wait().map_err(|error| format!("lost legwork: {error}"))?;
    run.ended = Ended::ByItself(status);
    Ok(run)
}

fn kill(mut child: Child, run: Run, late: bool) -> Result<Run, String> {
    // On Unix this is SIGKILL: nothing of the process gets to say goodbye.
    let killed = child.kill().and_then(|()| child.wait());
    killed.map_err(|error| format!("cannot kill legwork: {error}"))?;
    if late {
        return Err(format!("no end after {} s", LIMIT.as_secs()));
    }
    Ok(run)
}

fn events(child: &mut Child) -> Receiver<Value> {
    let (send, receive) = mpsc::channel();
    let out = child.stdout.take();
    thread::spawn(move || {
        let lines = out.map(BufReader::new).into_iter().flat_map(BufRead::lines);
        for line in lines.map_while(Result::ok) {
            match serde_json::from_str(&line) {
                Ok(event) => {
                    if send.send(event).is_err() {
                        return;
                    }
                }
                Err(_) => println!("  {line}"),
            }
        }
    });
    receive
}

impl Run {
    /// Shows an event and keeps what matters of it.
    fn take(&mut self, event: &Value) {
        let kind = text(event, "type").unwrap_or_default();
        if let Some(session) = text(event, "session") {
            self.session.get_or_insert_with(|| session.to_owned());
        }
        if kind == "execution_finished" {
            self.text = text(event, "text").map(str::to_owned);
        }
        if kind == "text_delta" {
            self.saying.push_str(text(event, "text").unwrap_or_default());
            return;
        }
        let said = std::mem::take(&mut self.saying);
        if !said.trim().is_empty() {
            println!("  says: {}", clipped(&said));
        }
        if let Some(line) = shown_event(kind, event) {
            println!("  {line}");
        }
    }
}

/// The line that a person reads of an event, if it is worth a line here.
fn shown_event(kind: &str, event: &Value) -> Option<String> {
    let field = |name| event.get(name).map_or_else(String::new, plain);
    let at = |place: &str| event.pointer(place).map_or_else(String::new, plain);
    let line = match kind {
        "step_started" => format!("step {}", field("step")),
        "tool_started" => format!("calls: {} {}", at("/call/name"), at("/call/arguments")),
        "tool_finished" => format!("{}: {}", at("/call/name"), clipped(&field("outcome"))),
        "execution_resumed" => "resumed".to_owned(),
        "warning" | "run_failed" => format!("{kind}: {} {}", field("message"), field("hint")),
        "error" => format!("{kind}: {} {}", at("/error/message"), field("hint")),
        "execution_finished" | "execution_paused" | "execution_interrupted" => {
            format!("{}: {}", field("status"), field("explain"))
        }
        _ => return None,
    };
    Some(line)
}

fn text<'a>(event: &'a Value, name: &str) -> Option<&'a str> {
    event.get(name)?.as_str()
}

/// A string without its quotes, nothing for null, JSON for the rest.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// One line that fits on a screen.
fn clipped(text: &str) -> String {
    let line = text.trim().replace('\n', " | ");
    match line.char_indices().nth(140) {
        None => line,
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
    }
}

/// The command as a person would type it.
pub(super) fn line_of(command: &Command) -> String {
    let args = command.get_args().map(|arg| {
        let text = arg.to_string_lossy();
        if text.contains([' ', '`']) { format!("'{text}'") } else { text.into_owned() }
    });
    format!("legwork {}", args.collect::<Vec<_>>().join(" "))
}
