//! The address of the store of sessions, and how the store is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork::port::Store;
use legwork::store::{self, sqlite};

use crate::args;
use crate::config::{Config, Source, Sourced, variable_of};
use crate::error::Error;
use crate::settings::variable;
use crate::shell::quoted;

/// The address of the store of sessions.
#[derive(Debug, Clone)]
pub(crate) struct StoreAddress {
    address: String,
    /// The flags that another command needs to find the same store.
    flag: String,
}

impl StoreAddress {
    /// The address of a flag, else of the environment, else of the user's file, else the
    /// default one.
    pub(crate) fn of(flags: &args::Store, config: &Config) -> Result<Self, Error> {
        Self::at(Self::address_of(flags, config)?, config)
    }

    fn at(address: Sourced<String>, config: &Config) -> Result<Self, Error> {
        let Sourced { value, source } = address;
        let address = checked(value)?;
        let flag = match source {
            Source::Flag(_) => format!(" --store {}{}", quoted(&address), config.flag),
            _ => config.flag.clone(),
        };
        Ok(Self { address, flag })
    }

    /// The address as it was given, with its source.
    pub(crate) fn address_of(
        flags: &args::Store,
        config: &Config,
    ) -> Result<Sourced<String>, Error> {
        let flag = flags.store.clone().map(|store| Sourced::new(store, Source::Flag("--store")));
        let environment = variable_of("LEGWORK_STORE", |text| Ok(text.to_owned()))?;
        let file = config.value(|values| &values.store);
        match flag.or(environment).or(file) {
            Some(address) => Ok(address),
            None => Ok(Sourced::new(default()?, Source::Default)),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.address
    }

    /// The path of the store, if it is a file.
    pub(crate) fn path(&self) -> Option<&Path> {
        sqlite_path(&self.address)
    }

    /// The flags that another command needs to find the same store, with a space before each.
    pub(crate) fn flag(&self) -> String {
        self.flag.clone()
    }

    /// Opens the store to write; creates it if it does not exist.
    pub(crate) fn open(&self) -> Result<Arc<dyn Store>, Error> {
        // The command works on one session, and nothing in it waits for another.
        Ok(store::open_inline(&self.address)?)
    }

    /// Opens the store to write, if it exists.
    pub(crate) fn open_existing(&self) -> Result<Option<Arc<dyn Store>>, Error> {
        match self.exists() {
            true => self.open().map(Some),
            false => Ok(None),
        }
    }

    /// Opens the store to read, if it exists.
    pub(crate) fn open_to_read(&self) -> Result<Option<Arc<dyn Store>>, Error> {
        let Some(path) = sqlite_path(&self.address).filter(|_| self.exists()) else {
            return Ok(None);
        };
        Ok(Some(Arc::new(sqlite::Options::new().read_only().open(path)?)))
    }

    fn exists(&self) -> bool {
        // If that is unknown, opening it reports what is wrong.
        sqlite_path(&self.address).is_some_and(|path| path.try_exists().unwrap_or(true))
    }
}

fn checked(address: String) -> Result<String, Error> {
    let known = address == "memory:" || sqlite_path(&address).is_some();
    if known {
        return Ok(address);
    }
    let message = format!("{address:?} is not the address of a store");
    Err(Error::usage(message, "give it as sqlite:PATH, such as --store sqlite:work.db"))
}

fn sqlite_path(address: &str) -> Option<&Path> {
    address.strip_prefix("sqlite:").filter(|path| !path.is_empty()).map(Path::new)
}

/// The default folder of sessions.
pub(crate) fn home() -> Option<PathBuf> {
    let state = variable("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    Some(state.or_else(home)?.join("legwork"))
}

fn default() -> Result<String, Error> {
    let Some(state) = home() else {
        let message = "no store of sessions: neither HOME nor XDG_STATE_HOME is set";
        return Err(Error::usage(message, "name a store with --store sqlite:PATH"));
    };
    Ok(format!("sqlite:{}", state.join("sessions.db").display()))
}

#[cfg(test)]
mod tests;
