//! The user's own file of settings, changed with all else in it as it was.

use std::fs::{self, DirBuilder};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table};

use crate::config::Config;
use crate::config::locate::{UserFile, shown};
use crate::error::Error;

/// The name of the table of servers.
const MCP: &str = "mcp";

/// A file of settings that is changed.
pub(super) struct Written {
    path: PathBuf,
    document: DocumentMut,
}

impl Written {
    /// The user's own file, as it is; it was read and is right.
    ///
    /// # Errors
    /// When there is no place for it, or it cannot be read.
    pub(super) fn open(file: Option<&Path>) -> Result<Self, Error> {
        let Some(place) = UserFile::find(file) else {
            let message = "there is no place for settings: neither HOME nor XDG_CONFIG_HOME is set";
            return Err(Error::usage(message, "name one with --config PATH"));
        };
        // What a link leads to is changed, and the link stays.
        let path = place.path();
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(&path, &error)),
        };
        let document = text.parse().map_err(|error: toml_edit::TomlError| {
            Error::usage(format!("{} is no TOML: {error}", shown(&path)), "set it right first")
        })?;
        Ok(Self { path, document })
    }

    /// Writes it with a server more; its path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn with(mut self, name: &str, server: Table) -> Result<String, Error> {
        let servers = self.document.entry(MCP).or_insert_with(|| {
            let mut servers = Table::new();
            servers.set_implicit(true);
            Item::Table(servers)
        });
        if let Some(servers) = servers.as_table_like_mut() {
            servers.insert(name, Item::Table(server));
        }
        self.write()
    }

    /// Writes it without a server; its path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn without(mut self, name: &str) -> Result<String, Error> {
        if let Some(servers) = self.document.get_mut(MCP).and_then(Item::as_table_like_mut) {
            servers.remove(name);
        }
        self.write()
    }

    fn write(self) -> Result<String, Error> {
        let Self { path, document } = self;
        let text = document.to_string();
        // Nothing that could not be read again takes the place of what can be.
        Config::check(&path, &text)?;
        replace(&path, text.as_bytes()).map_err(|error| failed(&path, &error))?;
        Ok(shown(&path))
    }
}

fn failed(path: &Path, error: &io::Error) -> Error {
    let message = format!("{} cannot be changed: {error}", shown(path));
    Error::usage(message, "name another place with --config PATH")
}

/// Replaces a file at once, with the rights that it had; a new one is the user's alone.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mode = match fs::metadata(path) {
        Ok(facts) => facts.permissions().mode() & 0o7777,
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0o600,
        Err(error) => return Err(error),
    };
    let mut draft = tempfile::NamedTempFile::new_in(folder)?;
    draft.write_all(bytes)?;
    draft.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    draft.as_file().sync_all()?;
    draft.persist(path)?;
    Ok(())
}
