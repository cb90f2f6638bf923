//! All agents and skills that there are.

use std::path::{Path, PathBuf};

use legwork::definition::{
    AgentDefinition, Definitions, Format, Found, Location, Origin, Problem, SkillCatalog, nearest,
};

use super::places::{places, project};
use crate::config::locate::shown;
use crate::error::Error;
use crate::recorded::RecordedAgent;
use crate::shell::quoted;
use crate::trust::{Kind, Trust};

/// The prefix that names a project's agent where the user has one with the same name.
const OF_PROJECT: &str = "project:";

/// All agents and skills that there are, and what is wrong with their files.
#[derive(Debug, Clone, Default)]
pub(crate) struct Agents {
    pub(crate) definitions: Definitions,
    pub(crate) skills: SkillCatalog,
    pub(crate) problems: Vec<Problem>,
}

impl Agents {
    /// Those of the user, of the project of a directory, and of places named beside them.
    pub(crate) fn load(trust: &Trust, given: &[PathBuf]) -> Self {
        Self::with(trust, given.iter().map(Location::given))
    }

    fn with(trust: &Trust, given: impl Iterator<Item = Location>) -> Self {
        let mut problems = Vec::new();
        let mut of_agents = places(Kind::Agent, trust, &mut problems);
        let of_skills = places(Kind::Skill, trust, &mut problems);
        of_agents.extend(given);
        problems.dedup();
        let agents = Self {
            definitions: Definitions::load(&of_agents),
            skills: SkillCatalog::load(&of_skills),
            problems,
        };
        agents.with_problems()
    }

    /// The agents of these files and folders alone, and their skills beside all others.
    pub(crate) fn of_paths(trust: &Trust, paths: &[PathBuf]) -> Self {
        let mut problems = Vec::new();
        let mut of_skills = places(Kind::Skill, trust, &mut problems);
        // As places of a project are named, so that a problem is one, however it was found.
        let whole = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let paths: Vec<_> = paths.iter().map(whole).collect();
        let (skills, agents): (Vec<_>, Vec<_>) =
            paths.iter().partition(|path| holds_skills(path.as_path()));
        of_skills.extend(skills.into_iter().map(Location::given));
        let of_agents: Vec<_> = agents.into_iter().map(Location::given).collect();
        let agents = Self {
            definitions: Definitions::load(&of_agents),
            skills: SkillCatalog::load(&of_skills),
            problems,
        };
        agents.with_problems()
    }

    /// The tools that the agents name.
    pub(crate) fn named_tools(&self) -> impl Iterator<Item = &str> {
        let definitions = self.definitions.iter().map(|(_, found)| &found.value);
        let named = definitions.flat_map(|definition| {
            definition.tools.iter().flatten().chain(&definition.denied_tools)
        });
        named.map(String::as_str)
    }

    fn with_problems(mut self) -> Self {
        self.problems.extend(self.definitions.problems().iter().cloned());
        self.problems.extend(self.skills.problems().iter().cloned());
        self
    }

