//! Entries as they are named on the command line: by number, or by label.

use legwork::core::{AgentState, Seq};

use crate::display::text::visible;
use crate::error::Error;

/// The entry of a number or a label.
pub(super) fn entry(state: &AgentState, asked: &str) -> Result<Seq, Error> {
    let labels = &state.facts().labels;
    if let Some(number) = number(asked) {
        return Ok(number);
    }
    if let Some((entry, _)) = labels.iter().find(|(_, label)| *label == asked) {
        return Ok(*entry);
    }
    let known: Vec<_> = labels.values().map(|label| visible(label).into_owned()).collect();
    let hint = match known.is_empty() {
        true => "the session has no labels: give the number of an entry, as `legwork sessions \
                 tree` shows it"
            .to_owned(),
        false => format!("its labels are {}; or give the number of an entry", known.join(", ")),
    };
    Err(Error::usage(format!("the session has no entry labelled {:?}", visible(asked)), hint))
}

/// The entry of a number.
pub(super) fn number(asked: &str) -> Option<Seq> {
    asked.parse().ok().map(Seq)
}
