//! The mark of a run in progress: the places it can write to, held until its process ends.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{FlockOperation, flock};

use super::contents;
use super::name::Name;
use super::records::Records;
use super::state::{StateFolder, make};
use super::surface;
use crate::error::Error;

/// How many marks this process has made.
static MADE: AtomicU64 = AtomicU64::new(0);

/// A run in progress; its mark is removed when it ends.
#[derive(Debug)]
pub(crate) struct Run {
    state: StateFolder,
    mark: PathBuf,
    places: Vec<PathBuf>,
    /// Held as long as the process lives.
    _lock: File,
    ended: AtomicBool,
}

impl Run {
    /// Begins a run that can write to some places: records the files that instruct an agent.
    ///
    /// # Errors
    /// When they cannot be recorded.
    pub(crate) fn begin(folders: &[PathBuf], places: Vec<PathBuf>) -> Result<Self, Error> {
        let state = StateFolder::own()?;
        let failed = |source| Error::System { doing: "recording what is trusted", source };
        let marks = marks(&state);
        let (mark, lock) = state
            .change(|records| {
                let live = settled(records, &marks)?;
                records.tidy();
                let mut looked_at = records.folders_in(&places);
                looked_at.extend(folders.iter().cloned());
                for place in places.iter().filter(|place| !records.is_written(place)) {
                    looked_at.extend(surface::within(place));
                }
                looked_at.sort();
                looked_at.dedup();
                looked_at.iter().for_each(|folder| records.look(folder, &live));
                records.write(&places);
                contents::keep(&state, records)?;
                mark(&marks, &places)
            })?
            .map_err(failed)?;
        Ok(Self { state, mark, places, _lock: lock, ended: AtomicBool::new(false) })
    }

    /// Records the files once nothing of the run can write any more; returns those that have
    /// to be confirmed.
    ///
    /// # Errors
    /// When they cannot be recorded: the run then counts as killed.
    pub(crate) fn end(&self) -> Result<Vec<PathBuf>, Error> {
        if self.ended.swap(true, Ordering::SeqCst) {
            return Ok(Vec::new());
        }
        let failed = |source| Error::System { doing: "recording what the run changed", source };
        let changed = self.state.change(|records| records.settle(&self.places))?;
        fs::remove_file(&self.mark).map_err(failed)?;
        Ok(changed)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // If this fails the mark stays, as after a run that was killed.
        let _ = self.end();
    }
}

fn marks(state: &StateFolder) -> PathBuf {
    state.folder.join("runs")
}

/// Records the end of each run whose process is gone, and removes its mark; returns the
/// places of the other runs. The caller holds the lock.
fn settled(records: &mut Records, marks: &Path) -> io::Result<Vec<PathBuf>> {
    let (live, dead) = under_way(marks)?;
    for (mark, places) in dead {
        records.settle(&places);
        fs::remove_file(mark)?;
    }
    Ok(live)
}

/// The same for a reader: no mark is removed.
pub(super) fn seen(records: &mut Records, state: &StateFolder) -> io::Result<Vec<PathBuf>> {
    let (live, dead) = under_way(&marks(state))?;
    for (_, places) in &dead {
        records.settle(places);
    }
    Ok(live)
}

/// The places of runs in progress, and the marks of runs whose process is gone.
type UnderWay = (Vec<PathBuf>, Vec<(PathBuf, Vec<PathBuf>)>);

fn under_way(marks: &Path) -> io::Result<UnderWay> {
    let (mut live, mut dead) = (Vec::new(), Vec::new());
    let entries = match fs::read_dir(marks) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((live, dead)),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let mut file = match File::open(&path) {
            // The run ended meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file?,
        };
        let is_dead = flock(&file, FlockOperation::NonBlockingLockShared).is_ok();
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        // An incomplete mark belongs to a run that never began.
        let places: Vec<Name> = serde_json::from_str(&text).unwrap_or_default();
        let places: Vec<PathBuf> = places.into_iter().map(|name| name.0).collect();
        match is_dead {
            true => dead.push((path, places)),
            false => live.extend(places),
        }
    }
    Ok((live, dead))
}

/// Makes a mark and locks it.
fn mark(marks: &Path, places: &[PathBuf]) -> io::Result<(PathBuf, File)> {
    make(marks)?;
    loop {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = marks.join(format!("{}-{number}", std::process::id()));
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let mut file = match made {
            // From another process with this id, perhaps in another container.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made?,
        };
        flock(&file, FlockOperation::LockExclusive)?;
        let names: Vec<_> = places.iter().map(|place| Name(place.clone())).collect();
        file.write_all(&serde_json::to_vec(&names)?)?;
        file.sync_all()?;
        return Ok((path, file));
    }
}
