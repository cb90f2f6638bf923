//! `legwork steer`: a message for the very next inference.

use super::{Report, Standing, check_heard, status};
use crate::args;
use crate::commands::addressed::Addressed;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::task;

pub(crate) async fn steer(args: args::Words, config: &Config) -> Result<Exit, Error> {
    let message = task::message(args.words, &args.more, "legwork steer")?;
    let at = Addressed::find(&args.session, &args.store, config).await?;
    check_heard(&at, "steer")?;
    let delivery = at.session.steer(message).await?;
    let ended = delivery.clone().into_state().map_or_else(String::new, |state| status(&state));
    Report { at: &at, delivery, verb: "steer" }.print(args.json, |standing| match standing {
        Standing::Running => {
            "sent: the process that runs the session reads it before the next inference".to_owned()
        }
        Standing::Interrupted => {
            "kept: the session was interrupted; its next inference reads it".to_owned()
        }
        Standing::Waiting => {
            "kept: the session waits; once it goes on, its next inference reads it, and calls that \
             wait for an approval or a result are skipped"
                .to_owned()
        }
        Standing::Ended => {
            format!("kept: the session has ended ({ended}); it is the task of its next execution")
        }
    })
}
