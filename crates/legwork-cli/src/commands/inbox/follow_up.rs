//! `legwork follow-up`: a message for when the agent would otherwise be done.

use super::{Report, Standing, check_heard, status};
use crate::args;
use crate::commands::addressed::Addressed;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::task;

pub(crate) async fn follow_up(args: args::Words, config: &Config) -> Result<Exit, Error> {
    let message = task::message(args.words, &args.more, "legwork follow-up")?;
    let at = Addressed::find(&args.session, &args.store, config).await?;
    check_heard(&at, "follow-up")?;
    let delivery = at.session.follow_up(message).await?;
    let ended = delivery.clone().into_state().map_or_else(String::new, |state| status(&state));
    Report { at: &at, delivery, verb: "follow_up" }.print(args.json, |standing| match standing {
        Standing::Running => {
            "sent: the process that runs the session reads it when the agent would stop".to_owned()
        }
        Standing::Interrupted => {
            "kept: the session was interrupted; it is read when the agent would stop".to_owned()
        }
        Standing::Waiting => {
            "kept: the session waits for an answer first; it is read when the agent would stop"
                .to_owned()
        }
        Standing::Ended => {
            format!("kept: the session has ended ({ended}); it is the task of its next execution")
        }
    })
}
