//! The capability `files`: tools for the files of a workspace.

use std::sync::Arc;

use legwork_agent::Builder;
use legwork_agent::capability::{Capability, Fields, Resolved};
use legwork_port::Tool;
use legwork_tools::{Edit, List, Read, Search, Workspace, Write};
use serde_json::Value;

use crate::capability::settings;

/// The access of [`Files`] to a workspace. Needs the feature `tools`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Reading, listing and searching.
    ReadOnly,
    /// Writing and editing too.
    #[default]
    ReadWrite,
}

/// Gives an agent the tools `read`, `write`, `edit`, `list` and `search` in a workspace.
///
/// From settings: `dir`, `access` (`read_write` or `read_only`), and further paths in the
/// lists `read_only` and `read_write`. Needs the feature `tools`.
///
/// ```
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use legwork::Agent;
/// use legwork::capability::{Access, Files};
/// use legwork::tools::Workspace;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let model = ScriptedModel::new([Turn::text("hello")]);
/// let files = Files::new(Workspace::open(".")?).access(Access::ReadOnly);
/// let agent = Agent::builder(model).capability(files).build()?;
/// # let _ = agent;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Files {
    workspace: Workspace,
    access: Access,
}

impl Files {
    /// The files of a workspace, with [`Access::ReadWrite`].
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, access: Access::default() }
    }

    /// The same with another access.
    #[must_use]
    pub fn access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Makes the capability from settings.
    ///
    /// # Errors
    /// An invalid field, with the values it takes, or an unusable directory.
    pub fn from_settings(settings: &Value) -> Result<Self, String> {
        let mut fields = Fields::of(settings)?;
        let access = |value: &Value| match value.as_str()? {
            "read_only" => Some(Access::ReadOnly),
            "read_write" => Some(Access::ReadWrite),
            _ => None,
        };
        let access = fields.take("access", "`read_only` or `read_write`", access)?;
        let workspace = settings::workspace(&mut fields)?;
        fields.done()?;
        Ok(Self::new(workspace).access(access.unwrap_or_default()))
    }

    /// Its tools, in the order in which the model is shown them.
    pub(super) fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let workspace = || self.workspace.clone();
        let mut tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Read::new(workspace()))];
        if self.access == Access::ReadWrite {
            tools.push(Arc::new(Write::new(workspace())));
            tools.push(Arc::new(Edit::new(workspace())));
        }
        tools.push(Arc::new(List::new(workspace())));
        tools.push(Arc::new(Search::new(workspace())));
        tools
    }
}

/// The description of the capability.
pub(super) const ABOUT: &str = "Reads, writes, edits, lists and searches files of a workspace.";

impl Capability for Files {
    fn name(&self) -> &str {
        "files"
    }

    fn about(&self) -> &str {
        ABOUT
    }

    fn install(&self, builder: Builder) -> Builder {
        builder.tools(self.tools())
    }

    fn section(&self, _: &Resolved<'_>) -> Option<String> {
        Some(settings::workspace_section(&self.workspace))
    }
}
