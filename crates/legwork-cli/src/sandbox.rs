//! What confines commands, and says aloud what it does not hold.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use legwork::port::Sandbox;
use legwork::port::sandbox::{self as port, Confined, Note};
use legwork::tools::sandbox::{Auto, Bubblewrap, Error, Landlock, Limits, Policy};
use legwork::tools::workspace::Access;
use legwork::tools::{self, Environment, Workspace};

use crate::args;
use crate::display::Screen;
use crate::leftover::Leftover;
use crate::settings::Settings;

/// Where programs are started, and what they get.
pub(crate) struct Place {
    pub(crate) workspace: Workspace,
    pub(crate) environment: Environment,
    pub(crate) sandbox: tools::Sandbox,
    pub(crate) limits: Limits,
}

impl Place {
    /// In this workspace, as the settings say; what runs on is left over.
    pub(crate) fn new(
        workspace: Workspace,
        settings: &Settings,
        screen: &Arc<Screen>,
        leftover: &Leftover,
    ) -> Self {
        let environment = Environment::filtered(std::env::vars_os());
        let sandbox = chosen(settings, &environment, screen);
        leftover.of(&sandbox);
        let limits = Limits::default().with_written(settings.max_write.value);
        Self { workspace, environment, sandbox, limits }
    }
}

/// The sandbox that was chosen by name, or by what works.
fn chosen(settings: &Settings, environment: &Environment, screen: &Arc<Screen>) -> tools::Sandbox {
    let policy = policy(settings);
    let kind = match settings.sandbox.value {
        args::Sandbox::Auto => Kind::Auto(Box::new(Auto::new(environment, policy))),
        args::Sandbox::Bubblewrap => {
            Kind::Named(Arc::new(Bubblewrap::new(environment).with_policy(policy)))
        }
        args::Sandbox::Landlock => {
            Kind::Named(Arc::new(Landlock::new(environment).with_policy(policy)))
        }
        args::Sandbox::Off => {
            screen.warn_later("commands run without a sandbox (--sandbox off)");
            return tools::Sandbox::Off;
        }
    };
    let (screen, shown) = (Arc::clone(screen), Mutex::default());
    tools::Sandbox::By(Arc::new(Walls { kind, screen, shown, consent: OnceLock::new() }))
}

/// What commands may do under the settings.
pub(crate) fn policy(settings: &Settings) -> Policy {
    let policy = Policy::default().with_network(settings.network.value.clone());
    let policy = settings.own.iter().fold(policy, Policy::with_hidden);
    let allowed = settings.allow_paths.iter().map(|allowed| &allowed.value);
    allowed.fold(policy, |policy, allowed| match allowed.access {
        Access::ReadOnly => policy.with_readable(&allowed.path),
        Access::ReadWrite => policy.with_writable(&allowed.path),
    })
}

/// What commands may do under the settings, in words.
pub(crate) fn words(settings: &Settings) -> String {
    let network = &settings.network.value;
    match settings.sandbox.value {
        args::Sandbox::Off => "without a sandbox: it may do all that you may".to_owned(),
        _ => format!("in a sandbox: it writes here and to allowed paths, network {network}"),
    }
}

/// A sandbox whose refusals and gaps are shown to the user too, not to the model alone;
/// each once.
///
/// It is tried out before the first command, so that no other run pays for it.
struct Walls {
    kind: Kind,
    screen: Arc<Screen>,
    /// Refusals and gaps that were shown.
    shown: Mutex<BTreeSet<String>>,
    /// Whether the person lets commands run unconfined where nothing works; none
    /// if there is nobody to ask.
    consent: OnceLock<Option<bool>>,
}

enum Kind {
    Auto(Box<Auto>),
    Named(Arc<dyn Sandbox>),
}

impl Walls {
    fn sandbox(&self) -> &dyn Sandbox {
        match &self.kind {
            Kind::Auto(auto) => &**auto,
            Kind::Named(named) => &**named,
        }
    }

    /// Whether something was not shown yet; from then on it was.
    fn is_new(&self, text: &str) -> bool {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned())
    }

    fn warn_once(&self, message: &str) {
        if self.is_new(message) {
            self.screen.warn(message);
        }
    }

    fn warn_of_gaps(&self) {
        let gaps = self.sandbox().gaps().into_iter();
        let gaps: Vec<_> = gaps.filter(|gap| self.is_new(gap)).collect();
        if !gaps.is_empty() {
            let (name, gaps) = (self.sandbox().name(), gaps.join("; "));
            self.screen
                .warn(&format!("commands are confined by {name}, which does not hold: {gaps}"));
        }
    }

    /// Whether the person lets commands run unconfined, since neither sandbox works.
    fn consents(&self, workspace: &Path) -> bool {
        let Kind::Auto(auto) = &self.kind else {
            return false;
        };
        let Err(Error::Neither { bubblewrap, landlock }) = auto.choose(workspace).map(drop) else {
            return false;
        };
        let ask = || {
            self.screen.ask(&format!(
                "no sandbox works here (bubblewrap: {bubblewrap}; Landlock: {landlock}): run \
                 commands unconfined, with all that you may do, until this ends? [y/N]"
            ))
        };
        *self.consent.get_or_init(ask) == Some(true)
    }
}

impl Sandbox for Walls {
    fn name(&self) -> &str {
        self.sandbox().name()
    }

    fn confine(&self, workspace: &Path, command: Vec<OsString>) -> Result<Confined, port::Error> {
        match self.sandbox().confine(workspace, command.clone()) {
            Ok(confined) => {
                self.warn_of_gaps();
                Ok(confined)
            }
            Err(_) if self.consents(workspace) => Ok(command.into()),
            Err(why) => {
                self.warn_once(&why.to_string());
                Err(why)
            }
        }
    }

    fn rules(&self) -> String {
        self.sandbox().rules()
    }

    fn notes(&self) -> Vec<Note> {
        let notes = self.sandbox().notes();
        for note in &notes {
            match note {
                Note::Allowed(text) => self.screen.note(text),
                other => self.screen.warn(&other.to_string()),
            }
        }
        notes
    }

    fn gaps(&self) -> Vec<String> {
        match self.consent.get() {
            Some(Some(true)) => vec!["anything: the user lets commands run unconfined".to_owned()],
            _ => self.sandbox().gaps(),
        }
    }
}
