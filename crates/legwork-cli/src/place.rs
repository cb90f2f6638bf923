//! Where sessions live: the address of the store, and how it is opened.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork::port::Store;
use legwork::store::{self, sqlite};

use crate::args;
use crate::config::{Config, Source, Sourced, variable_of};
use crate::display::text::visible;
use crate::error::Error;
use crate::settings::variable;

/// Where sessions live.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    address: String,
    /// What another command needs to find it again.
    flag: String,
}

impl Place {
    /// The place that a flag names, else the environment, else the user's file, else the
    /// usual one.
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

    /// Its address as it was said, and where.
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

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The file that it is, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        sqlite_path(&self.address)
    }

    /// What another command needs to find the same store: empty, or flags.
    pub(crate) fn flag(&self) -> String {
        self.flag.clone()
    }

    /// Opens it to write; it is made if it is not there.
    pub(crate) fn open(&self) -> Result<Arc<dyn Store>, Error> {
        // The command works at one session, and nothing of it waits for another.
        Ok(store::open_inline(&self.address)?)
    }

    /// Opens it to write, if it is there.
    pub(crate) fn open_existing(&self) -> Result<Option<Arc<dyn Store>>, Error> {
        match self.is_there() {
            true => self.open().map(Some),
            false => Ok(None),
        }
    }

    /// Opens it to read, if it is there.
    pub(crate) fn open_to_read(&self) -> Result<Option<Arc<dyn Store>>, Error> {
        let Some(path) = sqlite_path(&self.address).filter(|_| self.is_there()) else {
            return Ok(None);
        };
        Ok(Some(Arc::new(sqlite::Options::new().read_only().open(path)?)))
    }

    fn is_there(&self) -> bool {
        // What cannot be looked at is there, and opening it says what is wrong.
        sqlite_path(&self.address).is_some_and(|path| path.try_exists().unwrap_or(true))
    }
}

fn checked(address: String) -> Result<String, Error> {
    let known = address == "memory:" || sqlite_path(&address).is_some();
    if known {
        return Ok(address);
    }
    let message = format!("{address:?} is not the address of a store");
    Err(Error::usage(message, "name one as sqlite:PATH, such as --store sqlite:work.db"))
}

fn sqlite_path(address: &str) -> Option<&Path> {
    address.strip_prefix("sqlite:").filter(|path| !path.is_empty()).map(Path::new)
}

/// The folder of the sessions, unless they are kept elsewhere.
pub(crate) fn home() -> Option<PathBuf> {
    let state = variable("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    Some(state.or_else(home)?.join("legwork"))
}

fn default() -> Result<String, Error> {
    let Some(state) = home() else {
        let message = "there is no place for sessions: neither HOME nor XDG_STATE_HOME is set";
        return Err(Error::usage(message, "name one with --store sqlite:PATH"));
    };
    Ok(format!("sqlite:{}", state.join("sessions.db").display()))
}

/// The text quoted as one word for a shell.
///
/// Characters that cannot be shown are written as bytes in `$'..'`, which bash, zsh, ksh and
/// POSIX 2024 read.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/:._-+=@%,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let shown =
        |c: char| !c.is_control() && visible(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8();
    if text.chars().all(shown) {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    let mut quoted = "$'".to_owned();
    for c in text.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            c if shown(c) => quoted.push(c),
            c => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    quoted.push_str(&format!("\\x{byte:02x}"));
                }
            }
        }
    }
    quoted + "'"
}

/// A path quoted as one word for a shell, with any bytes; control characters are
/// escaped.
pub(crate) fn shell_word(path: &Path) -> String {
    if let Some(text) = path.to_str() {
        return quoted(text);
    }
    let escaped = |byte: &u8| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    };
    let word: String = path.as_os_str().as_bytes().iter().map(escaped).collect();
    format!("$'{word}'")
}

#[cfg(test)]
mod tests;