    /// The agent that is asked for: by its name, or by the file that defines it.
    ///
    /// # Errors
    /// When there is none, or its file is wrong.
    pub(crate) fn named(
        asked: &str,
        trust: &Trust,
        given: &[PathBuf],
    ) -> Result<(Self, Found<AgentDefinition>), Error> {
        if let Some(name) = asked.strip_prefix(OF_PROJECT) {
            return Self::of_project(name, trust, given);
        }
        let path = Path::new(asked);
        let is_path = asked.contains('/') || Format::of(path).is_some();
        let file = is_path.then(|| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let places = given.iter().map(Location::given).chain(file.iter().map(Location::given));
        let all = Self::with(trust, places);
        let found = match &file {
            Some(file) => all.definitions.iter().find(|(_, found)| found.file == *file),
            None => all.definitions.iter().find(|(name, _)| *name == asked),
        };
        match found.map(|(_, found)| found.clone()) {
            Some(found) => Ok((all, found)),
            None => Err(all.unknown(asked, file.as_deref(), trust)),
        }
    }

    /// The project's agent with a name, also where the user has one with that name.
    fn of_project(
        name: &str,
        trust: &Trust,
        given: &[PathBuf],
    ) -> Result<(Self, Found<AgentDefinition>), Error> {
        let all = Self::load(trust, given);
        let place = project(Kind::Agent, trust, &mut Vec::new());
        let own = Self { definitions: Definitions::load(place.as_slice()), ..Self::default() };
        let own = own.with_problems();
        match own.definitions.get(name) {
            Some(found) => Ok((all, found.clone())),
            None => Err(own.unknown(name, None, trust)),
        }
    }

    /// The agent file that a session was begun with, if it is in one of the present places:
    /// neither the path nor the owner is taken from the journal.
    ///
    /// # Errors
    /// When its file is missing, invalid, or in none of these places.
    pub(crate) fn recorded(
        recorded: &RecordedAgent,
        trust: &Trust,
        given: &[PathBuf],
    ) -> Result<(Self, Found<AgentDefinition>), Error> {
        let file = recorded.file.as_ref().map(PathBuf::from);
        let origin = file
            .as_ref()
            .map(|file| origin(file, trust, given).ok_or_else(|| elsewhere(recorded, file)));
        let own = file.clone().zip(origin.transpose()?);
        let own = own.filter(|(file, _)| trust.why(file).is_none());
        let own = own.map(|(path, origin)| trust.held(Location::of(origin, path)));
        // Where it is a project's, another of its name may have come into its place.
        let mut all = Self::with(trust, given.iter().map(Location::given).chain(own));
        let is = |found: &Found<AgentDefinition>| Some(&found.file) == file.as_ref();
        match all.definitions.get(&recorded.name).filter(|found| is(found)) {
            Some(found) => {
                let found = found.clone();
                Ok((all, found))
            }
            None => {
                let (name, place) = (&recorded.name, file.as_deref().map(shown));
                let place = place.map_or_else(String::new, |place| format!(" of {place}"));
                all.problems.retain(|problem| problem.file == file && problem.is_error());
                let why = match all.problems.first() {
                    Some(problem) => {
                        let field = problem.field.as_ref().map(|field| format!("{field}: "));
                        let (field, message) = (field.unwrap_or_default(), &problem.message);
                        format!("cannot be used: {field}{message}")
                    }
                    None => match file.as_deref().and_then(|file| trust.why(file)) {
                        Some(_) => "is left out: its project is not trusted".to_owned(),
                        None => "no longer exists".to_owned(),
                    },
                };
                Err(Error::usage(
                    format!("the agent `{name}`{place}, which the session was begun with, {why}"),
                    "put it right, or go on with another one by --agent",
                ))
            }
        }
    }

    fn unknown(&self, asked: &str, file: Option<&Path>, trust: &Trust) -> Error {
        if let Some(left) = trust.left_agent(asked) {
            let message = format!("the agent {asked:?} of the project is left out");
            return Error::usage(message, left);
        }
        // A file that is wrong has no name: the problem may be the one of the agent.
        let names: Vec<_> = self.definitions.iter().map(|(name, _)| name).collect();
        let is = |problem: &&Problem| {
            let stem = problem.file.as_deref().and_then(Path::file_stem);
            let same = problem.file.as_deref() == file || stem.is_some_and(|stem| stem == asked);
            problem.is_error() && same
        };
        let wrong: Vec<_> = self.problems.iter().filter(is).collect();
        if let Some(problem) = wrong.first() {
            let more = match wrong.len() {
                1 => String::new(),
                all => format!(" (and {} more)", all - 1),
            };
            let message = format!("the agent {asked:?} cannot be used: {problem}{more}");
            return Error::usage(message, "`legwork agents check` says all that is wrong");
        }
        let hint = match nearest(asked, names.iter().map(AsRef::as_ref)) {
            Some(near) => format!("did you mean `{near}`? `legwork agents list` shows all"),
            None if names.is_empty() => {
                "there are none: make one as .legwork/agents/NAME.md, or see `legwork agents --help`"
                    .to_owned()
            }
            None => format!("the agents are {}", names.join(", ")),
        };
        Error::usage(format!("there is no agent {asked:?}"), hint)
    }
}

/// Whose an agent's file is, by the present place that it lies in.
fn origin(file: &Path, trust: &Trust, given: &[PathBuf]) -> Option<Origin> {
    let mut places = places(Kind::Agent, trust, &mut Vec::new());
    places.extend(given.iter().map(Location::given));
    let place = places.into_iter().rev().find(|place| file.parent() == Some(&place.path));
    place.map(|place| place.origin)
}

fn elsewhere(recorded: &RecordedAgent, file: &Path) -> Error {
    let name = &recorded.name;
    let dir = recorded.dirs.iter().find(|dir| file.parent() == Some(Path::new(dir)));
    let again = match dir {
        Some(dir) => format!("--agent {} --agents-dir {}", quoted(name), quoted(dir)),
        None => format!("--agent {}", quoted(&file.to_string_lossy())),
    };
    Error::usage(
        format!(
            "the session had the agent `{name}` of {}, which is in none of the present places",
            shown(file)
        ),
        format!("the path is not taken from the journal: give it again with {again}"),
    )
}

/// Whether a path is a skill or a folder of skills.
fn holds_skills(path: &Path) -> bool {
    let has = |folder: &Path| folder.join("SKILL.md").symlink_metadata().is_ok();
    let of_folder = || std::fs::read_dir(path).into_iter().flatten().flatten();
    path.file_name().is_some_and(|name| name == "SKILL.md")
        || has(path)
        || of_folder().any(|entry| has(&entry.path()))
}

/// Whose a place is, in a word.
pub(crate) fn whose(origin: Origin) -> &'static str {
    match origin {
        Origin::User => "user",
        Origin::Project => "project",
        Origin::Given => "given",
    }
}
