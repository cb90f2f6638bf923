//! The capability `bash`: tools that run commands in a workspace.

use std::sync::Arc;

use legwork_agent::Builder;
use legwork_agent::capability::{Capability, Fields, Resolved};
use legwork_port::Tool;
use legwork_tools::{Background, BashOutput, Environment, Sandbox, Workspace};
use serde_json::Value;

use crate::capability::settings;

/// Gives an agent the tools `bash` and `bash_output`, which run commands in a sandbox.
///
/// From settings: `dir`, `sandbox` (`auto`, `bubblewrap`, `landlock` or `off`), `network`
/// (`off`, `all` or a list of hosts), `background` (true or false), and further paths in the
/// lists `read_only` and `read_write`. With `auto`, commands are refused if no sandbox works.
/// Needs the feature `tools`.
///
/// ```
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use legwork::Agent;
/// use legwork::capability::Bash;
/// use legwork::tools::{Environment, Sandbox, Workspace, sandbox::Policy};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let model = ScriptedModel::new([Turn::text("hello")]);
/// let environment = Environment::filtered([("PATH", "/usr/bin:/bin")]);
/// let sandbox = Sandbox::auto(&environment, Policy::default());
/// let bash = Bash::new(Workspace::open(".")?, environment, sandbox);
/// let agent = Agent::builder(model).capability(bash).build()?;
/// # let _ = agent;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Bash {
    workspace: Workspace,
    tool: legwork_tools::Bash,
    background: Option<Background>,
}

impl Bash {
    /// Commands in a workspace, with an environment, in a sandbox.
    pub fn new(workspace: Workspace, environment: Environment, sandbox: Sandbox) -> Self {
        let background = Background::default();
        let tool = legwork_tools::Bash::new(workspace.clone(), environment, sandbox);
        Self { workspace, tool, background: Some(background) }
    }

    /// The same with this list of background commands, through which the program can end them.
    #[must_use]
    pub fn background(self, background: &Background) -> Self {
        Self { background: Some(background.clone()), ..self }
    }

    /// The same without background commands and without `bash_output`.
    #[must_use]
    pub fn without_background(self) -> Self {
        Self { background: None, ..self }
    }

    /// The same with the tool changed, for example its limits.
    #[must_use]
    pub fn tool(self, change: impl FnOnce(legwork_tools::Bash) -> legwork_tools::Bash) -> Self {
        Self { tool: change(self.tool), ..self }
    }

    /// Makes the capability from settings, with the environment of its commands.
    ///
    /// # Errors
    /// An invalid field, with the values it takes, or an unusable directory.
    pub fn from_settings(settings: &Value, environment: &Environment) -> Result<Self, String> {
        let mut fields = Fields::of(settings)?;
        let bash = Self::take(&mut fields, environment)?;
        fields.done()?;
        Ok(bash)
    }

    /// Reads its fields, and those of the workspace and the sandbox.
    pub(super) fn take(fields: &mut Fields, environment: &Environment) -> Result<Self, String> {
        let workspace = settings::workspace(fields)?;
        let sandbox = settings::sandbox(fields, &workspace, environment)?;
        let bash = Self::new(workspace, environment.clone(), sandbox);
        Ok(match fields.flag("background")? {
            Some(false) => bash.without_background(),
            Some(true) | None => bash,
        })
    }

    /// Its workspace.
    pub(super) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Its tools, in the order in which the model is shown them.
    pub(super) fn tools(&self) -> Vec<Arc<dyn Tool>> {
        match &self.background {
            None => vec![Arc::new(self.tool.clone())],
            Some(background) => vec![
                Arc::new(self.tool.clone().with_background(background)),
                Arc::new(BashOutput::new(background)),
            ],
        }
    }
}

/// The description of the capability.
pub(super) const ABOUT: &str = "Runs commands in a workspace, in a sandbox.";

impl Capability for Bash {
    fn name(&self) -> &str {
        "bash"
    }

    fn about(&self) -> &str {
        ABOUT
    }

    fn install(&self, builder: Builder) -> Builder {
        builder.tools(self.tools())
    }

    fn section(&self, agent: &Resolved<'_>) -> Option<String> {
        let (root, allowed) =
            (self.workspace.root().display(), settings::allowed_paths(&self.workspace));
        agent.has_tool("bash").then(|| format!("Commands run in {root}.{allowed}"))
    }
}
