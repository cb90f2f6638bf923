//! Server-sent events, as the standard lets a server write them.

use fastrand::Rng;
use serde_json::Value;

use super::json::{Space, odd};

/// A stream of events, each of them with its type as a name where it has one.
pub(crate) fn stream(events: &[Value], done: &str, random: &mut Rng) -> Vec<u8> {
    let end = random.choice(["\n", "\r\n", "\r"]).unwrap_or("\n");
    let mut out = String::new();
    for event in events {
        if random.u8(..8) == 0 {
            let between = [": comment", "id: 7", "retry: 9", "novel: 1", "", ":"];
            out.push_str(random.choice(between).unwrap_or_default());
            out.push_str(end);
        }
        if let Some(kind) = event.get("type").and_then(Value::as_str).filter(|_| random.bool()) {
            out.push_str(&format!("event: {kind}{end}"));
        }
        for line in odd(event, Space::Lines, random).split('\n') {
            out.push_str(if random.bool() { "data: " } else { "data:" });
            out.push_str(line);
            out.push_str(end);
        }
        out.push_str(end);
    }
    if !done.is_empty() {
        out.push_str(&format!("data: {done}{end}{end}"));
    }
    // Some servers end without the blank line behind their last event.
    if random.u8(..8) == 0 {
        out.truncate(out.len() - end.len());
    }
    out.into_bytes()
}
