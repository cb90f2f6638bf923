//! The files that were read, and what they say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use legwork::model::catalogue::{Catalogue, Origin, Row};
use legwork::port::Support;

use super::allow::AllowPath;
use super::bounds::Answers;
use super::credential::KeySource;
use super::document::{Document, Whose};
use super::folders::Folders;
use super::layers::{text_variable, variable_of};
use super::locate::{self, UserFile};
use super::mcp::McpServer;
use super::permissions::Rule;
use super::source::{Line, Source, Sourced};
use super::values::{At, KnownModel, Values};
use super::web::{Search, WebHosts};
use super::{file, one_of, parse};
use crate::args::{AskFor, Color, Content};
use crate::error::Error;
use crate::trust::Trust;

/// A file that was read.
#[derive(Debug, Clone)]
pub(crate) struct File {
    whose: Whose,
    path: PathBuf,
    pub(crate) values: Values,
}

/// The files that were read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Config {
    pub(crate) user: Option<File>,
    pub(crate) project: Option<File>,
    /// The file of permissions that a flag names.
    permissions: Option<File>,
    /// What another command needs to find the same user's file: empty, or a flag.
    pub(crate) flag: String,
}

impl Config {
    /// Reads the user's file: the one that a flag or the environment names, or the usual one.
    ///
    /// # Errors
    /// When it is there and cannot be used, or was named and is not there.
    pub(crate) fn of_user(flag: Option<&Path>) -> Result<Self, Error> {
        let Some(place) = UserFile::find(flag) else { return Ok(Self::default()) };
        let user = File::read(place.path(), Whose::User)?;
        match (&place, &user) {
            (UserFile::Named(path), None) => {
                let message = format!("there is no file of settings {}", locate::shown(path));
                let hint = "set --config or LEGWORK_CONFIG right; `legwork config init` makes one";
                Err(Error::usage(message, hint))
            }
            _ => Ok(Self { user, flag: flag.map(again).unwrap_or_default(), ..Self::default() }),
        }
    }

    /// Reads two texts, the user's and the project's, as files in the folder `/fuzzed`.
    ///
    /// # Errors
    /// The first thing that is wrong with one of them.
    pub(crate) fn of_texts(user: &str, project: &str) -> Result<Self, Error> {
        let of = |text: &str, name: &str, whose: Whose| {
            File::of(&Path::new("/fuzzed").join(name), text, whose)
        };
        let user = Some(of(user, "config.toml", Whose::User)?);
        let project = Some(of(project, "legwork.toml", Whose::Project)?);
        Ok(Self { user, project, ..Self::default() })
    }

