//! How messages of programs are put in words for a model.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use legwork_core::Part;
use legwork_core::message::App;
use legwork_port::{AppMessage, Profile};

use crate::app;

type Render = dyn Fn(&App, &Profile) -> Result<Option<Vec<Part>>, serde_json::Error> + Send + Sync;

/// How the messages of each kind are put in words.
///
/// ```
/// use legwork_context::Renderers;
/// # use legwork_port::{AppMessage, Profile, core::Part};
/// # #[derive(serde::Serialize, serde::Deserialize)]
/// # struct Deployment;
/// # impl AppMessage for Deployment {
/// #     const KIND: &'static str = "deployment";
/// #     fn render(&self, _: &Profile) -> Option<Vec<Part>> { None }
/// # }
/// let renderers = Renderers::new().with::<Deployment>();
/// assert!(renderers.knows("deployment") && renderers.knows("shell_run"));
/// ```
#[derive(Clone, Default)]
pub struct Renderers(Arc<BTreeMap<&'static str, Arc<Render>>>);

/// What became of a message of a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Rendered {
    /// A model reads these parts.
    Parts(Vec<Part>),
    /// Its kind says that no model reads it.
    Silent,
    /// It is left out.
    LeftOut(Why),
}

/// Why a message of a program is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Why {
    /// No renderer knows its kind.
    UnknownKind,
    /// Its data does not have the shape of its kind.
    Unreadable,
    /// Its renderer gave calls or results of tools, which only a model and its tools can.
    Forged,
}

impl Renderers {
    /// The renderers of the kinds that ship: [`app`].
    pub fn new() -> Self {
        Self::none()
            .with::<app::ShellRun>()
            .with::<app::FileChange>()
            .with::<app::BranchSummary>()
            .with::<app::Compaction>()
            .with::<app::Note>()
    }

    /// No renderers.
    pub fn none() -> Self {
        Self::default()
    }

    /// The same with a kind; a later one of the same name stands in its place.
    #[must_use]
    pub fn with<T: AppMessage>(mut self) -> Self {
        let render = |app: &App, profile: &Profile| Ok(app.read::<T>()?.render(profile));
        Arc::make_mut(&mut self.0).insert(T::KIND, Arc::new(render));
        self
    }

    /// Whether it knows a kind.
    pub fn knows(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    /// What a model with this profile reads of a message.
    pub fn render(&self, app: &App, profile: &Profile) -> Rendered {
        let Some(render) = self.0.get(&*app.kind) else {
            return Rendered::LeftOut(Why::UnknownKind);
        };
        let is_forged = |part: &Part| matches!(part, Part::ToolCall(_) | Part::ToolResult(_));
        match render(app, profile) {
            Err(_) => Rendered::LeftOut(Why::Unreadable),
            Ok(None) => Rendered::Silent,
            Ok(Some(parts)) if parts.iter().any(is_forged) => Rendered::LeftOut(Why::Forged),
            Ok(Some(parts)) => Rendered::Parts(parts),
        }
    }
}

impl fmt::Debug for Renderers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownKind => "no renderer knows its kind",
            Self::Unreadable => "its data does not have the shape of its kind",
            Self::Forged => "its renderer gave calls or results of tools",
        })
    }
}
