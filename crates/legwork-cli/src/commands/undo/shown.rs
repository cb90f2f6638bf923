//! What is shown of an undo, to people and to programs.

use legwork::agent::undo::{UndoPlan, Undone};
use legwork::core::undo::PastCall;
use serde_json::json;

use super::told;
use crate::commands::{print, print_json, tell};
use crate::error::Error;

/// How it is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Text,
    Json,
}

impl Shown {
    /// Names what stays whatever is done.
    pub(super) fn stays(self, plan: &UndoPlan) -> Result<(), Error> {
        if self == Self::Text {
            told::stays(plan).iter().for_each(|line| tell(line));
            return Ok(());
        }
        let line = |(call, stays): (&PastCall, Option<&str>)| {
            line("stays", call, stays.unwrap_or(told::NO_UNDO))
        };
        print_json(&plan.left().map(line).collect::<String>()).map(drop)
    }

    /// Names what cannot be taken back; true if there is nothing of that kind.
    pub(super) fn refused(self, plan: &UndoPlan) -> Result<bool, Error> {
        if self == Self::Text {
            told::refused(plan).iter().for_each(|line| tell(line));
        } else {
            let lines = plan.refused().map(|(call, why)| line("refused", call, &why.to_string()));
            print_json(&lines.collect::<String>())?;
        }
        Ok(plan.refused().next().is_none())
    }

    /// Says what would be done.
    pub(super) fn would(self, plan: &UndoPlan) -> Result<(), Error> {
        if self == Self::Text {
            return print(&text(&told::would(plan))).map(drop);
        }
        let lines = plan.undoes().map(|(call, words)| line("would", call, words));
        print_json(&lines.collect::<String>()).map(drop)
    }

    /// Says what was done.
    pub(super) fn done(self, undone: &Undone) -> Result<(), Error> {
        if self == Self::Text {
            print(&text(&told::done(undone)))?;
            told::stopped(undone).iter().for_each(|line| tell(line));
            return Ok(());
        }
        let done = undone.calls.iter().map(|undone| line("done", &undone.call, &undone.did));
        let stopped = undone.stopped.as_ref();
        let stopped = stopped.map(|(call, why)| line("refused", call, &why.to_string()));
        print_json(&done.chain(stopped).collect::<String>()).map(drop)
    }
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

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
