//! What is told of an undo, to people and to programs.

use std::fmt::Write as _;

use legwork::agent::undo::{UndoPlan, Undone};
use legwork::core::undo::PastCall;
use serde_json::json;

use crate::commands::{print, print_json, tell};
use crate::display::text::{count, visible};
use crate::display::tool;
use crate::error::Error;

/// How it is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Text,
    Json,
}

/// Calls of which something stays that are named each.
const NAMED: usize = 10;

impl Shown {
    /// Names what stays whatever is done.
    pub(super) fn stays(self, plan: &UndoPlan) -> Result<(), Error> {
        const NONE: &str = "its tool has no undo";
        if self == Self::Json {
            let line = |(call, stays): (&PastCall, Option<&str>)| {
                line("stays", call, stays.unwrap_or(NONE))
            };
            return print_json(&plan.left().map(line).collect::<String>()).map(drop);
        }
        for (call, stays) in plan.left().take(NAMED) {
            let stays = stays.unwrap_or(NONE);
            tell(&format!("note: it is not taken back: {}: {}", tool::call(&call.call), stays));
        }
        match plan.left().count().saturating_sub(NAMED) {
            0 => {}
            more => tell(&format!("note: nor are {} like these", count(more as u64, "older call"))),
        }
        Ok(())
    }

    /// Names what cannot be taken back; true if there is nothing of that kind.
    pub(super) fn refused(self, plan: &UndoPlan) -> Result<bool, Error> {
        if self == Self::Json {
            let lines = plan.refused().map(|(call, why)| line("refused", call, &why.to_string()));
            print_json(&lines.collect::<String>())?;
        } else {
            for (call, why) in plan.refused() {
                let why = why.to_string();
                tell(&format!("cannot take back {}: {}", tool::call(&call.call), visible(&why)));
            }
        }
        Ok(plan.refused().next().is_none())
    }

    /// Says what would be done.
    pub(super) fn would(self, plan: &UndoPlan) -> Result<(), Error> {
        if self == Self::Json {
            let lines = plan.undoes().map(|(call, words)| line("would", call, words));
            return print_json(&lines.collect::<String>()).map(drop);
        }
        let mut text = String::new();
        for (call, words) in plan.undoes() {
            let _ = writeln!(text, "{}: would {}", tool::call(&call.call), visible(words));
        }
        let calls = plan.undoes().count() as u64;
        text += &match calls {
            0 if plan.refused().next().is_some() => String::new(),
            0 => NOTHING.to_owned(),
            _ => format!("{} would be taken back; nothing was changed\n", count(calls, "call")),
        };
        print(&text).map(drop)
    }

    /// Says what was done.
    pub(super) fn done(self, undone: &Undone) -> Result<(), Error> {
        let stopped = undone.stopped.as_ref();
        if self == Self::Json {
            let done = undone.calls.iter().map(|undone| line("done", &undone.call, &undone.did));
            let stopped = stopped.map(|(call, why)| line("refused", call, &why.to_string()));
            return print_json(&done.chain(stopped).collect::<String>()).map(drop);
        }
        let mut text = String::new();
        for undone in &undone.calls {
            let did = visible(&undone.did);
            let _ = writeln!(text, "{}: {did}", tool::call(&undone.call.call));
        }
        text += &match undone.calls.len() as u64 {
            0 => NOTHING.to_owned(),
            calls => format!("{} taken back\n", count(calls, "call")),
        };
        print(&text)?;
        if let Some((call, why)) = stopped {
            let why = why.to_string();
            tell(&format!(
                "stopped at {}: {}; it stands, and so does what was done before it",
                tool::call(&call.call),
                visible(&why)
            ));
        }
        Ok(())
    }
}

const NOTHING: &str = "nothing to take back: what the session changed is as it was before\n";

fn line(undo: &str, call: &PastCall, words: &str) -> String {
    let line = json!({
        "undo": undo,
        "session": call.key.session,
        "entry": call.key.entry,
        "index": call.key.index,
        "tool": call.call.name,
        "words": words,
    });
    format!("{line}\n")
}
