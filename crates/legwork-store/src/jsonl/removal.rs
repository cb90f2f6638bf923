//! Removing sessions: all of them or none.
//!
//! The names of the sessions are written to a file first, as a whole: from then on they are gone
//! for everybody, and whoever comes across the file while its process is dead finishes the work.
//! A session's folder is moved away under its name and then deleted, so nothing that begins under
//! the name later is mixed up with it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use legwork_core::SessionId;
use legwork_port::store::{Error, Removal};
use tracing::info;

use super::files::{self, Access};
use super::inbox;
use super::layout::{Layout, Place};
use super::lock::Wait;
use super::refused::Refused;
use crate::lock::Lock;
use crate::private::make_folder;

impl Layout {
    /// Removes sessions whose claims are held.
    pub(super) fn remove(
        &self,
        sessions: &BTreeSet<SessionId>,
        wait: Wait,
    ) -> Result<Removal, Refused> {
        if wait == Wait::No {
            // It waits for other operations, and takes its time.
            return Err(Refused::Busy(self.name.failed("sessions are removed")));
        }
        let places: Vec<_> = sessions.iter().map(|session| self.place(session)).collect();
        let _alone = self.removal_lock()?;
        self.finish_removal()?;
        let mut entered = Vec::new();
        for (session, place) in sessions.iter().zip(&places) {
            if !inbox::is_something(place) {
                return Err(Error::Unknown { session: session.clone() }.into());
            }
            // In the order of their names, as every removal does: none waits for another.
            let mut one = self.enter(session, place, wait)?;
            // A claim whose lock was removed from outside must write no more.
            one.void_claims().map_err(|error| one.refused("removing", &place.folder, error))?;
            entered.push(one);
        }
        self.decide(&places)?;
        Ok(match self.finish_removal() {
            Ok(()) => Removal::Complete,
            Err(refused) => Removal::Traces(format!(
                "they are removed, but their files may still be there ({}); they are deleted when \
                 the store is opened next",
                Error::from(refused)
            )),
        })
    }

    /// Writes which sessions are removed: from then on they are.
    fn decide(&self, places: &[Place]) -> Result<(), Refused> {
        let keys: Vec<_> = places.iter().map(|place| place.key.as_str()).collect();
        let path = self.removing();
        let failed = |error| self.refused("writing", &path, error);
        let list = serde_json::to_vec(&keys).map_err(|error| failed(error.into()))?;
        match files::replace(&self.root, Self::REMOVING, &list) {
            Err(error) => match files::if_there(fs::remove_file(&path)) {
                Ok(_) => {
                    let _ = files::sync_folder(&self.root);
                    Err(failed(error))
                }
                // It is there and says so to everybody: that cannot be taken back.
                Err(_) => Ok(()),
            },
            Ok(()) => Ok(()),
        }
    }

    fn removal_lock(&self) -> Result<Lock, Refused> {
        Lock::wait(&self.claims(), "removal")
            .map_err(|error| self.refused("locking", &self.claims(), error))
    }

    /// Finishes a removal that a process left which died. The lock of removals is held.
    fn finish_removal(&self) -> Result<(), Refused> {
        let failed = |error| self.refused("removing sessions from", &self.root, error);
        let keys = self.being_removed()?;
        if keys.is_empty() {
            return Ok(());
        }
        self.finish(&keys).map_err(failed)
    }

    fn finish(&self, keys: &BTreeSet<String>) -> io::Result<()> {
        let trash = self.trash();
        make_folder(&trash)?;
        empty(&trash)?;
        for key in keys {
            files::if_there(fs::remove_file(self.due().join(key)))?;
            files::if_there(fs::rename(self.sessions().join(key), trash.join(key)))?;
        }
        for folder in [&self.sessions(), &self.due(), &trash] {
            files::sync_folder(folder)?;
        }
        empty(&trash)?;
        files::sync_folder(&trash)?;
        files::if_there(fs::remove_file(self.removing()))?;
        files::sync_folder(&self.root)
    }

    /// Finishes a removal that names a session, before another begins under the name.
    pub(super) fn finish_removal_of(&self, place: &Place, wait: Wait) -> Result<(), Refused> {
        if !self.is_being_removed(place)? {
            return Ok(());
        }
        if wait == Wait::No {
            return Err(Refused::Busy(self.name.failed("the session is removed just now")));
        }
        let _alone = self.removal_lock()?;
        self.finish_removal()
    }

    /// Finishes a removal that was left, when the store is opened.
    pub(super) fn finish_any_removal(&self) -> Result<(), Refused> {
        if self.being_removed()?.is_empty() {
            return Ok(());
        }
        let _alone = self.removal_lock()?;
        self.finish_removal()?;
        info!("a removal that another process began was finished");
        Ok(())
    }

    /// Whether a session is removed, though its files may still be there.
    pub(super) fn is_being_removed(&self, place: &Place) -> Result<bool, Refused> {
        Ok(self.being_removed()?.contains(&place.key))
    }

    /// The names of the sessions that are being removed.
    pub(super) fn being_removed(&self) -> Result<BTreeSet<String>, Refused> {
        let path = self.removing();
        let failed = |error| self.refused("reading", &path, error);
        if files::if_there(fs::symlink_metadata(&path)).map_err(failed)?.is_none() {
            return Ok(BTreeSet::new());
        }
        let Some(file) = files::if_there(files::open(&path, Access::Read)).map_err(failed)? else {
            return Ok(BTreeSet::new());
        };
        let list = io::read_to_string(file).map_err(failed)?;
        let keys: BTreeSet<String> =
            serde_json::from_str(&list).map_err(|error| failed(error.into()))?;
        // The names are those of folders in the store, whatever the file says.
        Ok(keys.into_iter().filter(|key| !key.contains(['/', '\\']) && key != "..").collect())
    }
}

fn empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        fs::remove_dir_all(entry?.path())?;
    }
    Ok(())
}
