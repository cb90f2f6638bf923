//! What a shell gets when it completes words: verbs, flags, values and ids of sessions.
//!
//! `legwork completions` prints a script that has the shell run this command with the words
//! typed so far; a variable of the environment says that a shell asks.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::PathBuf;

use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::{CompleteEnv, Shells};
use legwork::core::SessionId;
use legwork::model::Catalogue;
use legwork::port::store::{Query, SessionInfo};

use crate::agents::Agents;
use crate::args::{self, AskFor, Cli};
use crate::commands::summary_line;
use crate::config::{Config, names};
use crate::error::Error;
use crate::short_id::Length;
use crate::store_address::StoreAddress;
use crate::toolset;
use crate::trust::state::StateFolder;
use crate::trust::{Flag, Kind, Trust, Wanted};

/// Set by the script, to the name of the shell that asks.
const VARIABLE: &str = "LEGWORK_COMPLETE";
/// Sessions that are offered at most, those changed last.
const OFFERED: usize = 50;

/// Answers a shell that asks for completions; says whether one did.
///
/// # Errors
/// When it is a shell that is not known, or does not read the answer.
pub(crate) fn answered() -> Result<bool, Error> {
    let here = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(Cli::command).var(VARIABLE);
    let answered = asked.try_complete(std::env::args_os(), here.as_deref());
    answered.map_err(|error| Error::usage(error.to_string(), format!("unset {VARIABLE}")))
}

/// The script that has a shell ask.
///
/// # Errors
/// When there is none for this shell.
pub(crate) fn script(shell: Shell) -> Result<String, Error> {
    let shells = Shells::builtins();
    let name = shell.to_string();
    let unknown =
        || Error::usage(format!("no completions for {name}"), "see `legwork help completions`");
    let completer = shells.completer(&name).ok_or_else(unknown)?;
    let mut script = Vec::new();
    let written =
        completer.write_registration(VARIABLE, "legwork", "legwork", "legwork", &mut script);
    written.map_err(|source| Error::System { doing: "writing the script", source })?;
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// Completes the ids of sessions, short ones and whole ones.
pub(crate) fn sessions() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        // A shell shows no errors here; the command that is typed shows them.
        typed.to_str().and_then(|typed| candidates(typed).ok()).unwrap_or_default()
    })
}

/// The models that the user's settings and what is shipped know.
pub(crate) fn model_names(config: &Config) -> Vec<String> {
    let (shipped, own) = (Catalogue::shipped(), config.catalogue());
    let all = shipped.iter().chain(own.iter()).map(|row| row.model.clone());
    // A row may be of all models whose names begin alike.
    let mut names: Vec<_> = all.filter(|name| !name.ends_with('*')).collect();
    names.sort();
    names.dedup();
    names
}

/// Completes the models that are known.
pub(crate) fn models() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let config = Config::of_user(flag("--config").as_deref().map(AsRef::as_ref));
        let names = config.map(|config| model_names(&config)).unwrap_or_default();
        words(typed, names.into_iter())
    })
}

/// Completes the agents of the user, and of the project of the directory if it is trusted.
pub(crate) fn agents() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let Ok(config) = Config::of_user(flag("--config").as_deref().map(AsRef::as_ref)) else {
            return Vec::new();
        };
        let dir = flag("--dir").map_or_else(|| PathBuf::from("."), PathBuf::from);
        let wanted = Wanted { dir: &dir, kinds: &[Kind::Agent], flag: Flag::Not };
        let found = Agents::load(&Trust::of(wanted, &config), &[]).definitions;
        words(typed, found.iter().map(|(name, _)| name.to_owned()))
    })
}

/// Completes when a person is asked, or the file of rules that says it.
pub(crate) fn approve() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let names = names::<AskFor>().into_iter();
        let mut all = words(typed, names);
        all.extend(PathCompleter::file().complete(typed));
        all
    })
}

/// Completes the last of several tools.
pub(crate) fn tools() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let typed_text = typed.to_str().unwrap_or_default();
        let before = typed_text.rfind(',').and_then(|at| typed_text.get(..=at)).unwrap_or_default();
        words(typed, toolset::NAMES.iter().map(|name| format!("{before}{name}")))
    })
}

/// The words that go on with what was typed.
fn words(typed: &OsStr, all: impl Iterator<Item = String>) -> Vec<CompletionCandidate> {
    let typed = typed.as_encoded_bytes();
    let fit = all.filter(|word| word.as_bytes().starts_with(typed));
    fit.take(OFFERED).map(CompletionCandidate::new).collect()
}

/// Completes the projects that something was said of.
pub(crate) fn projects() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let records = StateFolder::own().and_then(|state| state.read()).unwrap_or_default();
        let typed = typed.as_encoded_bytes();
        let paths = records.projects.into_iter().map(|record| record.path.0.into_os_string());
        let meant = paths.filter(|path| path.as_encoded_bytes().starts_with(typed));
        meant.take(OFFERED).map(CompletionCandidate::new).collect()
    })
}

fn candidates(typed: &str) -> Result<Vec<CompletionCandidate>, Error> {
    let store = args::Store { store: flag("--store") };
    let config = Config::of_user(flag("--config").as_deref().map(AsRef::as_ref))?;
    let Some(store) = StoreAddress::of(&store, &config)?.open_to_read()? else {
        return Ok(Vec::new());
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| Error::System { doing: "starting", source })?;
    runtime.block_on(async {
        let all = store.sessions(&Query::all()).await?.sessions;
        let mut candidates = Vec::new();
        for (id, info) in offered(typed, &all) {
            let help = summary_line(&store, info).await;
            candidates.push(CompletionCandidate::new(id).help(Some(help.into())));
        }
        Ok(candidates)
    })
}

/// The ids that go on with what was typed; those of subagents are left out.
fn offered<'a>(typed: &str, all: &'a [SessionInfo]) -> Vec<(String, &'a SessionInfo)> {
    let length = Length::apart(all.iter().map(|info| &info.session));
    let known: HashSet<_> = all.iter().map(|info| info.session.as_str()).collect();
    let is_below = |id: &SessionId| {
        let dots = id.as_str().match_indices('.');
        dots.filter_map(|(at, _)| id.as_str().get(..at)).any(|above| known.contains(above))
    };
    let named = |info: &'a SessionInfo| {
        let (short, whole) = (length.of(&info.session), info.session.to_string());
        let id = [short, whole].into_iter().find(|id| id.starts_with(typed))?;
        // With hidden characters, the completion would differ from what is shown.
        let fit = info.session.unfit().is_none();
        (fit && !is_below(&info.session)).then_some((id, info))
    };
    all.iter().filter_map(named).take(OFFERED).collect()
}

/// The value of a flag among the words typed so far.
fn flag(name: &str) -> Option<String> {
    let words: Vec<String> =
        std::env::args_os().filter_map(|word| word.into_string().ok()).collect();
    let behind = words.windows(2).filter_map(|pair| match pair {
        [flag, value] if flag == name => Some(value.clone()),
        _ => None,
    });
    let within = words
        .iter()
        .filter_map(|word| Some(word.strip_prefix(name)?.strip_prefix('=')?.to_owned()));
    behind.chain(within).last()
}

#[cfg(test)]
mod tests;
