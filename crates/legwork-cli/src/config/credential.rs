//! Where a key is, and fetching it once it is needed.

use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::fetched::Fetched;
use super::locate::shown;
use super::program;
use super::secret::{Problem, Secret};
use super::source::{Source, Sourced};
use super::{Config, file};
use crate::error::Error;
use crate::settings::is_local;

/// A file that is larger holds no key.
const MOST_BYTES: u64 = 64 << 10;

/// Where a key is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// In a variable of the environment.
    Variable(String),
    /// In the first line of a file.
    File(PathBuf),
    /// A program prints it.
    Command { program: Program, folder: PathBuf },
}

/// A program that prints a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Program {
    /// A line for a shell.
    Shell(String),
    /// The program and its arguments, with no shell between.
    Words(Vec<String>),
}

/// Where the key of a provider is; the key itself is fetched when it is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Credential {
    pub(crate) provider: String,
    pub(crate) from: Sourced<KeySource>,
}

impl Credential {
    /// Where the key of a provider is: its own variable, else the user's file.
    ///
    /// A provider that nothing else is known of gets what stands in `OPENAI_API_KEY`, as
    /// it is asked at `OPENAI_BASE_URL`; one of the user's own, or of this machine, never
    /// gets the key of another.
    pub(crate) fn find(provider: &str, config: &Config) -> Option<Self> {
        const OPENAI: &str = "OPENAI_API_KEY";
        let set = |name: &&'static str| std::env::var_os(name).is_some_and(|key| !key.is_empty());
        let variable = |name: &'static str| {
            Sourced::new(KeySource::Variable(name.to_owned()), Source::Environment(name))
        };
        let of_file = config.key(provider);
        if let Some(engine) = legwork::web::search::engine(provider) {
            let own = Some(engine.variable).filter(set).map(variable);
            return Some(Self { provider: provider.to_owned(), from: own.or(of_file)? });
        }
        let from = match legwork::model::key_variables(provider) {
            [] if is_local(provider) || config.has_provider(provider) => of_file,
            own @ [_, ..] => own.iter().copied().find(set).map(variable).or(of_file),
            [] => of_file.or_else(|| Some(OPENAI).filter(set).map(variable)),
        };
        Some(Self { provider: provider.to_owned(), from: from? })
    }

    /// The file that holds it, if one does.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match &self.from.value {
            KeySource::File(path) => Some(path.clone()),
            KeySource::Variable(_) | KeySource::Command { .. } => None,
        }
    }

    /// Fetches the key: reads the file, or runs the program, which is not looked up where
    /// commands of the agent may write.
    ///
    /// # Errors
    /// When there is no key to be had; the error does not show what was read.
    pub(crate) async fn fetch(&self, writable: &[PathBuf]) -> Result<Fetched, Error> {
        let key = match &self.from.value {
            KeySource::Variable(name) => self.of_variable(name)?,
            KeySource::File(path) => self.of_file(path)?,
            KeySource::Command { program, folder } => {
                self.of_program(program, folder, writable).await?
            }
        };
        Ok(Fetched { key, from: self.clone(), writable: writable.to_vec() })
    }

    fn of_variable(&self, name: &str) -> Result<Secret, Error> {
        let fail = |why: &str| {
            let message = format!("the key of `{}` in {name} cannot be used: {why}", self.provider);
            Error::usage(message, format!("set {name} to the key{}", self.named_in()))
        };
        let value = std::env::var_os(name).ok_or_else(|| fail("the variable is not set"))?;
        let value = value.into_string().map_err(|_| fail("it is no text"))?;
        Secret::of(&value).map_err(|problem| fail(&problem.to_string()))
    }

    fn of_file(&self, path: &Path) -> Result<Secret, Error> {
        let fail = |why: &str, hint: String| {
            let (provider, path) = (&self.provider, shown(path));
            let message = format!("the key of `{provider}` in {path} cannot be used: {why}");
            Error::usage(message, format!("{hint}{}", self.named_in()))
        };
        let name_another = || "name a file whose first line is the key".to_owned();
        let unreadable = |error: std::io::Error| fail(&error.to_string(), name_another());
        let file = file::open(path).map_err(unreadable)?;
        // Of the opened file, so that no other can be put in its place in between.
        let facts = file.metadata().map_err(unreadable)?;
        if !facts.is_file() {
            return Err(fail("it is not a regular file", name_another()));
        }
        let quoted = crate::shell::quoted(&path.to_string_lossy());
        if facts.uid() != rustix::process::geteuid().as_raw() {
            let hint = format!("make it yours, or copy it and chmod 600 the copy: {quoted}");
            return Err(fail("the file belongs to another user", hint));
        }
        if facts.mode() & 0o177 != 0 {
            let why = format!("its mode is {:04o}, not 0600", facts.mode() & 0o7777);
            return Err(fail(&why, format!("chmod 600 {quoted}")));
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let key = std::str::from_utf8(line).map_err(|_| Problem::Characters);
        let key = key.and_then(Secret::of);
        bytes.fill(0);
        key.map_err(|problem| fail(&format!("in its first line, {problem}"), name_another()))
    }

    async fn of_program(
        &self,
        program: &Program,
        folder: &Path,
        writable: &[PathBuf],
    ) -> Result<Secret, Error> {
        let fail = |why: &str| {
            let provider = &self.provider;
            let message =
                format!("the command that prints the key of `{provider}` cannot be used: {why}");
            let hint = "run it yourself: it has to print the key alone, as one line";
            Error::usage(message, format!("{hint}{}", self.named_in()))
        };
        let mut bytes = program::output(program, folder, writable, program::LIMIT)
            .await
            .map_err(|why| fail(&why))?;
        let key = std::str::from_utf8(&bytes).map_err(|_| Problem::Characters);
        let key = key.and_then(Secret::of);
        bytes.fill(0);
        key.map_err(|problem| fail(&format!("of what it prints, {problem}")))
    }

    /// Where it was said, for hints.
    fn named_in(&self) -> String {
        match self.from.source.line() {
            Some(line) => format!(" (named in {line})"),
            None => String::new(),
        }
    }
}

impl KeySource {
    /// What it is called, for people and programs.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Variable(_) => "environment",
            Self::File(_) => "file",
            Self::Command { .. } => "command",
        }
    }
}
