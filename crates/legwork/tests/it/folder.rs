//! Files of agents and skills in a folder of the test.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use legwork::definition::{Definitions, Location, SkillCatalog};
use legwork::prelude::*;
use legwork_core::{ToolCall, ToolSpec};
use legwork_port::BoxFuture;
use serde_json::json;

/// A folder with `agents` and `skills` in it.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A skill with further front matter.
    pub(crate) fn skill(&self, name: &str, front: &str, body: &str) -> PathBuf {
        let text = format!("---\nname: {name}\ndescription: Knows {name}\n{front}---\n\n{body}\n");
        self.write(&format!("skills/{name}/SKILL.md"), &text)
    }

    /// An agent with further front matter.
    pub(crate) fn agent(&self, name: &str, front: &str, body: &str) -> PathBuf {
        let text = format!("---\nname: {name}\ndescription: Does {name}\n{front}---\n\n{body}\n");
        self.write(&format!("agents/{name}.md"), &text)
    }

    pub(crate) fn skills(&self) -> SkillCatalog {
        SkillCatalog::load(&[Location::project(self.path().join("skills"))])
    }

    pub(crate) fn agents(&self) -> Definitions {
        Definitions::load(&[Location::project(self.path().join("agents"))])
    }
}

/// A tool that notes that it ran and does nothing.
#[derive(Clone)]
pub(crate) struct Noting {
    spec: Arc<ToolSpec>,
    notes: Notes,
}

/// What ran.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn add(&self, note: &str) {
        self.0.lock().unwrap().push(note.to_owned());
    }

    /// A tool of a name that takes anything.
    pub(crate) fn tool(&self, name: &str) -> Noting {
        let spec = ToolSpec::new(name, "Does nothing.", json!({"type": "object"}));
        Noting { spec: Arc::new(spec.effect(EffectClass::ReadOnly)), notes: self.clone() }
    }

    pub(crate) fn tools(&self, names: &[&str]) -> Vec<Noting> {
        names.iter().map(|name| self.tool(name)).collect()
    }
}

impl Tool for Noting {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, _cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        self.notes.0.lock().unwrap().push(format!("{} {}", call.name, call.arguments));
        Box::pin(std::future::ready(ToolOutcome::text("ok")))
    }
}
