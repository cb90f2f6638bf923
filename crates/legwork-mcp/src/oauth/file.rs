//! A grant in a file that only the person can read.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork_port::BoxFuture;
use tokio::task::spawn_blocking;

use super::{Grant, Guard, TokenStore};
use crate::connect::Error;

/// Bytes of the file at most.
const LONGEST: u64 = 1 << 20;

/// Keeps the grant of one server in a file.
///
/// The file has mode 0600, and its folder mode 0700: another folder is not used. A lock beside it keeps
/// other processes away while tokens are renewed.
#[derive(Debug, Clone)]
pub struct FileStore {
    path: Arc<Path>,
}

impl FileStore {
    /// The grant in this file; it and its folder are made when a grant is kept.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: Arc::from(path.into()) }
    }

    /// Does something that blocks.
    async fn blocking<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let path = Arc::clone(&self.path);
        let done = spawn_blocking(move || work(&path)).await;
        done.map_err(io::Error::other).flatten().map_err(|why| {
            Error::Denied(format!("the tokens in {} cannot be {doing}: {why}", self.path.display()))
        })
    }
}

impl TokenStore for FileStore {
    fn load(&self) -> BoxFuture<'_, Result<Option<Grant>, Error>> {
        Box::pin(self.blocking("read", read))
    }

    fn save<'a>(&'a self, grant: &'a Grant) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async {
            let text = serde_json::to_vec(grant)
                .map_err(|_| Error::Denied("the tokens cannot be written as JSON".to_owned()))?;
            self.blocking("written", move |path| write(path, &text)).await
        })
    }

    fn clear(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(self.blocking("removed", |path| match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }))
    }

    fn guard(&self) -> BoxFuture<'_, Result<Guard, Error>> {
        Box::pin(async {
            let lock = self.blocking("locked", lock).await?;
            Ok(Guard::new(lock))
        })
    }
}

fn read(path: &Path) -> io::Result<Option<Grant>> {
    // Only the person can put another file in its place: the folder has mode 0700.
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        Ok(found) if !found.is_file() => {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok(_) => {}
    }
    let file = File::open(path)?;
    if !is_private(&file.metadata()?) {
        return Err(io::Error::other("other users may read it: log in again after removing it"));
    }
    let mut text = Vec::new();
    file.take(LONGEST).read_to_end(&mut text)?;
    // What is wrong with it is not told: the words would hold parts of it.
    let grant = serde_json::from_slice(&text);
    grant
        .map(Some)
        .map_err(|_| io::Error::other("its content is invalid: log in again after removing it"))
}

/// Replaces the file atomically and durably.
fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let folder = folder(path)?;
    let draft = beside(path, ".draft");
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = private_file().write(true).create_new(true).open(&draft)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    File::open(folder)?.sync_all()
}

fn lock(path: &Path) -> io::Result<File> {
    folder(path)?;
    let lock =
        private_file().write(true).create(true).truncate(false).open(beside(path, ".lock"))?;
    lock.lock()?;
    Ok(lock)
}

/// The folder of the file, which only the person can open.
fn folder(path: &Path) -> io::Result<&Path> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.ok_or_else(|| io::Error::other("they are in no folder of their own"))?;
    private_folder().recursive(true).create(folder)?;
    match is_private(&fs::metadata(folder)?) {
        true => Ok(folder),
        // It may be the home of the person: its mode is theirs to change.
        false => Err(io::Error::other("other users may open their folder: give it the mode 0700")),
    }
}

/// Makes files that only the person can open.
fn private_file() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "other systems have no such rights"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes folders that only the person can open.
fn private_folder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "other systems have no such rights"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Whether only the person can open it.
#[cfg(unix)]
fn is_private(about: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(about) & 0o077 == 0
}

/// Other systems have no such rights.
#[cfg(not(unix))]
fn is_private(_: &fs::Metadata) -> bool {
    true
}

fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(what);
    name.into()
}
