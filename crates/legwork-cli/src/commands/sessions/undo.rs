//! `legwork sessions undo`: takes back what a session changed in files.

mod restore;
mod within;

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use legwork::tools::changes::{Back, Change, back};
use legwork::tools::secret::Secrets;

use self::restore::{Step, held, restore};
use self::within::Within;
use super::changed::Changed;
use crate::args;
use crate::commands::{print, tell};
use crate::config::Config;
use crate::display::text::{count, one_line};
use crate::error::Error;
use crate::exit::Exit;
use crate::session::find;
use crate::store_address::StoreAddress;
use crate::toolset::secrets;

pub(crate) async fn undo(args: args::Undo, config: &Config) -> Result<Exit, Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let secrets = address.path().iter().fold(secrets(config), Secrets::with_store);
    let within = Within::of(args.dir.as_deref(), &args.allow_path, &secrets)?;
    let store = address.open_existing()?;
    let found = find(store.as_ref(), &args.session, &address).await?;
    let Some(store) = store else { return Ok(Exit::Done) };
    // What is not read may have changed files too.
    found.check_readable()?;
    // Nobody works in the session until all is taken back.
    let _claim = store.claim(&found.id).await?;
    let mut changed = Changed::of(&*store, &found).await?;
    if let Some(error) = changed.unreadable.take() {
        return Err(error);
    }
    for note in changed.notes() {
        tell(&note);
    }
    let Some(dir) = changed.dir.clone().filter(|_| !changed.changes.is_empty()) else {
        return print("nothing to take back: no changes of files are recorded in the session\n");
    };
    let plan = Plan::of(changed.changes, &dir, &within);
    for (path, why) in &plan.cannot {
        tell(&format!("cannot take back {}: {why}", shown_path(path, &dir)));
    }
    let whole = plan.cannot.is_empty();
    if !whole && !args.partly && !args.dry_run {
        let left = match plan.steps.is_empty() {
            true => "nothing was changed".to_owned(),
            false => "nothing was changed; --partly takes back the rest".to_owned(),
        };
        tell(&left);
        return Ok(Exit::Failed);
    }
    if !args.dry_run {
        restore(&plan.steps, &dir, |path| within.check(path)).map_err(|(path, source)| {
            let why = format!("{}: {source}; all is as it was before", shown_path(&path, &dir));
            Error::System { doing: "taking changes back", source: io::Error::other(why) }
        })?;
    }
    print(&plan.report(&dir, args.dry_run))?;
    Ok(if whole { Exit::Done } else { Exit::Failed })
}

/// The path as people know it.
fn shown_path(path: &Path, dir: &Path) -> String {
    one_line(&path.strip_prefix(dir).unwrap_or(path).to_string_lossy())
}

/// What is to be done, and what cannot be.
#[derive(Default)]
struct Plan {
    steps: Vec<Step>,
    cannot: Vec<(PathBuf, String)>,
}

impl Plan {
    fn of(changes: Vec<Change>, dir: &Path, within: &Within) -> Self {
        let mut files: Vec<(PathBuf, Vec<Change>)> = Vec::new();
        for change in changes {
            let path = PathBuf::from(&change.path);
            match files.iter_mut().find(|(known, _)| *known == path) {
                Some((_, changes)) => changes.push(change),
                None => files.push((path, vec![change])),
            }
        }
        let mut plan = Self::default();
        for (path, changes) in files {
            match step(&path, changes, dir, within) {
                Ok(step) => plan.steps.extend(step),
                Err(why) => plan.cannot.push((path, why)),
            }
        }
        plan
    }

    fn report(&self, dir: &Path, dry: bool) -> String {
        let mut text = String::new();
        for step in &self.steps {
            let path = shown_path(&step.path, dir);
            let _ = match (&step.wanted, dry) {
                (None, true) => writeln!(text, "would remove {path}"),
                (None, false) => writeln!(text, "removed {path}"),
                (Some(_), true) => writeln!(text, "would restore {path}"),
                (Some(_), false) => writeln!(text, "restored {path}"),
            };
        }
        let files = count(self.steps.len() as u64, "file");
        text + &match (self.steps.is_empty(), dry) {
            (true, _) if self.cannot.is_empty() => {
                "nothing to take back: the files are as they were before the session\n".to_owned()
            }
            (true, _) => String::new(),
            (false, true) => format!("{files} would be taken back; nothing was changed\n"),
            (false, false) => format!("{files} taken back\n"),
        }
    }
}

/// What to do with a file; none if it is as it was before the session.
fn step(
    path: &Path,
    changes: Vec<Change>,
    dir: &Path,
    within: &Within,
) -> Result<Option<Step>, String> {
    within.check(path)?;
    restore::check_way(path, dir)?;
    let now = held(path).map_err(|error| error.to_string())?;
    let wanted = match back(changes, now.as_ref()).map_err(|cannot| cannot.to_string())? {
        Back::Nothing => return Ok(None),
        Back::Remove => None,
        Back::Restore(held) => Some(held),
        _ => return Err("this version does not know how".to_owned()),
    };
    Ok(Some(Step { path: path.to_owned(), now, wanted }))
}
