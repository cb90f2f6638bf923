//! The agent of the command: its model, tools, instructions and limits.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork::Agent;
use legwork::agent::Builder;
use legwork::core::event::{Defined, Definition};
use legwork::core::settings::SessionSettings;
use legwork::core::{AgentState, Budget, Event, ExecutionStatus, Mask};
use legwork::model::HttpModel;
use legwork::port::{Approver, Cancellation, Model, Store};
use legwork::skills::HEADING;
use legwork::tools::Workspace;
use legwork::tools::workspace::Access;

use crate::agents::assemble::assemble;
use crate::approval::Person;
use crate::ceiling;
use crate::config::locate::shown;
use crate::context::{self, Context};
use crate::display::Screen;
use crate::error::Error;
use crate::leftover::Leftover;
use crate::model::{exposure, made};
use crate::notify::Notify;
use crate::output_schema::{self, Wants};
use crate::recorded::{ProjectContext, Recorded};
use crate::sandbox::{self, Place};
use crate::settings::Settings;
use crate::telemetry::Collector;
use crate::toolset;
use crate::trust;
use crate::web::Web;

/// The agent before it has a store, and what its sessions shall remember.
pub(crate) struct Worker {
    agent: Builder,
    recorded: Recorded,
    /// The part of the instructions that the project's files make.
    section: String,
    model: String,
    budget: Budget,
    leftover: Leftover,
    /// The folders of the project, and where the run can write.
    folders: Vec<PathBuf>,
    places: Vec<PathBuf>,
    notify: Option<Notify>,
}

/// An agent whose sessions have a store.
pub(crate) struct Ready {
    pub(crate) agent: Agent,
    /// What its sessions shall remember.
    pub(crate) recorded: Recorded,
    model: String,
    budget: Budget,
    /// What its commands leave running.
    pub(crate) leftover: Leftover,
    /// The mark of the run in progress; none where it cannot be recorded.
    run: Option<trust::Run>,
    /// The folders of the project, and where a run can write.
    folders: Vec<PathBuf>,
    places: Vec<PathBuf>,
    notify: Option<Notify>,
}

impl Ready {
    /// Tells the user's program how a run came to rest.
    pub(crate) fn notify(&self, state: &AgentState, screen: &Screen) {
        let status = state.status().map_or("interrupted", |status| match status {
            ExecutionStatus::InProgress => "interrupted",
            status => status.as_str(),
        });
        let told = self.notify.as_ref().map(|notify| notify.tell(state, status));
        if let Some(Err(why)) = told {
            screen.warn(&why);
        }
    }

    /// Marks another run, after one that ended.
    pub(crate) fn begins(&mut self, screen: &Screen) {
        self.run = begun(&self.folders, &self.places, screen);
    }

    /// Ends the run, once nothing of it can write any more.
    pub(crate) fn ended(&self, screen: &Screen) {
        match self.run.as_ref().map(trust::Run::end) {
            Some(Ok(changed)) if !changed.is_empty() => screen.note(&format!(
                "this run changed files that instruct an agent: {}; the next run uses them once \
                 you confirm them (`legwork trust add`, or at a terminal)",
                changed.iter().map(|path| shown(path)).collect::<Vec<_>>().join(", ")
            )),
            Some(Err(error)) => screen.warn(&error.to_string()),
            _ => {}
        }
    }

    /// The state with the present model and limits instead of those in its journal.
    pub(crate) fn adjusted(&self, state: AgentState) -> AgentState {
        let state = match other_model(&state, &self.model) {
            Some(settings) => state.with(Event::SettingsSet(settings.into())),
            None => state,
        };
        let definition = &state.facts().definition;
        if definition.budget == self.budget {
            return state;
        }
        let definition = Definition { budget: self.budget.clone(), ..(**definition).clone() };
        state.with(Event::Defined(Defined { definition: definition.into(), digest: None }))
    }
}

impl Worker {
    /// The same as `new`; none if somebody interrupts it, for a key may be long in coming.
    pub(crate) async fn unless(
        interrupted: &Cancellation,
        settings: &Settings,
        screen: &Arc<Screen>,
    ) -> Result<Option<Self>, Error> {
        tokio::select! {
            biased;
            () = interrupted.cancelled() => Ok(None),
            worker = Self::new(settings, screen) => worker.map(Some),
        }
    }

