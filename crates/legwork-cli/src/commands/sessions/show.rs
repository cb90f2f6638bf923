//! `legwork sessions show`: what happened in a session.

use crate::args;
use crate::commands::sessions::list::running;
use crate::commands::sessions::transcript;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::display::text::now;
use crate::display::{Again, Terminal};
use crate::error::Error;
use crate::exit::Exit;
use crate::session::{Found, find};
use crate::settings::Settings;
use crate::store_address::StoreAddress;

pub(crate) async fn show(args: args::Show, config: &Config) -> Result<Exit, Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let store = address.open_to_read()?;
    let mut found = find(store.as_ref(), &args.session, &address).await?;
    if let Some(store) = store.as_ref().filter(|_| found.is_readable()) {
        found.running = running(store, &found.id, found.journal.fold(&found.id).status()).await;
    }
    let exit = match args.json {
        true => print_json(&entries(&found)),
        false => {
            let terminal = Terminal::detect().for_out();
            let needed = Settings::needed(&found.journal.fold(&found.id), config);
            let again = Again { store: address.flag(), settings: needed.unwrap_or_default() };
            print(&transcript::of(&found, &again, terminal, now()))
        }
    }?;
    found.warn();
    Ok(exit)
}

/// The entries of its journal, one a line, as JSON.
pub(super) fn entries(found: &Found) -> String {
    let entries = found.journal.entries().iter();
    let lines = entries.filter_map(|entry| serde_json::to_string(entry).ok());
    lines.map(|line| line + "\n").collect()
}
