//! `/diff`: what the session changed in files.

use crate::chat::Chat;
use crate::commands::changes;
use crate::error::Error;

pub(super) async fn diff(chat: &Chat<'_>) -> Result<(), Error> {
    let (text, notes) = changes(&chat.store, &chat.session, chat.terminal).await?;
    chat.screen.text(&text);
    notes.iter().for_each(|note| chat.say(note));
    Ok(())
}
