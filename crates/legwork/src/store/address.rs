//! The addresses of stores.

use std::fmt;

use legwork_port::store::Error;

/// What the address of a store can be, for messages.
pub const FORMS: &str = "`sqlite:PATH`, `jsonl:DIR`, `postgres://HOST/DATABASE`, `redis://HOST` \
                         or `memory:`";

/// The address of a store.
///
/// Its `Display` and `Debug` hide a password; [`Address::as_str`] does not.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    scheme: Scheme,
}

/// The kind of store that an address names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheme {
    /// A SQLite file.
    Sqlite,
    /// A directory of plain files.
    Jsonl,
    /// A Postgres database.
    Postgres,
    /// A Redis server.
    Redis,
    /// This process.
    Memory,
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// [`Error::Unusable`] if it is not the address of a store.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (scheme, rest) = text.split_once(':').unwrap_or_default();
        let scheme = match (scheme, rest) {
            ("sqlite", path) if !path.is_empty() => Scheme::Sqlite,
            ("jsonl", path) if !path.is_empty() => Scheme::Jsonl,
            ("postgres" | "postgresql", rest) if rest.starts_with("//") => Scheme::Postgres,
            ("redis" | "rediss" | "redis+unix", rest) if rest.starts_with("//") => Scheme::Redis,
            ("memory", "") => Scheme::Memory,
            _ => {
                return Err(Error::Unusable {
                    store: shown(text),
                    reason: format!("not the address of a store: use {FORMS}"),
                });
            }
        };
        Ok(Self { text: text.to_owned(), scheme })
    }

    /// The kind of store.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The path of its file or directory, if it has one.
    pub fn path(&self) -> Option<&str> {
        match self.scheme {
            Scheme::Sqlite | Scheme::Jsonl => self.text.split_once(':').map(|(_, path)| path),
            _ => None,
        }
    }

    /// The address as it was given, with its password.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.text))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// An address without its password, and without one among its options.
fn shown(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (place, options) = rest.split_once('?').map_or((rest, None), |(a, b)| (a, Some(b)));
    let (user, host) = place.rsplit_once('@').map_or((None, place), |(a, b)| (Some(a), b));
    let user = user.map(|user| user.split_once(':').map_or(user, |(name, _)| name));
    let user = user.filter(|user| !user.is_empty());
    let user = user.map_or_else(String::new, |user| format!("{user}@"));
    let hides = |option: &&str| !option.starts_with("pass");
    let options = options.map(|all| all.split('&').filter(hides).collect::<Vec<_>>().join("&"));
    let options = options.filter(|options| !options.is_empty());
    let options = options.map_or_else(String::new, |options| format!("?{options}"));
    format!("{scheme}://{user}{host}{options}")
}

#[cfg(test)]
mod tests;
