//! Whether sessions can be kept.

use std::fs;
use std::path::Path;
use std::time::Duration;

use legwork::port::Store;
use legwork::port::store::Query;
use legwork::store::FORMS;
use tokio::time::timeout;

use super::check::Check;
use crate::error::Error;
use crate::store_address::StoreAddress;

/// How long a server is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
const NAME: &str = "store";

/// A store that is not there yet is not made; one on a server is asked for a session, unless the
/// command is to stay offline.
pub(super) fn check(found: Result<StoreAddress, Error>, offline: bool) -> Result<Check, Error> {
    let store = match found {
        Ok(store) => store,
        Err(error) => return Ok(Check::bad(NAME, error.to_string()).with_hint(hint())),
    };
    let address = store.as_str();
    if store.is_of_memory() {
        let found = format!("{address} is gone when the command ends");
        return Ok(Check::warning(NAME, found).with_hint(hint()));
    }
    let bad = |error: Error| Check::bad(NAME, format!("{address}: {error}")).with_hint(hint());
    Ok(match (store.open_existing(), store.path()) {
        (Err(error), _) => bad(error),
        (Ok(Some(_)), Some(_)) => Check::good(NAME, address.to_owned()),
        (Ok(Some(_)), None) if offline => {
            Check::good(NAME, format!("{address}; not asked (--offline)"))
        }
        (Ok(Some(server)), None) => match asked(&*server)? {
            Ok(()) => Check::good(NAME, format!("{address}, which answers")),
            Err(why) => Check::bad(NAME, format!("{address}: {why}")).with_hint(
                "start the server, or correct the address; `legwork help config` says where it \
                 can be kept",
            ),
        },
        (Ok(None), path) => match writable(path.unwrap_or(Path::new(""))) {
            Ok(()) => Check::good(NAME, format!("{address}, made by the first session")),
            Err(error) => {
                let found = format!("{address} cannot be made: {error}");
                Check::bad(NAME, found).with_hint(hint())
            }
        },
    })
}

fn hint() -> String {
    format!("name another store with --store, as {FORMS}, or set LEGWORK_STORE")
}

/// Asks a server for one session; the inner error is why it did not answer.
fn asked(server: &dyn Store) -> Result<Result<(), String>, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::System { doing: "starting", source })?;
    let query = Query::first(1);
    let answer = runtime.block_on(async { timeout(PATIENCE, server.sessions(&query)).await });
    // A look-up of a name that hangs is not waited for.
    runtime.shutdown_background();
    Ok(match answer {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("the server did not answer within {} s", PATIENCE.as_secs())),
    })
}

/// Whether files can be made in the nearest directory above that is there.
fn writable(path: &Path) -> std::io::Result<()> {
    let above = path.ancestors().skip(1);
    let dir = above.map(|dir| if dir.as_os_str().is_empty() { Path::new(".") } else { dir });
    let Some(dir) = { dir }.find(|dir| dir.exists()) else {
        return Err(std::io::ErrorKind::NotFound.into());
    };
    let trial = dir.join(format!(".legwork-doctor-{}", std::process::id()));
    fs::File::create_new(&trial)?;
    fs::remove_file(trial)
}
