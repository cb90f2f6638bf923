//! Removing sessions: a list of them is put in its place in one step, and that is the
//! moment at which they are gone; then their files are.
//!
//! Who finds a list does what whoever wrote it did not get to.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use legwork_port::core::SessionId;
use legwork_port::store::{Error, Removal};

use super::claim::Held;
use super::file::{Writing, gone};
use super::{Jsonl, file};

/// The list, and what guards it.
const LIST: &str = "removed";
const LOCK: &str = "removed.lock";

impl Jsonl {
    /// Removes sessions, all or none.
    pub(super) fn take_away(&self, sessions: &[SessionId]) -> Result<Removal, Error> {
        let failed = |error| self.failed("removing sessions", error);
        let _lock = self.lock_list().map_err(failed)?;
        self.finish().map_err(failed)?;
        let sessions: BTreeSet<_> = sessions.iter().collect();
        for session in &sessions {
            let log = self.log(session)?;
            if !log.has_journal() && log.inbox.is_empty() {
                return Err(Error::Unknown { session: (*session).clone() });
            }
        }
        let take = |session: &&SessionId| Held::take(self.clone(), (*session).clone());
        let _held = sessions.iter().map(take).collect::<Result<Vec<_>, _>>()?;
        let names = sessions.iter().map(|session| self.stem(session) + "\n");
        self.write_list(&names.collect::<String>()).map_err(failed)?;
        self.finish().map_err(failed)?;
        Ok(Removal::Complete)
    }

    /// Whether a session is gone, though its file may still be there.
    pub(super) fn is_removed(&self, session: &SessionId) -> io::Result<bool> {
        Ok(self.list()?.contains(&self.stem(session)))
    }

    /// The names of the files whose sessions are gone.
    pub(super) fn list(&self) -> io::Result<BTreeSet<String>> {
        match fs::read_to_string(self.folder.join(LIST)) {
            Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
            Err(error) => Err(error),
        }
    }

    /// Does what a removal that was cut off has left to do.
    pub(super) fn finish_removal(&self) -> io::Result<()> {
        if self.list()?.is_empty() {
            return Ok(());
        }
        let _lock = self.lock_list()?;
        self.finish()
    }

    fn finish(&self) -> io::Result<()> {
        let list = self.list()?;
        if list.is_empty() {
            return Ok(());
        }
        for name in list {
            let path = self.folder.join(name).with_extension("jsonl");
            // Nobody adds a line to it, or writes its summary, meanwhile.
            Writing::open(&path)?.remove()?;
        }
        self.sync_folder()?;
        gone(fs::remove_file(self.folder.join(LIST)))?;
        self.sync_folder()
    }

    fn write_list(&self, names: &str) -> io::Result<()> {
        let draft = self.folder.join(LIST).with_extension("draft");
        gone(fs::remove_file(&draft))?;
        let mut file = file::options().open(&draft)?;
        file.write_all(names.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, self.folder.join(LIST))?;
        self.sync_folder()
    }

    /// Waits for the lock of the list; closing the file gives it back.
    fn lock_list(&self) -> io::Result<File> {
        let file = file::options().open(self.folder.join(LOCK))?;
        file.lock()?;
        Ok(file)
    }

    fn sync_folder(&self) -> io::Result<()> {
        File::open(&*self.folder)?.sync_all()
    }

    fn stem(&self, session: &SessionId) -> String {
        let path: PathBuf = self.file(session);
        path.file_stem().map(Path::new).unwrap_or(Path::new("")).display().to_string()
    }
}
