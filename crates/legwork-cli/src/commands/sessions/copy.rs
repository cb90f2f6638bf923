//! `legwork sessions copy`: sessions from one store in another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use legwork::agent::{self, StoredSession};
use legwork::core::SessionId;
use legwork::port::Store;
use legwork::port::store::{self, Query, SessionInfo};

use crate::args;
use crate::commands::{print, tell, warn};
use crate::config::Config;
use crate::display::text::{count, visible};
use crate::error::Error;
use crate::exit::Exit;
use crate::session::find;
use crate::store_address::StoreAddress;

pub(super) async fn copy(args: args::Copy, config: &Config) -> Result<Exit, Error> {
    let from_address = StoreAddress::given(&args.from, config)?;
    let to_address = StoreAddress::given(&args.to, config)?;
    to_address.check_kept()?;
    if from_address.is_same(&to_address) {
        let message = format!("{} cannot be copied to itself", from_address.as_str());
        return Err(Error::usage(message, "give the address of another store to copy to"));
    }
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
    copied(store, &*to, &below_first(&chosen, &all)).await
}

/// A session, and the one that it works for.
type Link = (SessionId, Option<SessionId>);

/// The sessions, each behind those that work for it: no process finds one in the other store
/// whose subagents are missing, and begins them anew.
fn below_first(chosen: &BTreeSet<SessionId>, all: &[SessionInfo]) -> Vec<Link> {
    let parents: BTreeMap<_, _> =
        all.iter().map(|info| (&info.session, info.summary.parent.as_ref())).collect();
    let above = |session: &SessionId| parents.get(session).copied().flatten();
    let depth = |session: &SessionId| {
        std::iter::successors(above(session), |parent| above(parent)).take(all.len()).count()
    };
    let mut sessions: Vec<_> =
        chosen.iter().map(|session| (session.clone(), above(session).cloned())).collect();
    sessions.sort_by_key(|(session, _)| std::cmp::Reverse(depth(session)));
    sessions
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

/// Copies each session, and reports those that cannot be copied.
async fn copied(from: &Arc<dyn Store>, to: &dyn Store, sessions: &[Link]) -> Result<Exit, Error> {
    let (mut copied, mut left) = (0, 0);
    let mut without = BTreeSet::new();
    for (session, parent) in sessions {
        let shown = visible(session.as_str());
        if without.contains(session) {
            left += 1;
            without.extend(parent.clone());
            warn(format!("session {shown} was not copied: one that works for it was not, either"));
            continue;
        }
        let stored = StoredSession::new(Arc::clone(from), session.clone());
        match stored.copy_to(to).await.map_err(Error::from) {
            Ok(whole) => {
                copied += 1;
                let entries = match whole.entries {
                    1 => "1 entry".to_owned(),
                    entries => format!("{entries} entries"),
                };
                print(&format!("{shown}  {entries}\n"))?;
            }
            Err(error) => match why_left(&error) {
                Some(why) => {
                    left += 1;
                    without.extend(parent.clone());
                    warn(format!("session {shown} was not copied: {why}"));
                }
                // The others would fail, too.
                None => {
                    tell(&format!("{} copied before an error", count(copied, "session")));
                    return Err(error);
                }
            },
        }
    }
    let copied = count(copied, "session");
    match left {
        0 => print(&format!("{copied} copied\n")),
        left => {
            print(&format!("{copied} copied, {left} left out\n"))?;
            Ok(Exit::Failed)
        }
    }
}

/// Why a session alone cannot be copied; none for what concerns a store as a whole.
fn why_left(error: &Error) -> Option<String> {
    Some(match error.as_store() {
        Some(store::Error::Held { by, .. }) => {
            format!("it is in use ({by}); copy it once that process has ended")
        }
        Some(store::Error::Exists { .. }) => {
            "the other store has another session of its id, or one that went on there, which is \
             not replaced"
                .to_owned()
        }
        Some(store::Error::Unreadable { entry, .. }) => {
            format!("this Legwork cannot read its entry {entry}; use a newer one")
        }
        Some(store::Error::Lost { .. } | store::Error::Moved { .. }) => {
            "another process went on with it meanwhile; give the command again".to_owned()
        }
        Some(store::Error::Id { .. }) => error.to_string(),
        Some(store::Error::Unknown { .. }) => "it was removed meanwhile".to_owned(),
        Some(_) => return None,
        None => match error {
            Error::Legwork(legwork::Error::Agent(agent::Error::UnknownSession(_))) => {
                "it was removed meanwhile".to_owned()
            }
            _ => return None,
        },
    })
}