    /// Checks the text of the user's own file.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub(crate) fn check(path: &Path, text: &str) -> Result<(), Error> {
        File::of(path, text, Whose::User).map(drop)
    }

    /// Adds the file of a project, if it is used.
    ///
    /// # Errors
    /// When there is one and it cannot be used, or says what it may not.
    pub(crate) fn with_project(&self, trust: &Trust) -> Result<Self, Error> {
        let project = match trust.settings() {
            Some(piece) => {
                let text = file::text_of(&piece.path, &piece.content)?;
                text.map(|text| File::of(&piece.path, &text, Whose::Project)).transpose()?
            }
            None => None,
        };
        Ok(Self { project, ..self.clone() })
    }

    /// The path of the user's file, if there is one.
    pub(crate) fn user_path(&self) -> Option<&Path> {
        self.user.as_ref().map(|user| &*user.path)
    }

    /// The place in the user's file that trusts the project of a folder, if one does.
    pub(crate) fn trusts(&self, root: &Path) -> Option<Source> {
        let mut all = self.trusted();
        all.find(|folders| folders.value.has(root)).map(|folders| folders.source)
    }

    /// The folders whose projects the user's file trusts.
    pub(crate) fn trusted(&self) -> impl Iterator<Item = Sourced<Folders>> {
        self.user.iter().flat_map(|user| {
            let folders = user.values.trust.iter();
            folders.map(|at| Sourced::new(at.value.clone(), user.source(at.line)))
        })
    }

    /// What the files say of a key: the user's, and the project's.
    pub(super) fn values<T: Clone>(
        &self,
        get: impl Fn(&Values) -> &Option<At<T>>,
    ) -> [Option<Sourced<T>>; 2] {
        let of = |file: &Option<File>| {
            let file = file.as_ref()?;
            let at = get(&file.values).as_ref()?;
            Some(Sourced::new(at.value.clone(), file.source(at.line)))
        };
        [of(&self.user), of(&self.project)]
    }

    /// The value of the topmost file that has one.
    pub(crate) fn value<T: Clone>(
        &self,
        get: impl Fn(&Values) -> &Option<At<T>>,
    ) -> Option<Sourced<T>> {
        let [user, project] = self.values(get);
        project.or(user)
    }

    /// The model that the user's file names.
    pub(crate) fn own_model(&self) -> Option<String> {
        self.user.as_ref()?.values.model.as_ref().map(|at| at.value.clone())
    }

    /// The model that the project's file names.
    pub(crate) fn project_model(&self) -> Option<Sourced<String>> {
        let [_, project] = self.values(|values| &values.model);
        project
    }

    /// Leaves out the model that the project's file names.
    pub(crate) fn leave_model(&mut self) {
        if let Some(project) = &mut self.project {
            project.values.model = None;
        }
    }

    /// The same with the file of permissions that a flag names.
    ///
    /// # Errors
    /// When it is not there, or says something else.
    pub(crate) fn with_permissions(&self, path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path else { return Ok(self.clone()) };
        let path = &std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let Some(file) = File::read(path, Whose::Flag)? else {
            let message = format!("there is no file of permissions {}", locate::shown(path));
            let words = super::names::<AskFor>().join(", ");
            let hint = format!("--approve takes one of {words}, or such a file");
            return Err(Error::usage(message, hint));
        };
        Ok(Self { permissions: Some(file), ..self.clone() })
    }

    /// When a person is asked before a call runs, but for what the flag itself says: as the
    /// user's file says, or the project's if that is more often, or the environment.
    ///
    /// # Errors
    /// When a variable of the environment has a value that is none.
    pub(crate) fn approve(&self) -> Result<Sourced<AskFor>, Error> {
        let [user, project] = self.values(|values| &values.approve);
        let own = Sourced::new(AskFor::default(), Source::Default).or(user);
        let project = project.filter(|project| project.value > own.value);
        Ok(own.or(project).or(variable_of("LEGWORK_APPROVE", one_of)?))
    }

    /// When a person is asked, as the file of permissions says that a flag names.
    pub(crate) fn approve_of_flag(&self) -> Option<Sourced<AskFor>> {
        let file = self.permissions.as_ref()?;
        let at = file.values.approve.as_ref()?;
        Some(Sourced::new(at.value, file.source(at.line)))
    }

    /// The rules of all files.
    pub(crate) fn rules(&self) -> Vec<Sourced<Rule>> {
        let files = [&self.user, &self.project, &self.permissions].into_iter().flatten();
        let rules = files.flat_map(|file| {
            let rules = file.values.permissions.iter();
            rules.map(|at| Sourced::new(at.value.clone(), file.source(at.line)))
        });
        rules.collect()
    }

    /// The paths that the user's file opens.
    pub(crate) fn allow_paths(&self) -> Vec<Sourced<AllowPath>> {
        let Some(user) = &self.user else { return Vec::new() };
        let paths = user.values.allow_paths.iter();
        paths.map(|at| Sourced::new(at.value.clone(), user.source(at.line))).collect()
    }

    /// Where the user's file says that a provider's key is.
    pub(crate) fn key(&self, provider: &str) -> Option<Sourced<KeySource>> {
        let user = self.user.as_ref()?;
        let at = user.values.keys.get(provider)?;
        Some(Sourced::new(at.value.clone(), user.source(at.line)))
    }

    /// Whether the user's file has a table of the provider.
    pub(crate) fn has_provider(&self, provider: &str) -> bool {
        self.user.as_ref().is_some_and(|user| user.values.providers.contains_key(provider))
    }

    /// The providers that the user's file has tables of.
    pub(crate) fn providers(&self) -> impl Iterator<Item = &str> {
        let providers = self.user.iter().flat_map(|user| user.values.providers.keys());
        providers.map(String::as_str)
    }

    /// Where the user's file says that a provider is served.
    pub(crate) fn provider_url(&self, provider: &str) -> Option<Sourced<String>> {
        let user = self.user.as_ref()?;
        let at = user.values.providers.get(provider)?.as_ref()?;
        Some(Sourced::new(at.value.clone(), user.source(at.line)))
    }

    /// The bounds of an answer of a model, by the user's file.
    pub(crate) fn bounds(&self) -> Option<Sourced<Answers>> {
        self.value(|values| &values.bounds)
    }

    /// The hosts whose pages are read, by the user's file.
    pub(crate) fn web(&self) -> Option<Sourced<WebHosts>> {
        self.value(|values| &values.web)
    }

    /// The search engine, by the user's file.
    pub(crate) fn search(&self) -> Option<Sourced<Search>> {
        self.value(|values| &values.search)
    }

    /// The servers of the Model Context Protocol that the user's file names.
    pub(crate) fn own_mcp(&self) -> BTreeMap<String, Sourced<McpServer>> {
        self.user.as_ref().map(File::mcp).unwrap_or_default()
    }

    /// Those that the project's file names.
    pub(crate) fn project_mcp(&self) -> BTreeMap<String, Sourced<McpServer>> {
        self.project.as_ref().map(File::mcp).unwrap_or_default()
    }

    /// What is known of models, as the user's file says: the name, that, and where it stands.
    pub(crate) fn models(&self) -> impl Iterator<Item = (&str, Sourced<&KnownModel>)> {
        self.user.iter().flat_map(|user| {
            let models = user.values.models.iter();
            models.map(|(name, at)| (&**name, Sourced::new(&at.value, user.source(at.line))))
        })
    }

    /// The same as a catalogue.
    pub(crate) fn catalogue(&self) -> Catalogue {
        let rows = self.models().filter_map(|(name, known)| {
            // The file was read: its names are whole.
            let row = Row::new(name, Origin::new(known.source.to_string())).ok()?;
            let KnownModel { context_window, max_output, prices, abilities } = known.value;
            let row = context_window.iter().fold(row, |row, most| row.with_context_window(*most));
            let row = max_output.iter().fold(row, |row, most| row.with_max_output(*most));
            let row = prices.iter().fold(row, |row, prices| row.with_prices(prices.clone()));
            let row = abilities.that_are(Support::Yes).fold(row, Row::with);
            Some(abilities.that_are(Support::No).fold(row, Row::without))
        });
        rows.fold(Catalogue::none(), Catalogue::with)
    }

    /// The paths of the user's settings, agents and sessions, whether they exist or not.
    pub(crate) fn own_files(&self) -> impl Iterator<Item = PathBuf> {
        let file = self.user.as_ref().map(|user| user.path.clone());
        let state = crate::store_address::home();
        let permissions = self.permissions.as_ref().map(|file| file.path.clone());
        file.into_iter().chain(permissions).chain(crate::context::home()).chain(state)
    }

    /// Whether the user's file lies in a folder.
    pub(crate) fn is_in(&self, folder: &Path) -> bool {
        let path = self.user.as_ref().and_then(|user| user.path.canonicalize().ok());
        let folder = folder.canonicalize().ok();
        path.zip(folder).is_some_and(|(path, folder)| path.starts_with(folder))
    }

    /// The collector that traces and metrics are sent to.
    ///
    /// # Errors
    /// When the variable of the environment is no text.
    pub(crate) fn telemetry(&self) -> Result<Option<Sourced<String>>, Error> {
        const OF: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
        let is_off = text_variable("OTEL_SDK_DISABLED")?.is_some_and(|off| off == "true");
        if is_off {
            return Ok(None);
        }
        let environment = text_variable(OF)?.filter(|url| !url.is_empty());
        let environment = environment.map(|url| Sourced::new(url, Source::Environment(OF)));
        Ok(environment.or(self.value(|values| &values.telemetry)))
    }

    /// Whether traces say what was said, by the user's file.
    pub(crate) fn telemetry_content(&self) -> Sourced<Content> {
        let file = self.value(|values| &values.telemetry_content);
        Sourced::new(Content::default(), Source::Default).or(file)
    }

    /// When to use colours on a terminal.
    ///
    /// # Errors
    /// When a variable of the environment has a value that is none.
    pub(crate) fn color(&self) -> Result<Sourced<Color>, Error> {
        let none = text_variable("NO_COLOR")?.map(|_| Color::Never);
        let none = none.map(|color| Sourced::new(color, Source::Environment("NO_COLOR")));
        let environment = variable_of("LEGWORK_COLOR", one_of)?;
        Ok(Sourced::new(Color::default(), Source::Default)
            .or(self.value(|values| &values.color))
            .or(environment.or(none)))
    }
}

impl File {
    fn read(path: &Path, whose: Whose) -> Result<Option<Self>, Error> {
        let text = file::text(path, whose)?;
        text.map(|text| Self::of(path, &text, whose)).transpose()
    }

    fn of(path: &Path, text: &str, whose: Whose) -> Result<Self, Error> {
        let document = Document::new(path.to_owned(), text, whose);
        let values = parse::parse(&document)?;
        Ok(Self { whose, path: document.path, values })
    }

    fn mcp(&self) -> BTreeMap<String, Sourced<McpServer>> {
        let servers = self.values.mcp.iter();
        let sourced = |at: &At<McpServer>| Sourced::new(at.value.clone(), self.source(at.line));
        servers.map(|(name, at)| (name.clone(), sourced(at))).collect()
    }

    fn source(&self, number: usize) -> Source {
        let line = Line { path: self.path.clone(), number };
        match self.whose {
            Whose::User => Source::User(line),
            Whose::Project => Source::Project(line),
            Whose::Flag => Source::Permissions(line),
        }
    }
}

/// The flag that names a file again.
fn again(path: &Path) -> String {
    format!(" --config {}", crate::shell::quoted(&path.to_string_lossy()))
}
