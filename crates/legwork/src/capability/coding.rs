//! The capability `coding`: files and commands in one workspace.

use legwork_agent::Builder;
use legwork_agent::capability::ask_user::{self, AskUser};
use legwork_agent::capability::{Capability, Fields, Resolved};
use legwork_tools::{Environment, Sandbox, Workspace};
use serde_json::Value;

use crate::capability::settings;
use crate::capability::{Bash, Files};

/// Gives an agent the tools of [`Files`] and [`Bash`] in one workspace, and `ask_user`.
///
/// It adds a section to the system prompt on how to work there. A question of the agent waits until
/// it is answered (see [`ask_user`](legwork_agent::capability::ask_user)); an agent that nobody
/// answers is made [without](Coding::without_questions) it.
///
/// From settings: what [`Bash`] takes, and `questions` (true or false). Needs the feature `tools`.
///
/// ```
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use legwork::Agent;
/// use legwork::capability::Coding;
/// use legwork::tools::{Environment, Sandbox, Workspace, sandbox::Policy};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let model = ScriptedModel::new([Turn::text("hello")]);
/// let environment = Environment::filtered([("PATH", "/usr/bin:/bin")]);
/// let sandbox = Sandbox::auto(&environment, Policy::default());
/// let coding = Coding::new(Workspace::open(".")?, environment, sandbox);
/// let agent = Agent::builder(model).capability(coding).build()?;
/// assert!(agent.definition().instructions.contains("The workspace is "));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Coding {
    files: Files,
    bash: Bash,
    questions: Option<AskUser>,
}

impl Coding {
    /// Files and commands of a workspace; see [`Bash::new`].
    pub fn new(workspace: Workspace, environment: Environment, sandbox: Sandbox) -> Self {
        Self::of(Bash::new(workspace, environment, sandbox))
    }

    /// The commands of a [`Bash`], with the files of its workspace.
    pub fn of(bash: Bash) -> Self {
        Self { files: Files::new(bash.workspace().clone()), bash, questions: Some(AskUser) }
    }

    /// The same without `ask_user`.
    #[must_use]
    pub fn without_questions(self) -> Self {
        Self { questions: None, ..self }
    }

    /// Makes the capability from settings, with the environment of its commands.
    ///
    /// # Errors
    /// An invalid field, with the values it takes, or an unusable directory.
    pub fn from_settings(settings: &Value, environment: &Environment) -> Result<Self, String> {
        let mut fields = Fields::of(settings)?;
        let questions = fields.flag("questions")?;
        let coding = Self::of(Bash::take(&mut fields, environment)?);
        fields.done()?;
        Ok(match questions {
            Some(false) => coding.without_questions(),
            Some(true) | None => coding,
        })
    }
}

/// The description of the capability.
pub(super) const ABOUT: &str = "Works on code: files and commands in one workspace.";

impl Capability for Coding {
    fn name(&self) -> &str {
        "coding"
    }

    fn about(&self) -> &str {
        ABOUT
    }

    fn install(&self, builder: Builder) -> Builder {
        builder.tools(self.files.tools()).tools(self.bash.tools()).tools(self.questions)
    }

    fn section(&self, agent: &Resolved<'_>) -> Option<String> {
        let mut advice = vec![
            "Look before you change something, and keep changes to what the task needs, in the \
             manner of what is there.",
        ];
        if agent.has_tool("edit") {
            advice.push(
                "Change parts of a file with `edit`; write whole files only where they are new.",
            );
        }
        if agent.has_tool("bash") {
            advice.push(
                "Run what the project has for checking (build, tests, linters) before you say that \
                 something works, and say what you could not check. When a command was \
                 interrupted, look whether it had happened before you repeat it.",
            );
        }
        if agent.has_tool(ask_user::TOOL) {
            advice.push(
                "Ask with `ask_user` only what you can neither find out nor sensibly decide.",
            );
        }
        let workspace = settings::workspace_section(self.bash.workspace());
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        Some(format!("{workspace}\nThe platform is {os} {arch}.\n\n{}", advice.join("\n")))
    }
}
