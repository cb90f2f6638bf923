//! `/cost`: what the session used.

use crate::chat::Chat;
use crate::display::{Usage, spent};
use crate::error::Error;

pub(super) async fn cost(chat: &Chat<'_>) -> Result<(), Error> {
    let Some(state) = chat.state().await? else {
        chat.say("nothing was used yet");
        return Ok(());
    };
    let marks = chat.terminal.marks;
    let line = |of: &str, used| format!("{of}: {}", spent(&Usage::of_amounts(used), marks));
    chat.say(&line("the last turn", state.used()));
    chat.say(&line("the whole session", state.session_used()));
    Ok(())
}
