//! Which places a command sees, reads and writes; what each sandbox is made from.

mod covers;
mod held;
mod linked;
mod masked;
mod system;
mod toolchains;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use legwork_port::sandbox::Note;

pub(super) use self::covers::Covers;
pub(super) use self::held::Held;
pub(crate) use self::held::resolve;
pub(super) use self::masked::Masked;
pub(super) use self::system::{Seen, open_files};
use super::error::Error;
use super::policy::Policy;
use crate::bash::Environment;
use crate::linux::{Cover, Mount};
use crate::repository::Keeper;
use crate::secret::Secrets;

/// The places that commands see, resolved once.
///
/// All else is not there for them.
#[derive(Debug)]
pub(super) struct Places {
    /// The workspace.
    pub(super) root: PathBuf,
    /// The user's own, empty and writable in private; none if it may be written, or is a
    /// system's.
    pub(super) home: Option<PathBuf>,
    /// Of the system, read-only.
    pub(super) system: Vec<Seen>,
    /// Read-only, and outside of what may be written.
    pub(super) readable: Vec<Held>,
    /// Secrets in what may only be read.
    pub(super) masked: Masked,
    /// The workspace and what else may be written; none of them lies in another.
    pub(super) writable: Vec<Held>,
    /// Over secrets, and what may only be read, in what may be written.
    pub(super) covers: Covers,
    /// Keeps the repositories in what may be written.
    pub(super) keeper: Arc<Keeper>,
}

impl Places {
    /// What commands in the workspace `root` see under a policy.
    ///
    /// # Errors
    /// When a place is named through a link that a command can lead elsewhere, or the
    /// workspace cannot be opened.
    pub(super) fn of(
        root: &Path,
        environment: &Environment,
        policy: &Policy,
    ) -> Result<Self, Error> {
        check_width(root)?;
        let writable = writable(root, policy)?;
        let home = home(environment);
        let toolchains = toolchains::folders(environment, home.as_deref(), &writable);
        let mut readable = toolchains;
        for place in &policy.readable {
            readable.extend(held::resolve(place, &writable)?);
        }
        readable.sort();
        readable.dedup();
        let inside = |place: &PathBuf| writable.iter().any(|writable| place.starts_with(writable));
        let (kept, readable): (Vec<_>, Vec<_>) = readable.into_iter().partition(inside);
        let kept: Vec<_> = kept.into_iter().filter(|place| !writable.contains(place)).collect();
        let secrets = secrets(root, home.as_deref(), policy, &readable);
        let shown = readable.iter().chain(&writable).cloned();
        let linked = linked::names(&secrets.linked(), shown)?;
        let there = secrets.places().map(Path::to_owned).chain(linked);
        let all = there.chain(secrets.absent().map(Path::to_owned));
        let (exposed, outside): (Vec<_>, Vec<_>) = all.partition(inside);
        let system = system::seen();
        let masked = Masked::new(outside, &system, &readable);
        let closed = kept.iter().chain(&exposed).cloned().collect();
        // One of the others may become a link into what may be written.
        let exposed = exposed.into_iter().chain(masked.all().map(Path::to_owned)).collect();
        let covers = Covers::new(&writable, &kept, exposed)?;
        Ok(Self {
            root: root.to_owned(),
            home: home.filter(|home| !inside(home)),
            system,
            masked,
            readable: readable.into_iter().filter_map(|place| Held::open(place).ok()).collect(),
            keeper: Keeper::closed_to(writable.clone(), closed),
            writable: writable.into_iter().map(hold).collect::<Result<_, _>>()?,
            covers,
        })
    }

    /// The places that may be read, but for those that are seen with a place above them: a
    /// mount of their own would only take its time.
    pub(super) fn bound(&self) -> impl Iterator<Item = &Path> {
        let of_system = || self.system.iter().filter_map(Seen::folder);
        let readable = || self.readable.iter().map(Held::path);
        let shows = move |above: &Path, place: &Path| {
            // The home is empty but for what is shown in it.
            let in_home =
                |path: &Path| self.home.as_ref().is_some_and(|home| path.starts_with(home));
            place != above && place.starts_with(above) && (in_home(above) || !in_home(place))
        };
        let is_shown =
            move |place: &Path| of_system().chain(readable()).any(|above| shows(above, place));
        readable().filter(move |place| !is_shown(place))
    }

    /// The mounts that leave writable what may be written, and protect what lies in it.
    pub(super) fn mounts(&self) -> Vec<Mount> {
        let writable = self.writable.iter().map(|place| place.covered(Cover::Writable));
        writable.chain(self.covers.now()).collect()
    }

