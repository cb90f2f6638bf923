//! `legwork agents`: agents and skills of files, looked at and checked.

mod check;
mod list;
mod show;

use std::path::PathBuf;

use legwork::definition::{Found, Parts, Problem};
use legwork::skills::Skills;

use crate::agents::{Agents, assemble};
use crate::args::{self, Around};
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::mcp::Servers;
use crate::settings::{around, provider};
use crate::trust::{Flag, Kind, Trust, Wanted};

pub(super) fn agents(args: &args::Agents, config: &Config) -> Result<Exit, Error> {
    match args {
        args::Agents::List(args) => list::list(args, config),
        args::Agents::Show(args) => show::show(args, config),
        args::Agents::Check(args) => check::check(args, config),
    }
}

fn dir(around: &Around) -> PathBuf {
    around.dir.clone().unwrap_or_else(|| PathBuf::from("."))
}

/// What of the project would be taken.
fn trust(around: &Around, config: &Config) -> Trust {
    let (dir, kinds) = (dir(around), [Kind::Agent, Kind::Skill]);
    Trust::of(Wanted { dir: &dir, kinds: &kinds, flag: Flag::Not }, config)
}

/// All agents and skills of the places, also those of a project that is not trusted: they are
/// only looked at.
fn here(around: &Around, trust: &Trust) -> Agents {
    Agents::load(&trust.clone().looked_at(), &around.agents_dir)
}

/// The MCP servers that agents can name, also those of a project that is not trusted.
fn servers(place: &Around, config: &Config) -> Servers {
    let (dir, kinds) = (dir(place), [Kind::Settings]);
    let trust = Trust::of(Wanted { dir: &dir, kinds: &kinds, flag: Flag::Not }, config);
    Servers::of(config, &trust.looked_at(), None)
}

/// What the names in them mean here, keys left aside.
fn parts(agents: &Agents, servers: &Servers, config: &Config) -> Parts {
    let config = config.clone();
    assemble::parts(agents, servers).models(move |name| {
        let url = around(provider(name), &config).map_err(|error| error.to_string())?;
        let url = url.as_ref().map(|url| url.value.as_str());
        // Whether there is a key is said when one is needed.
        let keys = legwork::model::key_variables(provider(name));
        let key = Some("none").filter(|_| !keys.is_empty());
        legwork::model::at(name, url, key).map_err(|error| match error {
            legwork::Error::Model { reason, .. } => reason.to_string(),
            error => error.to_string(),
        })
    })
}

/// All that is wrong with them: with their files, and with what these name.
fn problems(agents: &Agents, place: &Around, config: &Config) -> Vec<Problem> {
    let parts = parts(agents, &servers(place, config), config);
    let mut problems: Vec<Problem> = Vec::new();
    let named = agents.definitions.iter().flat_map(|(_, found)| parts.check(found));
    // A skill that several agents name is reported once.
    let all = Skills::of(&agents.skills);
    let of_files = agents.problems.iter().chain(all.problems()).cloned();
    for problem in of_files.chain(named) {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems
}

/// The problems that are those of one file.
fn of_file<'p, T>(
    found: &'p Found<T>,
    problems: &'p [Problem],
) -> impl Iterator<Item = &'p Problem> {
    problems.iter().filter(|problem| problem.file.as_ref() == Some(&found.file))
}
