//! `legwork compact`: a summary in place of the beginning of a conversation.

use legwork::core::AgentState;

use super::auxiliary::Asked;
use crate::args;
use crate::config::Config;
use crate::display::text::{count, grouped};
use crate::error::Error;
use crate::exit::Exit;

pub(crate) async fn compact(args: args::Compact, config: &Config) -> Result<Exit, Error> {
    let args::Compact { session, focus, agent, store, output } = args;
    let asked = Asked::find(&session, &agent, &store, &output, config).await?;
    let Some(asked) = asked else { return Ok(Exit::Interrupted) };
    let state = asked.ask(|session| session.compact(focus)).await?;
    let Some(state) = state else { return Ok(Exit::Interrupted) };
    asked.screen.note(&told(&asked.state, &state));
    Ok(Exit::Done)
}

/// What was compacted, in words.
pub(crate) fn told(before: &AgentState, after: &AgentState) -> String {
    let left_out = |state: &AgentState| {
        state.context().compaction.as_ref().map_or(0, |compaction| compaction.first as u64)
    };
    let messages = left_out(after).saturating_sub(left_out(before));
    let (had, has) = (before.tokens().total(), after.tokens().total());
    format!(
        "a summary is read in place of {}: about {} tokens, before {}",
        count(messages, "message"),
        grouped(has),
        grouped(had)
    )
}
