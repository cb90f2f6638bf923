//! Which calls run, are asked about, or never run: the table `[permissions]`.

use std::fmt;
use std::str::FromStr;

use legwork::agent::toolset::{CallRule, InvalidRule};

use super::document::Whose;
use super::item::Item;
use super::key::{OF_PERMISSIONS, nearest};
use super::tables::entries;
use super::values::At;
use crate::error::Error;
use crate::toolset::NAMES;

/// A rule, and what becomes of the calls that it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) verb: Verb,
    pub(crate) calls: CallRule,
}

/// What becomes of the calls that a rule means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    /// They never run.
    Deny,
    /// A person is asked each time.
    Ask,
    /// Nobody is asked.
    Allow,
}

impl Verb {
    pub(crate) const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    /// Its key in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb.name(), self.calls)
    }
}

impl FromStr for Rule {
    type Err = InvalidRule;

    fn from_str(text: &str) -> Result<Self, InvalidRule> {
        let (verb, calls) = text.split_once(' ').unwrap_or(("", text));
        let verb = Verb::ALL.into_iter().find(|one| one.name() == verb);
        // One that cannot be read refuses.
        Ok(Self { verb: verb.unwrap_or(Verb::Deny), calls: calls.parse()? })
    }
}

/// The rules of a table `[permissions]`.
pub(super) fn permissions(outer: &Item<'_>) -> Result<Vec<At<Rule>>, Error> {
    let mut rules = Vec::new();
    for entry in entries(outer, &OF_PERMISSIONS)? {
        let verb = match &*entry.name {
            "allow" => Verb::Allow,
            "ask" => Verb::Ask,
            _ => Verb::Deny,
        };
        let expects = "a list of rules such as [\"read\", \"bash(git push:*)\"]";
        let whole = Item { name: format!("{}.{}", outer.name, entry.name), expects, ..entry };
        if verb == Verb::Allow && whole.document.whose == Whose::Project {
            return Err(whole.problem(
                "cannot be set in a project's file, which a repository brings or an agent writes: \
                 it could let the agent act without your approval",
            ));
        }
        for text in whole.texts()? {
            let calls = calls(&text)?;
            let line = text.document.line(text.at.start);
            rules.push(At { value: Rule { verb, calls }, line });
        }
    }
    Ok(rules)
}

/// Whether it may be a tool of an MCP server, `SERVER_TOOL`: which there are is not known here.
fn may_be_of_a_server(tool: &str) -> bool {
    let alike = legwork::core::nearest::nearest(tool, NAMES);
    // One of the command's own that is misspelt.
    let is_meant = alike.is_some_and(|alike| alike.contains('_'));
    !is_meant && tool.split_once('_').is_some_and(|(server, _)| !server.is_empty())
}

fn calls(item: &Item<'_>) -> Result<CallRule, Error> {
    let calls: CallRule = item
        .text()?
        .parse()
        .map_err(|error| item.problem(&format!("has a wrong value: {error}")))?;
    let tool = calls.tool_name();
    match NAMES.contains(&tool) || may_be_of_a_server(tool) {
        true => Ok(calls),
        false => Err(item.problem(&format!(
            "has a rule about `{tool}`, and there is no such tool; {}",
            nearest(tool, NAMES)
        ))),
    }
}
