//! `/model`: asks another model from here on.

use crate::args;
use crate::chat::Chat;
use crate::error::Error;

pub(super) async fn model(chat: &mut Chat<'_>, name: &str) -> Result<(), Error> {
    if !name.is_empty() {
        let flags = args::Agent { model: Some(name.to_owned()), ..chat.flags.clone() };
        chat.become_other(flags).await?;
    }
    chat.who();
    Ok(())
}