    /// Checks that nothing is to be protected inside of what may be written.
    ///
    /// # Errors
    /// With the first that is, and the name of the sandbox that cannot do it.
    pub(super) fn check_uncovered(&self, sandbox: &'static str) -> Result<(), Error> {
        let first = self.covers.now().into_iter().find(|mount| mount.cover != Cover::Fixed);
        match first.map(|mount| (mount.cover, mount.place)) {
            None => Ok(()),
            Some((Cover::Hidden, place)) => Err(Error::Exposed { place, sandbox }),
            Some((_, place)) => Err(Error::Unprotected { place, sandbox }),
        }
    }

    /// Checks that each place is what it was when it was resolved.
    ///
    /// # Errors
    /// [`Error::Moved`] with the first that is not.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.readable.iter().chain(&self.writable).try_for_each(Held::check)
    }
}

/// The places of each workspace, resolved when they are first asked for.
#[derive(Debug, Default)]
pub(super) struct Resolved(Mutex<Vec<(PathBuf, Arc<Places>)>>);

impl Resolved {
    /// The places of a workspace; always the same ones for the same workspace.
    ///
    /// # Errors
    /// See [`Places::of`].
    pub(super) fn of(
        &self,
        root: &Path,
        environment: &Environment,
        policy: &Policy,
    ) -> Result<Arc<Places>, Error> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, places)) = known.iter().find(|(of, _)| of == root) {
            return Ok(Arc::clone(places));
        }
        let places = Arc::new(Places::of(root, environment, policy)?);
        known.push((root.to_owned(), Arc::clone(&places)));
        Ok(places)
    }

    /// What is not protected in these workspaces.
    pub(super) fn gaps(&self) -> Vec<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().filter_map(|(_, places)| places.keeper.gap()).collect()
    }

    /// What was put back or made in repositories since the last time, a sentence each.
    pub(super) fn notes(&self) -> Vec<Note> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().flat_map(|(_, places)| places.keeper.notes()).map(Note::Refused).collect()
    }
}

/// Checks that a workspace leaves something to confine.
///
/// # Errors
/// [`Error::TooWide`] for the root of the file system.
pub(super) fn check_width(root: &Path) -> Result<(), Error> {
    match root.parent() {
        Some(_) => Ok(()),
        None => Err(Error::TooWide { root: root.to_owned() }),
    }
}

/// The workspace and what else may be written, without those that lie in another.
fn writable(root: &Path, policy: &Policy) -> Result<Vec<PathBuf>, Error> {
    let real = |place: &Path| place.canonicalize().ok();
    let named = || policy.writable.iter().map(PathBuf::as_path);
    let root = real(root).ok_or_else(|| Error::Moved { place: root.to_owned() })?;
    let all: Vec<_> = [root.clone()].into_iter().chain(named().filter_map(real)).collect();
    for place in named() {
        held::resolve(place, &all)?;
    }
    let mut outermost: Vec<PathBuf> = Vec::new();
    for place in all.iter().collect::<BTreeSet<_>>() {
        if !outermost.iter().any(|other| place.starts_with(other)) {
            outermost.push(place.clone());
        }
    }
    Ok(outermost)
}

/// What is secret on this machine, but for what was allowed by name.
fn secrets(root: &Path, home: Option<&Path>, policy: &Policy, readable: &[PathBuf]) -> Secrets {
    /// Files with keys in a toolchain.
    const CREDENTIALS: [&str; 2] = ["credentials", "credentials.toml"];
    let of_toolchains = readable.iter().flat_map(|shown| CREDENTIALS.map(|name| shown.join(name)));
    let own = policy.hidden.iter().cloned().chain(of_toolchains);
    let all = own.fold(Secrets::of_machine(home), Secrets::with);
    let named = |place: &Path| {
        let is = |allowed: &PathBuf| allowed == place;
        let allowed = policy.readable.iter().any(is) || policy.writable.iter().any(is);
        allowed || root.starts_with(place)
    };
    all.without(named)
}

fn hold(place: PathBuf) -> Result<Held, Error> {
    Held::open(place.clone()).map_err(|_| Error::Moved { place })
}

/// The home, if hiding it leaves a system.
fn home(environment: &Environment) -> Option<PathBuf> {
    let home = Path::new(environment.get("HOME")?).canonicalize().ok()?;
    // One part, as in /usr, is a system's, but for root's own.
    let own = home.components().count() > 2 || home == Path::new("/root");
    own.then_some(home)
}
