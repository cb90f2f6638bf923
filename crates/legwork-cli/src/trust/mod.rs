//! Whether a project is trusted, and which of its files are used.
//!
//! A project may have been written by others: until the user trusts it, its instructions,
//! agents, skills and settings are left out.
//!
//! Read the modules in this order: [`owner`], [`project`], [`file`], [`surface`],
//! [`records`], [`state`], [`known`], [`run`], [`report`], [`ask`], [`changes`].

pub(crate) mod ask;
mod changes;
mod contents;
pub(crate) mod file;
mod known;
mod name;
pub(crate) mod owner;
pub(crate) mod project;
pub(crate) mod records;
pub(crate) mod report;
mod run;
pub(crate) mod state;
pub(crate) mod surface;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use legwork::core::digest::Digest;
use legwork::definition::{Location, Origin};

pub(crate) use ask::Asks;
pub(crate) use changes::places;
use file::Skipped;
use owner::Owners;
pub(crate) use project::Project;
use records::{Decision, Records};
pub(crate) use run::Run;
use state::StateFolder;
pub(crate) use surface::{Kind, Piece};

use crate::config::{Config, Source};
use crate::context::{self, NAME as INSTRUCTIONS};
use crate::error::Error;

/// Whether a project is trusted, and by what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Trusted by `--trust`, for this command.
    Flag,
    /// Trusted by an answer at the terminal, for this command.
    Once,
    /// Trusted by the user's settings.
    Setting(Source),
    /// Trusted by a record.
    Recorded,
    /// Not trusted, and not to be asked about.
    Refused,
    /// Undecided.
    #[default]
    Unknown,
}

/// Why a file is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Left {
    /// The project is not trusted.
    Untrusted,
    /// The file belongs to another user, lies elsewhere, or cannot be read.
    Skipped(Skipped),
    /// A run may have written it, and the user has not confirmed that.
    Changed,
}

/// A project, whether it is trusted, and which of its files are used.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trust {
    /// None if the directory does not exist.
    pub(crate) project: Option<Project>,
    pub(crate) standing: Standing,
    /// Users whose files are used.
    owners: Owners,
    /// The files that need trust, the nearest first, and why each is left out.
    pieces: Vec<(Piece, Option<Left>)>,
    /// What is wrong with the records.
    problem: Option<String>,
    /// The records of this and other projects.
    records: Records,
}

impl Standing {
    pub(crate) fn is_trusted(&self) -> bool {
        !matches!(self, Self::Refused | Self::Unknown)
    }
}

/// Which files of a project are wanted, and whether `--trust` was given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) dir: &'a Path,
    pub(crate) kinds: &'a [Kind],
    pub(crate) flag: Flag,
}

/// Whether `--trust` was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Flag {
    Given,
    #[default]
    Not,
}

/// All kinds of files.
pub(crate) const ALL: [Kind; 5] =
    [Kind::Instructions, Kind::Settings, Kind::Agent, Kind::Skill, Kind::Command];

impl Trust {
    /// The project of a directory, by flags, records and settings; asks no question.
    pub(crate) fn of(wanted: Wanted<'_>, config: &Config) -> Self {
        let Some(project) = Project::of(wanted.dir) else { return Self::default() };
        // Without a state folder there are no records.
        let read = match StateFolder::own() {
            Ok(state) => changes::seen(&state, &project.folders),
            Err(_) => Ok(Records::default()),
        };
        let (records, problem) = match read {
            Ok(records) => (records, None),
            Err(error) => (Records::default(), Some(error.to_string())),
        };
        let record = records.of(&project);
        let setting = || config.trusts(&project.root).map(Standing::Setting);
        let standing = match record.map(|record| record.decision) {
            _ if wanted.flag == Flag::Given => Standing::Flag,
            Some(Decision::Trusted) => Standing::Recorded,
            Some(Decision::Refused) => Standing::Refused,
            // Without records, changes made by runs are unknown: nothing is trusted by settings.
            None if problem.is_some() => Standing::Unknown,
            None => setting().unwrap_or_default(),
        };
        let more = record.filter(|record| record.decision == Decision::Trusted);
        let more = more.map(|record| record.owners.clone()).unwrap_or_default();
        let owners = Owners::person().with(more);
        let pieces = Vec::new();
        let mut trust = Self { project: None, standing, owners, pieces, problem, records };
        trust.look(&project, wanted.kinds, config);
        trust.project = Some(project);
        trust
    }

