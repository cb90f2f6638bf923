//! An entry of `allowed-tools`, as it is enforced.

use std::path::Path;

use legwork_definitions::{AllowedTool, Problem, Skill, line_of};
use serde_json::Value;

use super::command::Pattern;

/// The names of tools in skills that were written for other agents.
const ALIASES: [(&str, &str); 4] =
    [("grep", "search"), ("glob", "list"), ("ls", "list"), ("shell", "bash")];
/// The tool whose commands can have a pattern.
const SHELL: &str = "bash";

/// A tool that may be used, with the pattern of its commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    /// Compared ignoring case.
    tool: String,
    command: Option<Pattern>,
}

/// The judgement of a call by one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judgement {
    /// The rule is for another tool.
    Other,
    /// The rule allows the call.
    Allowed,
    /// The rule is for this tool, but does not allow the call.
    Beyond,
}

impl Rule {
    /// The entries of a skill's `allowed-tools` that cannot be enforced.
    pub(super) fn problems(skill: &Skill, file: &Path) -> Vec<Problem> {
        let entries = skill.allowed_tools.iter().flatten().enumerate();
        let problems = entries.filter_map(|(at, entry)| {
            let field = format!("allowed-tools[{at}]");
            Some(Self::of(entry).err()?.on_field(&field).in_file(file))
        });
        problems.map(|problem| problem.on_line(line_of(file, "allowed-tools"))).collect()
    }

    /// The rule of an entry.
    ///
    /// # Errors
    /// If its pattern cannot be enforced.
    pub(super) fn of(entry: &AllowedTool) -> Result<Self, Problem> {
        let tool = entry.name.to_ascii_lowercase();
        let alias = ALIASES.iter().find(|(name, _)| *name == tool);
        let tool = alias.map_or(tool, |(_, tool)| (*tool).to_owned());
        let Some(pattern) = entry.pattern.as_deref().filter(|pattern| *pattern != "*") else {
            return Ok(Self { tool, command: None });
        };
        if tool != SHELL {
            let message = format!("`{entry}` cannot be enforced: only commands have patterns");
            let mend = format!("write `{}` without a pattern, or leave it out", entry.name);
            return Err(Problem::new(message, mend));
        }
        let command = Pattern::parse(pattern).map_err(|why| {
            let mend =
                "write the beginning of a command, such as `Bash(git log:*)`, or a whole one";
            Problem::new(format!("`{entry}` cannot be enforced: {why}"), mend)
        })?;
        Ok(Self { tool, command: Some(command) })
    }

    /// Whether a tool of this name may be used at all.
    pub(super) fn is_for(&self, tool: &str) -> bool {
        self.tool.eq_ignore_ascii_case(tool)
    }

    /// Judges a call by its tool and arguments.
    pub(super) fn judge(&self, tool: &str, arguments: &Value) -> Judgement {
        if !self.is_for(tool) {
            return Judgement::Other;
        }
        let Some(pattern) = &self.command else { return Judgement::Allowed };
        match arguments.get("command").and_then(Value::as_str) {
            Some(command) if pattern.admits(command) => Judgement::Allowed,
            _ => Judgement::Beyond,
        }
    }
}
