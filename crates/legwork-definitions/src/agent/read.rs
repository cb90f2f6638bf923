//! From text to a definition.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use legwork_core::digest::Digest;

use super::AgentDefinition;
use crate::capability::Capability;
use crate::fields::{Findings, Item, Table};
use crate::file;
use crate::format::Format;
use crate::limits::Limits;
use crate::name::{name, server, tool};
use crate::problem::{Problem, Problems};
use crate::syntax::node::{Data, Node};
use crate::syntax::{self, Text};

/// The fields of a definition; Markdown has the last of them as its body.
pub(crate) const FIELDS: [&str; 11] = [
    "name",
    "description",
    "model",
    "capabilities",
    "tools",
    "denied_tools",
    "mcp",
    "skills",
    "budget",
    "metadata",
    "instructions",
];

/// The most characters of a description.
pub(crate) const DESCRIPTION: usize = 1024;
/// The most bytes of a model's name.
pub(crate) const MODEL: usize = 256;

impl AgentDefinition {
    /// Reads a definition from text.
    ///
    /// # Errors
    /// All that is wrong with its fields; only the first thing if the text cannot be taken apart.
    pub fn parse(text: &str, format: Format) -> Result<Self, Problems> {
        let Text { fields, body } = syntax::read(text, format)?;
        let mut findings = Findings::default();
        let read = read(Table::root(fields), body, &mut findings);
        findings.into_result()?;
        read.ok_or_else(|| Problem::new("it cannot be read", "report this as a defect").into())
    }

    /// Reads the definition in a file, in the format that its name's ending tells.
    ///
    /// # Errors
    /// If there is no such file, it is no regular one, too large or not UTF-8, and as
    /// [`parse`](Self::parse) says; each problem names the file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Problems> {
        Self::read_as(path.as_ref(), file::Links::Follow, None)
    }

    pub(crate) fn read_as(
        path: &Path,
        links: file::Links,
        content: Option<&Digest>,
    ) -> Result<Self, Problems> {
        let Some(format) = Format::of(path) else {
            let mend = "name it NAME.md, NAME.yaml, NAME.yml or NAME.json";
            return Err(Problem::new("its name does not tell its format", mend)
                .in_file(path)
                .into());
        };
        let text = file::read_as(path, links, content);
        let text = text.map_err(|problem| problem.in_file(path))?;
        Self::parse(&text, format).map_err(|problems| problems.in_file(path))
    }
}

fn read(
    mut table: Table,
    body: Option<String>,
    findings: &mut Findings,
) -> Option<AgentDefinition> {
    let given = table.require("name", "add a line such as `name: reviewer`", findings);
    let name = given.and_then(|item| name(item, findings));
    let mend = "add a line such as `description: Reviews changes`";
    let given = table.require("description", mend, findings);
    let description = given.and_then(|item| described(item, findings));
    let model = table.take("model").and_then(|item| model(item, findings));
    let mut list = |key: &str, mend: String, read: Read| {
        table.take(key).and_then(|item| names(item, &mend, read, findings))
    };
    let tools = list("tools", all_without("[read, search]"), tool);
    let denied = list("denied_tools", none_without("[bash]"), tool);
    let mcp = list("mcp", all_without("[git, docs]"), server);
    let skills = list("skills", none_without("[pdf]"), self::name);
    let capabilities = table.take("capabilities").and_then(|item| capabilities(item, findings));
    let limits = table.take("budget").and_then(|item| limits(item, findings));
    let metadata = table.take("metadata").and_then(|item| metadata(item, findings));
    let instructions = instructions(&mut table, body, findings);
    table.refuse_rest(&FIELDS, findings);
    Some(AgentDefinition {
        name: name?,
        description: description?,
        instructions: instructions?,
        model,
        capabilities: capabilities.unwrap_or_default(),
        tools,
        denied_tools: denied.unwrap_or_default(),
        mcp,
        skills: skills.unwrap_or_default(),
        limits: limits.unwrap_or_default(),
        metadata: metadata.unwrap_or_default(),
    })
}

fn instructions(
    table: &mut Table,
    body: Option<String>,
    findings: &mut Findings,
) -> Option<String> {
    match (table.take("instructions"), body) {
        (None, body) => Some(body.unwrap_or_default()),
        (Some(item), Some(_)) => {
            let mend = "move them below the second line `---`";
            findings.add(item.problem("the instructions of Markdown are its body", mend));
            None
        }
        (Some(item), None) => item.text("write text, in YAML below `instructions: |`", findings),
    }
}

