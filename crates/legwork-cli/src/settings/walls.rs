//! The confinement of a session: its journal may narrow it and never loosens it (S13.9).

use std::path::{Path, PathBuf};

use legwork::tools::sandbox::{Host, Network};

use crate::args::{self, Sandbox};
use crate::config::{AllowPath, Config, Source, Sourced, network, one_of, variable_of};
use crate::error::Error;
use crate::recorded::Recorded;
use crate::settings::flag;
use crate::shell::quoted;

/// What confines the agent, and what the session was allowed beyond that.
pub(super) struct Walls {
    pub(super) sandbox: Sourced<Sandbox>,
    pub(super) network: Sourced<Network>,
    pub(super) allow_paths: Vec<Sourced<AllowPath>>,
    /// The flags that would restore what the session had and is not taken from its journal.
    pub(super) looser: Vec<String>,
}

impl Walls {
    pub(super) fn of(
        flags: &args::Agent,
        config: &Config,
        recorded: &Recorded,
    ) -> Result<Self, Error> {
        let mut looser = Vec::new();
        let sandbox = Sourced::new(Sandbox::default(), Source::Default)
            .or(config.value(|values| &values.sandbox))
            .or(variable_of("LEGWORK_SANDBOX", one_of)?);
        let sandbox = match (flag(&flags.sandbox, "--sandbox"), recorded.sandbox) {
            (Some(flag), _) => flag,
            (None, Some(before)) if strictness(before) >= strictness(sandbox.value) => {
                Sourced::new(before, Source::Session)
            }
            (None, before) => {
                looser.extend(before.and_then(looser_flag).map(str::to_owned));
                sandbox
            }
        };
        let now = Sourced::new(Network::default(), Source::Default)
            .or(config.value(|values| &values.network))
            .or(variable_of("LEGWORK_NETWORK", network)?);
        let network = match (flag(&flags.network, "--network"), recorded.network()) {
            (Some(flag), _) => flag,
            (None, Some(before)) => narrower(before, now, &mut looser),
            (None, None) => now,
        };
        if let (Sandbox::Off, Network::Hosts(_)) = (sandbox.value, &network.value) {
            return Err(Error::usage(
                format!(
                    "without a sandbox the network cannot be held to a list of hosts, which {} names",
                    network.source
                ),
                "give --network all, or choose a sandbox",
            ));
        }
        let allow_paths = allow_paths(flags, config, recorded, &mut looser)?;
        Ok(Self { sandbox, network, allow_paths, looser })
    }
}

/// The strength of a sandbox; `auto` uses Landlock only where bubblewrap fails.
fn strictness(sandbox: Sandbox) -> u8 {
    match sandbox {
        Sandbox::Off => 0,
        Sandbox::Landlock => 1,
        Sandbox::Auto => 2,
        Sandbox::Bubblewrap => 3,
    }
}

/// The flag of a sandbox that is weaker than the default; none for others.
pub(super) fn looser_flag(sandbox: Sandbox) -> Option<&'static str> {
    match sandbox {
        Sandbox::Off => Some("--sandbox off"),
        Sandbox::Landlock => Some("--sandbox landlock"),
        Sandbox::Auto | Sandbox::Bubblewrap => None,
    }
}

/// The network of a session, restricted to what the present settings allow.
fn narrower(before: Network, now: Sourced<Network>, looser: &mut Vec<String>) -> Sourced<Network> {
    if now.value.covers(&before) {
        return Sourced::new(before, Source::Session);
    }
    looser.push(network_flag(&before));
    match (before, &now.value) {
        (Network::Hosts(before), Network::Hosts(hosts)) => {
            // Of each the narrower: a pattern of one may hold a name of the other.
            let within = |these: &[Host], others: &[Host]| -> Vec<Host> {
                let these = these.iter();
                these
                    .filter(|host| others.iter().any(|other| other.covers(host)))
                    .cloned()
                    .collect()
            };
            let mut both = within(&before, hosts);
            both.extend(within(hosts, &before));
            match both.is_empty() {
                true => Sourced::new(Network::Off, Source::Session),
                false => Sourced::new(Network::Hosts(both), Source::Session),
            }
        }
        _ => now,
    }
}

/// The flag that gives a network.
pub(super) fn network_flag(network: &Network) -> String {
    format!("--network {}", quoted(&network.to_string()))
}

/// The directory to work in: the flag's, else the current one.
///
/// # Errors
/// When the session worked in another one: a journal does not choose the directory, and the
/// session's work is not done elsewhere either.
pub(super) fn dir(flags: &args::Agent, recorded: &Recorded) -> Result<Sourced<PathBuf>, Error> {
    let here = PathBuf::from(".");
    match (flag(&flags.dir, "--dir"), &recorded.dir) {
        (Some(dir), _) => Ok(dir),
        (None, Some(dir)) if !is_same(Path::new(dir), &here) => Err(Error::usage(
            format!("the session worked in {dir}, which is not the current directory"),
            format!("go there first, or name the directory to work in: --dir {}", quoted(dir)),
        )),
        _ => Ok(Sourced::new(here, Source::Default)),
    }
}

/// Whether two paths lead to the same directory.
fn is_same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// The paths of the user's file, restricted to those that the session had, if any; flags add
/// to them.
fn allow_paths(
    flags: &args::Agent,
    config: &Config,
    recorded: &Recorded,
    looser: &mut Vec<String>,
) -> Result<Vec<Sourced<AllowPath>>, Error> {
    let here = match flags.allow_path.is_empty() {
        true => PathBuf::new(),
        false => std::env::current_dir()
            .map_err(|source| Error::System { doing: "finding the current directory", source })?,
    };
    let mut given = Vec::new();
    for text in &flags.allow_path {
        let path = AllowPath::parse(text, &here).map_err(|why| no_path(text, &why))?;
        given.push(Sourced::new(path, Source::Flag("--allow-path")));
    }
    let own = config.allow_paths();
    let mut paths = match recorded.allow_paths.as_slice() {
        [] => own,
        before => narrowed(before, &own, &given, looser),
    };
    for added in given {
        // The last mention of a path counts.
        paths.retain(|path| path.value.path != added.value.path);
        paths.push(added);
    }
    Ok(paths)
}

/// Those of the session that the user's file has too, each with the narrower access of both.
fn narrowed(
    before: &[String],
    own: &[Sourced<AllowPath>],
    given: &[Sourced<AllowPath>],
    looser: &mut Vec<String>,
) -> Vec<Sourced<AllowPath>> {
    let mut paths = Vec::new();
    for text in before {
        let before = AllowPath::parse(text, Path::new("/")).ok();
        let is = |other: &&Sourced<AllowPath>| {
            before.as_ref().is_some_and(|before| before.path == other.value.path)
        };
        if given.iter().any(|given| is(&given)) {
            continue;
        }
        match (before.clone(), own.iter().find(is)) {
            (Some(before), Some(own)) if own.value.is_written() || !before.is_written() => {
                paths.push(Sourced::new(before, Source::Session));
            }
            (_, own) => {
                looser.push(format!("--allow-path {}", quoted(text)));
                paths.extend(own.cloned());
            }
        }
    }
    paths
}

fn no_path(text: &str, why: &str) -> Error {
    let hint = "give it as --allow-path PATH, or as PATH:ro to allow reading only";
    Error::usage(format!("{text:?} cannot be allowed: {why}"), hint)
}
