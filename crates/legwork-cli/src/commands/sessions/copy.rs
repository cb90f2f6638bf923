//! `legwork sessions copy`: sessions from one store in another.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork::agent::StoredSession;
use legwork::core::SessionId;
use legwork::port::Store;
use legwork::port::store::{Query, SessionInfo};

use crate::args;
use crate::commands::print;
use crate::config::Config;
use crate::display::text::{count, visible};
use crate::error::Error;
use crate::exit::Exit;
use crate::session::find;
use crate::store_address::StoreAddress;

pub(super) async fn copy(args: args::Copy, config: &Config) -> Result<Exit, Error> {
    let from_address = StoreAddress::given(&args.from, config)?;
    let to_address = StoreAddress::given(&args.to, config)?;
    let from = from_address.open_existing()?;
    let Some(store) = &from else {
        let message = format!("there is no store at {}", from_address.as_str());
        return Err(Error::usage(message, "give the address of a store that has sessions"));
    };
    let all = store.sessions(&Query::all()).await?.sessions;
    let mut chosen = BTreeSet::new();
    for asked in &args.sessions {
        chosen.insert(find(from.as_ref(), asked, &from_address).await?.id);
    }
    let chosen = if args.sessions.is_empty() { every(&all) } else { with_subagents(chosen, &all) };
    let to = to_address.open()?;
    copied(store, &*to, &chosen).await
}

fn every(all: &[SessionInfo]) -> BTreeSet<SessionId> {
    all.iter().map(|info| info.session.clone()).collect()
}

/// The sessions with those of subagents below them.
fn with_subagents(mut chosen: BTreeSet<SessionId>, all: &[SessionInfo]) -> BTreeSet<SessionId> {
    loop {
        let before = chosen.len();
        let is_below = |info: &&SessionInfo| {
            info.summary.parent.as_ref().is_some_and(|parent| chosen.contains(parent))
        };
        let below: Vec<_> = all.iter().filter(is_below).map(|info| info.session.clone()).collect();
        chosen.extend(below);
        if chosen.len() == before {
            return chosen;
        }
    }
}

async fn copied(
    from: &Arc<dyn Store>,
    to: &dyn Store,
    sessions: &BTreeSet<SessionId>,
) -> Result<Exit, Error> {
    for session in sessions {
        let stored = StoredSession::new(Arc::clone(from), session.clone());
        let copied = stored.copy_to(to).await.map_err(legwork::Error::from)?;
        let entries = match copied.entries {
            1 => "1 entry".to_owned(),
            entries => format!("{entries} entries"),
        };
        print(&format!("{}  {entries}\n", visible(session.as_str())))?;
    }
    print(&format!("{} copied\n", count(sessions.len() as u64, "session")))
}