    /// Checks all that was said; nothing is made or opened to write yet.
    pub(crate) async fn new(settings: &Settings, screen: &Arc<Screen>) -> Result<Self, Error> {
        let workspace = toolset::workspace(settings, |warning| screen.warn_later(warning))?;
        let url = settings.base_url.as_ref().map(|url| url.value.as_str());
        let key = match &settings.key {
            Some(key) => Some(key.fetch(&settings.writable()).await?),
            None => None,
        };
        let model = made(&settings.model.value, url, key.as_ref(), settings.model_options())?;
        check_price(settings, &model)?;
        warn(settings, &model, screen);
        let dir = workspace.root().to_str().map(str::to_owned);
        let recorded = Recorded { dir, ..settings.record() };
        let section = section(settings, screen);
        let leftover = Leftover::default();
        let web = Web::ready(settings).await?;
        if let Some(warning) = &web.warning {
            screen.warn_later(warning);
        }
        let key_of_web = web.key.as_ref().map(|key| key.expose().to_owned());
        let place = Place::new(workspace.clone(), settings, screen, &leftover);
        let tools = toolset::tools(&place, settings, screen, &leftover, web)?;
        let (servers, secrets) =
            place.servers(settings, |warning| screen.warn_later(warning)).await;
        let model: Arc<dyn Model> = Arc::new(model);
        // What was set for the session is no part of the agent's definition.
        let (model, set) = match &settings.own_model {
            Some(own) => (own.made(|warning| screen.warn_later(warning)).await, Some(model)),
            None => (model, None),
        };
        let agent = match &settings.agent {
            None => {
                let agent = Agent::builder(model)
                    .id("legwork")
                    .instructions(instructions(&workspace) + &section)
                    .budget(settings.own_budget());
                tools.into_iter().fold(agent, Builder::tool)
            }
            Some(chosen) => {
                let tell = |own: &str| instructions_of(own, &workspace) + &section;
                let warn = |warning: String| screen.warn_later(warning);
                assemble(chosen, settings, model, tools, tell, warn).await?
            }
        };
        let agent = servers.into_iter().fold(agent, Builder::toolset);
        let agent = set.into_iter().fold(agent, Builder::further_model);
        let mask = Mask::of(key_of_web.into_iter().chain(secrets));
        let walls = sandbox::words(settings);
        let person = Person::new(screen, workspace.clone(), settings.asking.when.value, walls)
            .notified(settings.notify.clone());
        let agent = agent.settings(settings.asked.clone()).approver(person).mask(&mask);
        let telemetry = settings.telemetry.as_ref().map(Collector::start).transpose()?;
        let agent = telemetry
            .into_iter()
            .fold(agent, |agent, telemetry| agent.observer(telemetry.clone()).lifecycle(telemetry));
        let agent = match ceiling::of(settings) {
            Some(ceiling) => agent.hook(ceiling::hold(ceiling)),
            None => agent,
        };
        let folders = settings.trust.project.iter().flat_map(|project| project.folders.clone());
        let (folders, places) = (folders.collect(), trust::places(&settings.writable()));
        let (model, budget) = (settings.model.value.clone(), settings.budget());
        let notify = settings.notify.clone();
        Ok(Self { agent, recorded, section, model, budget, leftover, folders, places, notify })
    }

    /// Notes that the session was begun with another project context, if it was: from here on
    /// the model gets the present one.
    pub(crate) fn compare(&self, before: &AgentState, screen: &Screen) {
        if before.facts().settings.instructions.is_some() {
            // A person set them, whatever the project's files say.
            return;
        }
        let recorded = &*before.facts().definition.instructions;
        // The list of skills follows it.
        let recorded =
            recorded.rsplit_once(&format!("\n\n{HEADING}")).map_or(recorded, |(before, _)| before);
        if context::differs(recorded, &self.section) {
            screen.note_later(
                "the project context (AGENTS.md) has changed; the model gets the new one",
            );
        }
    }

    /// The same, each execution ending with the output, if one is given.
    pub(crate) fn wants(self, output: Option<Wants>) -> Self {
        match output {
            Some(output) => Self { agent: output_schema::wanted(self.agent, output), ..self },
            None => self,
        }
    }

    /// The same with another approver.
    pub(crate) fn asking(self, approver: impl Approver + 'static) -> Self {
        Self { agent: self.agent.approver(approver), ..self }
    }

