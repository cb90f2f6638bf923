//! Where the store's files are, and whether a folder is a store.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use legwork_core::SessionId;
use legwork_port::store::Error;
use serde::{Deserialize, Serialize};

use super::VERSION;
use super::file_name;
use super::files::{self, Access};
use super::lock::Waiting;
use crate::name::Name;
use crate::private::{check_folder, make_folder};

/// The file that marks a folder as a store.
const MARK: &str = "legwork.json";

/// What the mark says.
#[derive(Debug, Serialize, Deserialize)]
struct Mark {
    store: String,
    version: u32,
}

/// A store's folder.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) name: Name,
    pub(super) root: PathBuf,
    pub(super) read_only: bool,
    pub(super) waiting: Waiting,
}

/// A session's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The name of its folder.
    pub(super) key: String,
    pub(super) folder: PathBuf,
}

impl Place {
    pub(super) fn head(&self) -> PathBuf {
        self.folder.join("head")
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.folder.join("journal.jsonl")
    }

    pub(super) fn inbox(&self) -> PathBuf {
        self.folder.join("inbox.jsonl")
    }

    pub(super) fn index(&self) -> PathBuf {
        self.folder.join("index")
    }

    /// What was set aside as damaged.
    pub(super) fn cut(&self) -> PathBuf {
        self.folder.join("cut")
    }

    /// The id of the session, if the name of its folder does not say it.
    fn id(&self) -> PathBuf {
        self.folder.join("id")
    }

    /// The session that is kept here; none if that is not known.
    pub(super) fn session(&self) -> Option<SessionId> {
        file_name::session(&self.key).or_else(|| {
            let session = SessionId::from(fs::read_to_string(self.id()).ok()?);
            (file_name::of(&session) == self.key).then_some(session)
        })
    }

    /// Makes the folder, and says in it whose it is. Another process may do so at the same time.
    pub(super) fn make(&self, session: &SessionId) -> io::Result<()> {
        if let Some(sessions) = self.folder.parent() {
            make_folder(sessions)?;
        }
        make_folder(&self.folder)?;
        if file_name::session(&self.key).is_none() {
            let id = files::open_or_create(&self.id(), Access::Write)?;
            io::Write::write_all(&mut &id, session.as_str().as_bytes())?;
            id.sync_all()?;
        }
        Ok(())
    }
}

impl Layout {
    /// Opens a folder as a store, and makes it if that is wanted.
    pub(super) fn open(path: &Path, read_only: bool, patience: Duration) -> Result<Self, Error> {
        let name = Name::of(path);
        let failed = |error: io::Error| name.unusable(format!("it cannot be opened: {error}"));
        let path = std::path::absolute(path).map_err(failed)?;
        if !read_only {
            make_folders(&path)
                .map_err(|error| name.unusable(format!("it cannot be made: {error}")))?;
        }
        let root = fs::canonicalize(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if read_only => {
                name.unusable("there is no such folder; name an existing one")
            }
            _ => failed(error),
        })?;
        if !root.is_dir() {
            return Err(name.unusable("it is not a folder; name the folder that it shall be in"));
        }
        let waiting = Waiting::new(patience);
        let mut layout = Self { name, root, read_only, waiting };
        let marked = layout.check_mark()?;
        if !marked && !read_only {
            layout.make().map_err(|error| layout.unmade(&error))?;
        } else if marked && !read_only {
            // A folder that may not be written is opened all the same and can be read.
            layout.read_only = !layout.is_writable();
        }
        Ok(layout)
    }

    pub(super) fn place(&self, session: &SessionId) -> Place {
        self.place_of(file_name::of(session))
    }

    pub(super) fn place_of(&self, key: String) -> Place {
        Place { folder: self.sessions().join(&key), key }
    }

    pub(super) fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// The locks of claims.
    pub(super) fn claims(&self) -> PathBuf {
        self.root.join("claims")
    }

    /// The names of sessions that may have work to do.
    pub(super) fn due(&self) -> PathBuf {
        self.root.join("due")
    }

    /// Sessions that were removed and are deleted next.
    pub(super) fn trash(&self) -> PathBuf {
        self.root.join("trash")
    }

    /// The names of the sessions that are being removed.
    pub(super) fn removing(&self) -> PathBuf {
        self.root.join(Self::REMOVING)
    }

    pub(super) const REMOVING: &str = "removing";

    /// Whether it is a store; false if the folder is empty.
    fn check_mark(&self) -> Result<bool, Error> {
        let name = &self.name;
        let failed =
            |error: io::Error| name.unusable(format!("{MARK} in it cannot be read: {error}"));
        check_folder(&self.root).map_err(failed)?;
        if !self.is_marked().map_err(failed)? {
            if !self.holds_something().map_err(failed)? {
                return Ok(false);
            }
            // What it holds may be the store that another process has made since the first look.
            if !self.is_marked().map_err(failed)? {
                return Err(name.unusable(
                    "the folder holds something else; name another one, or an empty one",
                ));
            }
        }
        let bytes = fs::read(self.root.join(MARK)).map_err(failed)?;
        match serde_json::from_slice::<Mark>(&bytes) {
            Ok(mark) if mark.store != "jsonl" => Err(name.unusable(format!(
                "{MARK} in it is that of a store of another kind; name another folder"
            ))),
            Ok(mark) if mark.version > VERSION => Err(name.newer(mark.version, VERSION)),
            Ok(_) => Ok(true),
            Err(error) => Err(name.unusable(format!(
                "{MARK} in it is damaged ({error}); restore it from a copy, or name another folder"
            ))),
        }
    }

    fn is_marked(&self) -> io::Result<bool> {
        let mark = files::if_there(files::open(&self.root.join(MARK), Access::Read))?;
        Ok(mark.is_some())
    }

    /// Whether there is anything but what a process leaves that dies while it makes a store.
    fn holds_something(&self) -> io::Result<bool> {
        const OWN: [&str; 4] = ["claims", "sessions", "due", "legwork.json.draft"];
        for file in fs::read_dir(&self.root)? {
            if !OWN.iter().any(|own| file.as_ref().is_ok_and(|file| file.file_name() == *own)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn make(&self) -> io::Result<()> {
        let _lock = crate::lock::Lock::wait(&self.claims(), "new")?;
        for folder in [self.sessions(), self.due()] {
            check_folder(&folder)?;
            make_folder(&folder)?;
        }
        let mark = Mark { store: "jsonl".to_owned(), version: VERSION };
        let mut mark = serde_json::to_vec(&mark)?;
        mark.push(b'\n');
        files::replace(&self.root, MARK, &mark)
    }

    fn unmade(&self, error: &io::Error) -> Error {
        self.name.unusable(format!("it cannot be made: {error}"))
    }

    /// Whether this process may write in the folder.
    fn is_writable(&self) -> bool {
        crate::lock::Lock::wait(&self.claims(), "new").is_ok()
    }
}

/// Makes a folder with those that it is in, durably.
fn make_folders(path: &Path) -> io::Result<()> {
    let missing = path.ancestors().take_while(|folder| !folder.exists());
    for folder in missing.collect::<Vec<_>>().into_iter().rev() {
        make_folder(folder)?;
        if let Some(parent) = folder.parent() {
            files::sync_folder(parent)?;
        }
    }
    Ok(())
}
