//! The address of the store of sessions, and how the store is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork::port::Store;
use legwork::store::{self, Address, FORMS, Scheme};

use crate::args;
use crate::config::{Config, Source, Sourced, variable_of};
use crate::error::Error;
use crate::settings::variable;
use crate::shell::quoted;

/// The address of the store of sessions.
#[derive(Debug, Clone)]
pub(crate) struct StoreAddress {
    address: Address,
    /// How it is shown: without a password.
    shown: String,
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
        let address = checked(&value)?;
        let shown = address.to_string();
        let flag = match source {
            Source::Flag(_) => {
                let again = with_placeholder(&value, &shown);
                format!(" --store {}{}", quoted(&again), config.flag)
            }
            _ => config.flag.clone(),
        };
        Ok(Self { address, shown, flag })
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

    /// The address as it is shown.
    pub(crate) fn as_str(&self) -> &str {
        &self.shown
    }

    /// The path of the store, if it is a file or a directory.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.address.path().map(Path::new)
    }

    /// Whether it is gone when the command ends.
    pub(crate) fn is_of_memory(&self) -> bool {
        self.address.scheme() == Scheme::Memory
    }

    /// Refuses a store that is gone when the command ends, for a command that leaves something in
    /// it, or that works on what others leave.
    ///
    /// # Errors
    /// When it is such a store.
    pub(crate) fn check_kept(&self) -> Result<(), Error> {
        if !self.is_of_memory() {
            return Ok(());
        }
        let message = format!("the store {} is gone when this command ends", self.shown);
        let hint = "name a store that stays, such as sqlite:PATH, jsonl:DIR, \
                    postgres://HOST/DATABASE or redis://HOST";
        Err(Error::usage(message, hint))
    }

    /// Whether two addresses lead to the same store, as far as they say.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let place = |of: &Self| of.path().and_then(|path| path.canonicalize().ok());
        let is_same_place = place(self).is_some_and(|here| place(other) == Some(here));
        self.shown == other.shown
            || (is_same_place && self.address.scheme() == other.address.scheme())
    }

    /// The address as it was given in an argument.
    pub(crate) fn given(text: &str, config: &Config) -> Result<Self, Error> {
        Self::at(Sourced::new(text.to_owned(), Source::Flag("--store")), config)
    }

    /// The flags that another command needs to find the same store, with a space before each.
    pub(crate) fn flag(&self) -> String {
        self.flag.clone()
    }

    /// Opens the store to write; creates it if it does not exist.
    pub(crate) fn open(&self) -> Result<Arc<dyn Store>, Error> {
        // The command works on one session, and nothing in it waits for another.
        Ok(store::open_inline(self.address.as_str())?)
    }

    /// Opens the store to write, if it exists.
    pub(crate) fn open_existing(&self) -> Result<Option<Arc<dyn Store>>, Error> {
        match self.exists() {
            true => self.open().map(Some),
            false => Ok(None),
        }
    }

    /// Opens the store for several sessions at once; creates it if it does not exist.
    pub(crate) fn open_shared(&self) -> Result<Arc<dyn Store>, Error> {
        Ok(store::open(self.address.as_str())?)
    }

    /// Opens the store to read, if it exists.
    pub(crate) fn open_to_read(&self) -> Result<Option<Arc<dyn Store>>, Error> {
        match self.exists() {
            true => Ok(Some(store::open_to_read(self.address.as_str())?)),
            false => Ok(None),
        }
    }

    /// Whether there may be sessions: a server is asked when it is first used.
    pub(crate) fn exists(&self) -> bool {
        match self.path() {
            // If that is unknown, opening it reports what is wrong.
            Some(path) => path.try_exists().unwrap_or(true),
            None => !self.is_of_memory(),
        }
    }
}

fn checked(address: &str) -> Result<Address, Error> {
    Address::parse(address).map_err(|_| {
        let message = format!("{address:?} is not the address of a store");
        Error::usage(message, format!("give it as {FORMS}, such as --store sqlite:work.db"))
    })
}

/// An address as another command needs it: with a word in the place of the password that it was
/// given with, so that a person sees what is missing.
fn with_placeholder(given: &str, shown: &str) -> String {
    let user = || {
        let (scheme, rest) = given.split_once("://")?;
        let place = rest.split_once('?').map_or(rest, |(place, _)| place);
        let (name, _) = place.rsplit_once('@')?.0.split_once(':')?;
        let rest = shown.split_once("://")?.1;
        let host = rest.strip_prefix(name).and_then(|rest| rest.strip_prefix('@')).unwrap_or(rest);
        Some(format!("{scheme}://{name}:PASSWORD@{host}"))
    };
    user().unwrap_or_else(|| shown.to_owned())
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
