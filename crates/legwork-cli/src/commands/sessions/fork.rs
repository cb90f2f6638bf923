//! `legwork sessions fork`: a new session that goes on from an entry of another.

use super::entry::entry;
use crate::args;
use crate::commands::addressed::Addressed;
use crate::commands::print;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::quoted;

pub(super) async fn fork(args: args::Fork, config: &Config) -> Result<Exit, Error> {
    let at = Addressed::find(&args.session, &args.store, config).await?;
    let from = match &args.entry {
        Some(asked) => entry(&at.state, asked)?,
        None => at.state.head(),
    };
    let fork = at.session.fork(from).await?;
    let state = fork.state().await?;
    let (id, store) = (quoted(fork.id().as_str()), &at.store);
    let mut text = format!("{}\n", fork.id());
    if state.status().is_some_and(|status| !status.is_terminal()) {
        text.push_str(&format!("to go on where it was: legwork resume {id}{store}\n"));
    }
    text.push_str(&format!("to give it a task: legwork run --session {id}{store} \"..\"\n"));
    print(&text)
}