/// A text of 1 to 1024 characters that are not all blank.
pub(crate) fn described(item: Item, findings: &mut Findings) -> Option<String> {
    let given = item.clone();
    let text = item.text("say in a sentence what it is for", findings)?;
    if text.chars().all(is_blank) {
        findings.add(given.problem("is empty", "say in a sentence what it is for"));
        return None;
    }
    let length = text.chars().count();
    if length > DESCRIPTION {
        let message = format!("has {length} characters, at most {DESCRIPTION} are read");
        findings.add(given.problem(message, "make it shorter: details belong to the instructions"));
        return None;
    }
    Some(text)
}

/// What `\s` of a JSON Schema means, too.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

fn model(item: Item, findings: &mut Findings) -> Option<String> {
    let given = item.clone();
    let mend = "write it as `provider:name`, such as `openai:gpt-5-mini`; leave it out to inherit";
    let text = item.text(mend, findings)?;
    if !is_model(&text) {
        findings.add(given.unlike("a model", mend));
        return None;
    }
    Some(text)
}

/// Whether a text is `provider:name`.
pub(crate) fn is_model(text: &str) -> bool {
    let fits = |c: char| ('!'..='~').contains(&c);
    text.len() <= MODEL
        && text.chars().all(fits)
        && text
            .split_once(':')
            .is_some_and(|(provider, name)| !provider.is_empty() && !name.is_empty())
}

/// Reads one name.
type Read = fn(Item, &mut Findings) -> Option<String>;

/// How to write a list without which the agent has all.
fn all_without(example: &str) -> String {
    format!("write a list, such as `{example}`; `[]` for none; leave it out for all")
}

/// How to write a list without which the agent has none.
fn none_without(example: &str) -> String {
    format!("write a list, such as `{example}`, or leave it out")
}

/// A list of names, none of them twice.
fn names(item: Item, mend: &str, read: Read, findings: &mut Findings) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut seen = HashSet::new();
    for item in item.list(mend, findings)? {
        let twice = item.problem("is there twice", "take it out");
        let Some(name) = read(item, findings) else { continue };
        if seen.insert(name.clone()) {
            names.push(name);
        } else {
            findings.add(twice);
        }
    }
    Some(names)
}

fn capabilities(item: Item, findings: &mut Findings) -> Option<Vec<Capability>> {
    let mut capabilities = Vec::new();
    let mut seen = HashSet::new();
    for item in item.list("write a list, such as `[coding]`, or leave it out", findings)? {
        let twice = item.problem("is there twice", "take it out, or give it other settings");
        let Some(capability) = Capability::read(item, findings) else { continue };
        // Settings have an order of their own; as text they can be looked up.
        let text = serde_json::to_string(&capability.written()).unwrap_or_default();
        if seen.insert(text) {
            capabilities.push(capability);
        } else {
            findings.add(twice);
        }
    }
    Some(capabilities)
}

fn limits(item: Item, findings: &mut Findings) -> Option<Limits> {
    let table = item.table("write fields, such as `{usd: 0.5, steps: 20}`", findings)?;
    Some(Limits::read(table, findings))
}

fn metadata(item: Item, findings: &mut Findings) -> Option<BTreeMap<String, serde_json::Value>> {
    let table = item.table("write fields, such as `{owner: me}`, or leave it out", findings)?;
    let rest = table.into_rest().into_iter();
    Some(rest.map(|field| (field.key, field.node.into_value())).collect())
}

/// What is wrong with the fields of a definition that a program put together.
pub(super) fn check(fields: serde_json::Value) -> Result<(), Problems> {
    let node = Node::from(fields);
    if node.deeper_than(syntax::MAX_DEPTH).is_some() {
        let message = format!("lists and tables are deeper than {} levels", syntax::MAX_DEPTH);
        return Err(Problem::new(message, "make it flatter").into());
    }
    let Data::Table(fields) = node.data else { return Ok(()) };
    let mut findings = Findings::default();
    read(Table::root(fields), None, &mut findings);
    findings.into_result().map(|_| ())
}
