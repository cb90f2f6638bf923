//! The capability to run commands in a workspace.

use std::sync::Arc;

use legwork_agent::Builder;
use legwork_agent::capability::{Capability, Fields, Resolved};
use legwork_port::Tool;
use legwork_tools::{Background, BashOutput, Environment, Sandbox, Workspace};
use serde_json::Value;

use crate::capability::place;

/// Gives an agent the tools `bash` and `bash_output`: commands in a workspace, behind the
/// walls of a sandbox, some of them in the background.
///
/// From settings: `dir`, `sandbox` (`auto`, `bubblewrap`, `landlock` or `off`), `network`
/// (`off`, `all` or a list of hosts), `background` (true or false), and further paths in the lists
/// `read_only` and `read_write`. With `auto`, commands are refused where no sandbox works. Needs the feature `tools`.
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
    /// Commands in a workspace that see an environment, behind the walls of a sandbox.
    pub fn new(workspace: Workspace, environment: Environment, sandbox: Sandbox) -> Self {
        let background = Background::default();
        let tool = legwork_tools::Bash::new(workspace.clone(), environment, sandbox);
        Self { workspace, tool, background: Some(background) }
    }

    /// The same, its commands in the background among those of somebody who may end them.
    #[must_use]
    pub fn background(self, background: &Background) -> Self {
        Self { background: Some(background.clone()), ..self }
    }

    /// The same, with no command in the background and no `bash_output`.
    #[must_use]
    pub fn without_background(self) -> Self {
        Self { background: None, ..self }
    }

    /// The same with the tool changed: its limits, how much of an output is shown.
    #[must_use]
    pub fn tool(self, change: impl FnOnce(legwork_tools::Bash) -> legwork_tools::Bash) -> Self {
        Self { tool: change(self.tool), ..self }
    }

    /// The commands of settings, which see an environment.
    ///
    /// # Errors
    /// The field that does not fit and what it takes, or why the directory cannot be used.
    pub fn from_settings(settings: &Value, environment: &Environment) -> Result<Self, String> {
        let mut fields = Fields::of(settings)?;
        let bash = Self::take(&mut fields, environment)?;
        fields.done()?;
        Ok(bash)
    }

    /// Takes its fields, those of the place too.
    fn take(fields: &mut Fields, environment: &Environment) -> Result<Self, String> {
        let workspace = place::workspace(fields)?;
        let sandbox = place::sandbox(fields, &workspace, environment)?;
        let bash = Self::new(workspace, environment.clone(), sandbox);
        Ok(match fields.flag("background")? {
            Some(false) => bash.without_background(),
            Some(true) | None => bash,
        })
    }

    /// Where it works.
    pub(super) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Its tools, in the order that a model is shown them.
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

/// What it gives an agent.
pub(super) const ABOUT: &str = "Runs commands in a workspace, behind the walls of a sandbox.";

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
        let (root, beside) = (self.workspace.root().display(), place::beside(&self.workspace));
        agent.has_tool("bash").then(|| format!("Commands run in {root}.{beside}"))
    }
}
