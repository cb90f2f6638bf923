//! `legwork resume --all`: goes on with every session that has something to do.

use crate::args;
use crate::commands::work::Working;
use crate::commands::{print, tell};
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::store_address::StoreAddress;

const NOTHING: &str = "nothing is due: no session was interrupted, and none has anything to do\n";

pub(super) async fn resume_all(args: args::Resume, config: &Config) -> Result<Exit, Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let json = args.output.json;
    if !args.watch && !address.exists() {
        return if json { Ok(Exit::Done) } else { print(NOTHING) };
    }
    address.check_kept()?;
    let store = address.open_shared()?;
    let what = (args.agent, config, &address, args.on_doubt.into());
    let working = Working::new(&store, None, what, json)?;
    if !args.watch {
        return working.until_idle("resumed", Some(NOTHING)).await;
    }
    if !json {
        tell("resuming what is due; Ctrl-C ends the steps under way, then this");
    }
    Ok(working.until_stopped().await)
}
