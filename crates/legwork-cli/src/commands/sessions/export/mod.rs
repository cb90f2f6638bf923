//! `legwork sessions export`: a session with its subagents, as journals or as a text to read.

mod document;
mod file;
mod html;
mod markdown;
mod parts;
mod read;

use std::collections::BTreeSet;

use legwork::core::SessionId;
use legwork::port::Store;
use legwork::port::store::Range;

use self::document::Document;
use super::changed::children;
use super::show::entries;
use crate::args::{self, Format};
use crate::commands::{print_data, tell};
use crate::config::Config;
use crate::display::seen;
use crate::display::text::{count, visible};
use crate::error::Error;
use crate::exit::Exit;
use crate::session::{Found, find};
use crate::store_address::StoreAddress;

pub(super) async fn export(args: args::Export, config: &Config) -> Result<Exit, Error> {
    let format = args.format().map_err(|extension| unknown(&extension))?;
    let output = args.file();
    let address = StoreAddress::of(&args.store, config)?;
    let store = address.open_to_read()?;
    let found = find(store.as_ref(), &args.session, &address).await?;
    if let Some(output) = output {
        file::check_free(output, args.force)?;
    }
    let all = match &store {
        Some(store) => with_subagents(&**store, found).await?,
        None => vec![found],
    };
    let text = match format {
        Format::Jsonl => seen::json(&all.iter().map(entries).collect::<String>()).into_owned(),
        Format::Markdown => markdown::of(&documents(&all), &address.flag()),
        Format::Html => html::of(&documents(&all)),
    };
    let exit = match output {
        None => print_data(&text)?,
        Some(output) => {
            file::write(output, &text, args.force)?;
            let sessions = count(all.len() as u64, "session");
            tell(&format!("{sessions} in {}", visible(&output.to_string_lossy())));
            Exit::Done
        }
    };
    all.iter().for_each(Found::warn);
    Ok(exit)
}

fn unknown(extension: &str) -> Error {
    let message = format!("no format has the extension {:?}", visible(extension));
    Error::usage(message, "name the file .jsonl, .md or .html, or give --format")
}

fn documents(all: &[Found]) -> Vec<Document> {
    all.iter().map(|found| Document::of(&found.id, &found.journal)).collect()
}

/// The session, and those of subagents below it: each before those that it spawned.
async fn with_subagents(store: &dyn Store, root: Found) -> Result<Vec<Found>, Error> {
    let mut seen = BTreeSet::from([root.id.clone()]);
    let mut waiting = spawned(&root, &mut seen);
    let mut all = vec![root];
    while let Some(child) = waiting.pop() {
        let found = Found::new(child.clone(), store.read(&child, Range::ALL).await?);
        // A subagent that was about to begin has no session yet.
        if found.journal.entries().is_empty() {
            found.warn();
            continue;
        }
        waiting.extend(spawned(&found, &mut seen));
        all.push(found);
    }
    Ok(all)
}

/// The sessions that one spawned and that were not seen before, the first one last.
fn spawned(found: &Found, seen: &mut BTreeSet<SessionId>) -> Vec<SessionId> {
    let mut spawned = children(&found.journal);
    spawned.retain(|child| seen.insert(child.clone()));
    spawned.reverse();
    spawned
}
