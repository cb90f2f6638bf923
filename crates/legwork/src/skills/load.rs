//! The tool that loads a skill.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use legwork_core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_definitions::Skill;
use legwork_port::{BoxFuture, Tool, ToolContext};
use serde::Deserialize;
use serde_json::json;

use super::{NONE, TOOL, prompt};

/// The maximum number of files that are listed.
const MOST_FILES: usize = 200;

/// The arguments of the tool.
#[derive(Deserialize)]
pub(super) struct Request {
    pub(super) name: String,
    #[serde(default)]
    arguments: String,
}

impl Request {
    pub(super) fn of(arguments: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(arguments)
    }
}

/// Returns the text of a skill; the hook applies its tools and its model.
pub(super) struct Load {
    known: Arc<BTreeMap<String, Skill>>,
    spec: Arc<ToolSpec>,
}

impl Load {
    pub(super) fn new(known: Arc<BTreeMap<String, Skill>>) -> Self {
        let description = "Loads a skill, a guide to one kind of work, and returns what it says. \
            From then on only the tools that it allows can be used, until another skill is \
            loaded, or `none`. Load it before you begin, alone.";
        let parameters = json!({
            "type": "object",
            "properties": {
                "name": {
                    "type": "string",
                    "description": "The skill, or `none` to be done with the one that is loaded.",
                },
                "arguments": {
                    "type": "string",
                    "description": "What it is to work on, if it takes arguments: separated by \
                        blanks, quotes hold one together.",
                },
            },
            "required": ["name"],
            "additionalProperties": false,
        });
        // It only reads a file, so it can be run again.
        let spec = ToolSpec::new(TOOL, description, parameters).effect(EffectClass::ReadOnly);
        Self { known, spec: Arc::new(spec) }
    }

    fn read(&self, request: &Request) -> ToolOutcome {
        if request.name == NONE {
            return ToolOutcome::text("No skill is loaded any more.");
        }
        let Some(skill) = self.known.get(&request.name) else {
            let names: Vec<_> = self.known.keys().map(String::as_str).collect();
            let instead = prompt::instead(&request.name, &names, "skills");
            let asked = prompt::line(&request.name);
            return ToolOutcome::failed(format!("There is no skill `{asked}`: {instead}."));
        };
        let body = match skill.render(&request.arguments) {
            Ok(body) => body,
            Err(problem) => {
                return ToolOutcome::failed(format!("The skill cannot be loaded: {problem}."));
            }
        };
        let mut text = format!("The skill `{}` is loaded.", skill.name);
        if let Some(allowed) = &skill.allowed_tools {
            let allowed: Vec<_> = allowed.iter().map(ToString::to_string).collect();
            let allowed = if allowed.is_empty() { "none".to_owned() } else { allowed.join(", ") };
            let _ = write!(text, " While it is, the only tools besides `{TOOL}` are: {allowed}.");
        }
        let folder = skill.folder().canonicalize().unwrap_or_else(|_| skill.folder().to_owned());
        match skill.files() {
            Ok(files) if files.is_empty() => {}
            Ok(files) => {
                let folder = prompt::line(&folder.display().to_string());
                let _ = write!(text, "\n\nIts files, in {folder}:");
                for file in files.iter().take(MOST_FILES) {
                    let _ = write!(text, "\n- {}", prompt::line(&file.display().to_string()));
                }
                if let Some(more) = files.len().checked_sub(MOST_FILES).filter(|more| *more > 0) {
                    let _ = write!(text, "\nand {more} more");
                }
            }
            Err(problem) => {
                let _ = write!(text, "\n\nIts files cannot be listed: {problem}.");
            }
        }
        let _ = write!(text, "\n\n{}", body.trim_end());
        ToolOutcome::text(text)
    }
}

impl Tool for Load {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, _cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            match Request::of(&call.arguments) {
                Ok(request) => self.read(&request),
                Err(error) => ToolOutcome::Retry(format!("The arguments do not fit: {error}.")),
            }
        })
    }
}
