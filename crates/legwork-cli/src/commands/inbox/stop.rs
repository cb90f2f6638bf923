//! `legwork stop`: ends the execution under way, in whatever process it runs.

use super::{Report, Standing};
use crate::args;
use crate::commands::addressed::Addressed;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::settings::variable;

pub(crate) async fn stop(args: args::Stop, config: &Config) -> Result<Exit, Error> {
    let at = Addressed::find(&args.session, &args.store, config).await?;
    let reason = match variable("USER") {
        Some(user) => format!("{} ({user})", args.reason),
        None => args.reason,
    };
    let delivery = at.session.stop(reason).await?;
    Report { at: &at, delivery, verb: "stop" }.print(args.json, |standing| {
        let becomes = match standing {
            Standing::Running => "sent: the process that runs the session makes no further step",
            _ => "stopped: no process runs the session; it ends as cancelled once it goes on",
        };
        becomes.to_owned()
    })
}
