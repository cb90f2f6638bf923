//! A transform of one's own: what a model reads of a conversation, and what the journal keeps.
//!
//! `transforms::each` makes one of a closure that shortens units one by one; a type that implements
//! `Transform` sees the whole view, and takes in what was added at each step.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::ops::Range;

use legwork::context::transform::{Cx, Extended};
use legwork::context::{Context, Memory, Pipeline, Transform, View, transforms};
use legwork::core::AgentState;
use legwork::port::Profile;

/// Leaves out what the user said by mistake: messages that begin with "(ignore)".
struct Ignored;

impl Transform for Ignored {
    fn name(&self) -> &str {
        "ignored"
    }

    fn priority(&self) -> i32 {
        150
    }

    fn extend(&self, view: &mut View, added: Range<usize>, _cx: &Cx<'_>) -> Extended {
        let is_ignored = |at: &usize| {
            view.get(*at).is_some_and(|unit| unit.head().text().starts_with("(ignore)"))
        };
        let ignored: Vec<_> = added.filter(is_ignored).collect();
        for at in ignored.into_iter().rev() {
            view.remove(at..at + 1);
        }
        Extended::Done
    }
}

fn main() -> Result<(), legwork::context::NotSettled> {
    let short = transforms::each("short_links", 160, |unit, _cx| {
        unit.map_texts(&|text| Some(text.replace("https://example.com/archive", "archive:")))
    });
    // An agent is given the same: `Agent::builder(model).context(context)`.
    let context = Context::new().transform(Ignored).transform(short);

    let said = [
        "Add some numbers.",
        "(ignore) wrong window",
        "They are in https://example.com/archive/17.",
        "And 25.",
    ];
    let state = AgentState::new("s".into());
    let state = said.into_iter().fold(state, AgentState::with_message);
    let pipeline: &Pipeline = context.pipeline();
    let shown = pipeline.to_model(&mut Memory::new(), &state, &Profile::new())?;
    for message in shown.messages.messages().iter() {
        println!("{}", message.text());
    }
    println!("{} of {} messages", shown.report.messages, said.len());
    Ok(())
}
