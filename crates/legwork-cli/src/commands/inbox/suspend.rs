//! `legwork suspend`: lets a session rest, in whatever process it runs.

use super::{Report, Standing};
use crate::args;
use crate::commands::addressed::Addressed;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::settings::variable;

pub(crate) async fn suspend(args: args::Suspend, config: &Config) -> Result<Exit, Error> {
    let at = Addressed::find(&args.session, &args.store, config).await?;
    let reason = match variable("USER") {
        Some(user) => format!("{} ({user})", args.reason),
        None => args.reason,
    };
    let delivery = at.session.suspend(reason).await?;
    Report { at: &at, delivery, verb: "suspend" }.print(args.json, |standing| {
        let becomes = match standing {
            Standing::Running => "sent: the process that runs the session rests after its step",
            _ => "suspended: no worker takes the session up until it is resumed or given a task",
        };
        becomes.to_owned()
    })
}
