//! `/compact`: a summary in place of the beginning of the conversation.

use std::sync::Arc;

use legwork::agent::Control;
use legwork::port::Observer;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::chat::{Chat, Then};
use crate::commands::{UNDONE, compacted, is_interrupted};
use crate::error::Error;
use crate::keyboard::Typed;

pub(super) async fn compact(
    chat: &Chat<'_>,
    focus: &str,
    typed: &mut UnboundedReceiver<Typed>,
) -> Result<Then, Error> {
    let Some(before) = chat.state().await? else {
        chat.say("nothing was said yet");
        return Ok(Then::Stays);
    };
    let focus = Some(focus.trim()).filter(|focus| !focus.is_empty()).map(str::to_owned);
    let observer: Arc<dyn Observer> = Arc::clone(&chat.screen) as _;
    let control = Control::default();
    let asked = chat.stored().compact(focus).observer(observer).control(control.clone());
    chat.say("the model writes a summary; Ctrl-C stops it");
    let work = asked.into_future();
    tokio::pin!(work);
    chat.keyboard.read();
    let mut leaves = Then::Stays;
    loop {
        tokio::select! {
            biased;
            run = &mut work => {
                match run {
                    Err(error) if is_interrupted(&error) => chat.say(UNDONE),
                    run => chat.say(&compacted(&before, run?.state())),
                }
                return Ok(leaves);
            }
            () = chat.leaves.interrupt.cancelled(), if leaves == Then::Stays => {
                leaves = Then::Leaves;
                control.interrupt.cancel();
            }
            next = typed.recv(), if leaves == Then::Stays => match next {
                None | Some(Typed::End) => {
                    leaves = Then::Leaves;
                    control.interrupt.cancel();
                }
                Some(Typed::Interrupt | Typed::Discard) => {
                    chat.pane.interrupted();
                    control.interrupt.cancel();
                }
                Some(Typed::Line(_)) => {
                    chat.say("wait for the summary, or stop it with Ctrl-C");
                    chat.keyboard.read();
                }
            },
        }
    }
}
