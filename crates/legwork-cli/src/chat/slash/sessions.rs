//! `/sessions`: the sessions changed last.

use crate::chat::Chat;
use crate::commands::listed;
use crate::error::Error;

/// How many are shown.
const SHOWN: usize = 10;

pub(super) async fn sessions(chat: &Chat<'_>) -> Result<(), Error> {
    let text = listed(&chat.store, SHOWN, chat.terminal).await?;
    chat.screen.text(&text);
    Ok(())
}
