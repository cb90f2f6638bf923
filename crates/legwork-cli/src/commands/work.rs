//! `legwork work`: runs the sessions of a store that are due.

mod report;
mod runner;
mod served;
mod tally;
mod working;

use legwork::core::Timestamp;
use legwork::port::store::DueQuery;

use crate::args;
use crate::commands::tell;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::store_address::StoreAddress;
use served::Served;
pub(super) use working::Working;

pub(crate) async fn work(args: args::Work, config: &Config) -> Result<Exit, Error> {
    let served = Served::read(&args.agents)?;
    let address = StoreAddress::of(&args.store, config)?;
    address.check_kept()?;
    let store = address.open_shared()?;
    // A wrong address or password ends it now; a server that is away later is waited for.
    store.due(&DueQuery::at(Timestamp(0)).limit(1)).await?;
    let of = served.as_ref().map(|served| format!(" as {}", served.names())).unwrap_or_default();
    let what = (args.agent, config, &address, args.on_doubt.into());
    let working = Working::new(&store, served, what, args.json)?;
    let working = working.paced(usize::from(args.concurrency), args.poll);
    if args.until_idle {
        return working.until_idle("worked on", None).await;
    }
    if !args.json {
        tell(&format!(
            "working on {}{of}; Ctrl-C ends the steps under way, then this",
            address.as_str()
        ));
    }
    Ok(working.until_stopped().await)
}
