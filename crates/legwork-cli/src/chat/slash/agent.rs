//! `/agent`: lets another agent go on with the session.

use crate::args;
use crate::chat::Chat;
use crate::error::Error;

pub(super) async fn agent(chat: &mut Chat<'_>, name: &str) -> Result<(), Error> {
    if !name.is_empty() {
        let flags = args::Agent { agent: Some(name.to_owned()), ..chat.flags.clone() };
        chat.become_other(flags).await?;
    }
    chat.who();
    Ok(())
}