    /// The agent whose sessions live in a store.
    pub(crate) fn agent(self, store: Arc<dyn Store>, screen: &Screen) -> Result<Ready, Error> {
        let agent = self.agent.store_in(store).build()?;
        let Self { recorded, model, budget, leftover, folders, places, notify, .. } = self;
        let run = begun(&folders, &places, screen);
        Ok(Ready { agent, recorded, model, budget, leftover, run, folders, places, notify })
    }
}

/// Settings that put the model which a session goes on with in the place of the one that was set
/// for it, if that is another one.
pub(crate) fn other_model(state: &AgentState, model: &str) -> Option<SessionSettings> {
    let set = state.facts().settings.model.as_deref();
    set.filter(|set| *set != model).map(|_| SessionSettings::new().model(model))
}

/// The mark of a run that begins; none, with a warning, where it cannot be recorded.
fn begun(folders: &[PathBuf], places: &[PathBuf], screen: &Screen) -> Option<trust::Run> {
    let run = trust::Run::begin(folders, places.to_owned());
    if let Err(error) = &run {
        screen.warn_later(format!(
            "changes of this run to files that instruct an agent cannot be recorded: {error}"
        ));
    }
    run.ok()
}

/// Warns about keys, journals and settings that may be read or changed by others.
fn warn(settings: &Settings, model: &HttpModel, screen: &Screen) {
    if let Some(warning) = exposure(model) {
        screen.warn_later(warning);
    }
    if !settings.looser.is_empty() {
        let flags = settings.looser.join(" ");
        screen.warn_later(format!(
            "the session had {flags}, which is not taken from a journal: it goes on without; give \
             it again to allow it"
        ));
    }
    if settings.exposed {
        screen.warn_later(
            "the agent may write to your own legwork.toml, and so name programs that run with all \
             your rights: keep it out of where the agent works",
        );
    }
}

/// The project's context for the model; warns about what is left out of it.
fn section(settings: &Settings, screen: &Screen) -> String {
    let context = match settings.context {
        ProjectContext::Told => Context::of(&settings.trust, context::home().as_deref()),
        ProjectContext::LeftOut => Context::default(),
    };
    let section = context.section();
    let warnings = settings.warnings().into_iter().chain(context.warnings);
    warnings.for_each(|warning| screen.warn_later(warning));
    section
}

/// A limit on money needs to know what things cost.
fn check_price(settings: &Settings, model: &impl Model) -> Result<(), Error> {
    let limit = &settings.limits.usd;
    if limit.value.is_none() || model.profile().prices.is_some() {
        return Ok(());
    }
    let message = format!(
        "the cost is limited ({}), but the price of `{}` is not known",
        limit.source,
        model.name()
    );
    let hint = "say what it costs, with [models] in your own legwork.toml, or limit tokens instead, \
                with --max-tokens or `tokens` in [budget]";
    Err(Error::usage(message, hint))
}

/// The same for an agent with instructions of its own.
fn instructions_of(own: &str, workspace: &Workspace) -> String {
    match own.trim().is_empty() {
        true => instructions(workspace),
        false => format!("{own}\n\n{}", place(workspace)),
    }
}

/// Where it works.
fn place(workspace: &Workspace) -> String {
    format!(
        "Workspace: {} (paths are relative to it)\n{}Platform: {} {}",
        workspace.root().display(),
        beside(workspace),
        std::env::consts::OS,
        std::env::consts::ARCH,
    )
}

/// The same for the same directory, so that a resumed session has the same definition.
pub(crate) fn instructions(workspace: &Workspace) -> String {
    format!(
        "You are Legwork, an agent that works on a task in a directory, on its own, until the \
         task is done. Where something is unclear, choose what is sensible and say so at the end.\n\
         \n\
         {}\n\
         \n\
         Find out by reading and running, do not guess. Check what you did before you call it \
         done. When a command was interrupted, look whether it had happened before you repeat \
         it. End with a short answer that says what you found or did, and what is left.",
        place(workspace),
    )
}

/// The paths that may be used beside the workspace, a line each.
fn beside(workspace: &Workspace) -> String {
    let line = |(path, access): (&Path, Access)| {
        let how = match access {
            Access::ReadOnly => "to be read only",
            Access::ReadWrite => "to be read and changed",
        };
        format!("Also: {} ({how}; give its files by absolute paths)\n", path.display())
    };
    workspace.allowed().map(line).collect()
}