    fn look(&mut self, project: &Project, kinds: &[Kind], config: &Config) {
        let mut pieces = surface::pieces(project, &self.owners, kinds);
        pieces.retain(|piece| !is_own(piece, config));
        let left = |piece: &Piece| match &piece.content {
            Err(why @ (Skipped::Foreign(..) | Skipped::LeadsOut(_) | Skipped::TooLarge)) => {
                Some(Left::Skipped(why.clone()))
            }
            _ if !self.standing.is_trusted() => Some(Left::Untrusted),
            _ if self.standing != Standing::Flag && !self.is_own(piece) => Some(Left::Changed),
            _ => None,
        };
        let pieces = pieces.into_iter().map(|piece| (left(&piece), piece));
        self.pieces = pieces.map(|(left, piece)| (piece, left)).collect();
    }

    /// Marks the project as trusted.
    fn trusted(&mut self, standing: Standing) {
        self.standing = standing;
        self.take(&Left::Untrusted);
    }

    /// Uses the files that are left out for one reason.
    fn take(&mut self, why: &Left) {
        let taken = self.pieces.iter_mut().filter(|(_, left)| left.as_ref() == Some(why));
        taken.for_each(|(_, left)| *left = None);
    }

    /// Trusts it where the user trusted it by an answer for this command.
    pub(crate) fn trusted_as(&mut self, other: &Self) {
        if self.standing == Standing::Unknown && other.standing.is_trusted() {
            self.trusted(other.standing.clone());
        }
    }

    /// The files of commands that are used.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &Piece> {
        self.taken(Kind::Command)
    }

    /// The same as if the project were trusted, to show what it contains.
    pub(crate) fn looked_at(mut self) -> Self {
        self.trusted(Standing::Once);
        self.take(&Left::Changed);
        self
    }

    fn taken(&self, kind: Kind) -> impl Iterator<Item = &Piece> {
        let taken = self.pieces.iter().filter(|(_, left)| left.is_none());
        taken.map(|(piece, _)| piece).filter(move |piece| piece.kind == kind)
    }

    /// The files of instructions that are used, the nearest first.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = &Piece> {
        self.taken(Kind::Instructions)
    }

    /// The file of settings, if it is used.
    pub(crate) fn settings(&self) -> Option<&Piece> {
        self.taken(Kind::Settings).next()
    }

    /// Why a file is left out, if it is.
    pub(crate) fn why(&self, path: &Path) -> Option<&Left> {
        let is = |(piece, _): &&(Piece, _)| piece.path == path || piece.unit == path;
        self.pieces.iter().filter(is).find_map(|(_, left)| left.as_ref())
    }

    /// The place of the project's agents or skills, restricted to the files that are used.
    pub(crate) fn place(&self, kind: Kind) -> Option<Location> {
        let folder = surface::folder(&self.project.as_ref()?.folders)?;
        let folder = folder.join(if kind == Kind::Agent { "agents" } else { "skills" });
        Some(Location::project(folder).only(self.only(kind)))
    }

    /// A place, restricted to the files that are used if it is the project's.
    pub(crate) fn held(&self, place: Location) -> Location {
        match place.origin {
            Origin::Project => place.only(self.only(Kind::Agent)),
            Origin::User | Origin::Given => place,
        }
    }

    /// The files of a kind that are used, with their digests.
    fn only(&self, kind: Kind) -> BTreeMap<PathBuf, Digest> {
        let mut only = BTreeMap::new();
        for piece in self.taken(kind).filter(|piece| self.why(&piece.unit).is_none()) {
            let content = piece.content.as_ref().ok().and_then(Option::as_ref);
            // Entries that are not files are listed too, so that their problem is reported.
            let digest = content.map_or_else(|| Digest::of_bytes(&[]), |one| one.digest.clone());
            only.insert(piece.path.clone(), digest);
        }
        only
    }

    /// Whether a path lies in the project, with links resolved.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.project.as_ref().is_some_and(|project| project.has(path))
    }

    /// Records the user's decision about the project.
    fn remember(&self, decision: Decision) -> Result<(), Error> {
        let Some(project) = &self.project else { return Ok(()) };
        StateFolder::own()?.change(|records| records.say(project, decision, Vec::new()))
    }
}

/// Whether a file in the project's folders is the user's own, such as the user's settings.
fn is_own(piece: &Piece, config: &Config) -> bool {
    let own = match piece.kind {
        Kind::Settings => config.user_path().map(Path::to_owned),
        Kind::Instructions => context::home().map(|home| home.join(INSTRUCTIONS)),
        Kind::Agent | Kind::Skill | Kind::Command => None,
    };
    let real = |path: &Path| path.canonicalize().ok();
    own.and_then(|own: PathBuf| real(&own)).is_some_and(|own| real(&piece.path) == Some(own))
}
