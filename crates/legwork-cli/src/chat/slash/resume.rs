//! `/resume`: goes on where the session stands.

use tokio::sync::mpsc::UnboundedReceiver;

use crate::chat::{Chat, Then, turn};
use crate::error::Error;
use crate::keyboard::Typed;

pub(super) async fn resume(
    chat: &mut Chat<'_>,
    typed: &mut UnboundedReceiver<Typed>,
) -> Result<Then, Error> {
    if chat.state().await?.is_none() {
        chat.say("nothing was said yet");
        return Ok(Then::Stays);
    }
    match chat.go_on(typed).await {
        Err(error) if turn::is_over(&error) => {
            chat.say("nothing is left to do: say what is next");
            Ok(Then::Stays)
        }
        done => done,
    }
}
