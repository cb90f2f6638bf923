//! From the front matter of a `SKILL.md` to a skill.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use legwork_core::digest::Digest;

use super::{AllowedTool, Skill};
use crate::agent::{described, is_blank, is_model};
use crate::fields::{Findings, Item, Table, quoted_key};
use crate::file::{self, Links};
use crate::name::{name, slug};
use crate::problem::{Problem, Problems};
use crate::syntax::node::{Data, Node};
use crate::syntax::{self, front_matter};

/// The most bytes of front matter: it is read of each skill there is.
const MAX_FRONT: u64 = 64 << 10;
/// The most characters of `compatibility`.
const COMPATIBILITY: usize = 500;

impl Skill {
    /// Reads the skill in a folder, and what it is well to know about it.
    ///
    /// # Errors
    /// All that is wrong with its front matter, if any of it is more than a warning.
    pub fn read(folder: impl AsRef<Path>) -> Result<(Self, Vec<Problem>), Problems> {
        Self::read_in(folder.as_ref(), Links::Follow, None)
    }

    /// Reads the skill in a folder, which may be a link or may not; its `SKILL.md` never.
    pub(crate) fn read_in(
        folder: &Path,
        links: Links,
        content: Option<&Digest>,
    ) -> Result<(Self, Vec<Problem>), Problems> {
        let file = folder.join(Self::FILE);
        if links == Links::Refuse && folder.symlink_metadata().is_ok_and(|found| found.is_symlink())
        {
            return Err(file::link().in_file(folder).into());
        }
        if file.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        {
            return Err(without_file(folder).in_file(folder).into());
        }
        let text = match content {
            None => front(&file),
            Some(_) => file::read_as(&file, Links::Refuse, content)
                .and_then(|text| Ok(front_matter::split(&text)?.front.into_owned())),
        };
        let front = text.and_then(|front| syntax::front(&front));
        let fields = front.map_err(|problem| problem.in_file(&file))?;
        let mut findings = Findings::default();
        let skill = read(Table::root(fields), folder, &mut findings);
        let warnings = findings.into_result().map_err(|problems| problems.in_file(&file))?;
        let warnings = warnings.into_iter().map(|warning| warning.in_file(&file)).collect();
        let defect = || Problem::new("it cannot be read", "report this as a defect").in_file(&file);
        Ok((skill.ok_or_else(defect)?, warnings))
    }
}

/// A folder without a `SKILL.md` may be one that was never meant to be a skill.
fn without_file(folder: &Path) -> Problem {
    let other = fs::read_dir(folder).ok().and_then(|entries| {
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.into_iter().find(|name| name.eq_ignore_ascii_case(Skill::FILE))
    });
    match other {
        Some(other) => {
            Problem::new(format!("there is `{other}`, no `SKILL.md`"), "rename it to `SKILL.md`")
        }
        None => Problem::new("there is no `SKILL.md`", "add one, or move the folder elsewhere")
            .warning(),
    }
}

/// The front matter of a file; what is below it is not read.
fn front(file: &Path) -> Result<String, Problem> {
    let mut lines = BufReader::new(file::open(file, Links::Refuse)?.take(MAX_FRONT));
    let mut text = Vec::new();
    loop {
        let start = text.len();
        let read = lines.read_until(b'\n', &mut text).map_err(|error| file::unreadable(&error))?;
        let line = text.get(start..).and_then(|line| std::str::from_utf8(line).ok());
        if read == 0 || start > 0 && line.is_some_and(front_matter::is_fence) {
            break;
        }
    }
    let full = text.len() as u64 >= MAX_FRONT;
    let text = match std::str::from_utf8(&text) {
        Ok(text) => text,
        Err(_) if full => return Err(too_long()),
        Err(_) => return Err(Problem::new("its front matter is not UTF-8", "save it as UTF-8")),
    };
    match front_matter::split(text) {
        Ok(parts) => Ok(parts.front.into_owned()),
        Err(problem) => Err(if full { too_long() } else { problem }),
    }
}

fn too_long() -> Problem {
    let message = format!("its first {MAX_FRONT} bytes hold no whole front matter");
    Problem::new(message, "begin and end it with a line `---`, and keep it short")
}

fn read(mut table: Table, folder: &Path, findings: &mut Findings) -> Option<Skill> {
    let dir = folder.canonicalize().ok();
    let dir = dir.as_deref().unwrap_or(folder).file_name().unwrap_or_default().to_string_lossy();
    let mend = format!("add a line `name: {}`", slug(&dir).replace('_', "-"));
    let given = table.require("name", &mend, findings);
    let name = given.and_then(|item| named(item, &dir, findings));
    let mend = "add a line `description:` that says what it does and when to use it";
    let given = table.require("description", mend, findings);
    let description = given.and_then(|item| described(item, findings));
    let license = optional(&mut table, "license").and_then(|item| item.text("", findings));
    let compatibility =
        optional(&mut table, "compatibility").and_then(|item| compatible(item, findings));
    let model = optional(&mut table, "model").and_then(|item| model(&item, findings));
    let arguments = optional(&mut table, "arguments").and_then(|item| arguments(item, findings));
    let allowed_tools =
        optional(&mut table, "allowed-tools").and_then(|item| tools(item, findings));
    let metadata = optional(&mut table, "metadata").and_then(|item| {
        let table = item.table("write fields, such as `version: \"1.0\"`", findings)?;
        Some(table.into_rest())
    });
    let mut metadata: BTreeMap<_, _> =
        metadata.into_iter().flatten().map(|field| (field.key, field.node.into_value())).collect();
    for field in table.into_rest() {
        let mend = "move it below `metadata`";
        let problem = Problem::new("no such field is known; it is kept as metadata", mend);
        findings.add(problem.on_field(&quoted_key(&field.key)).on_line(field.line).warning());
        metadata.entry(field.key).or_insert_with(|| field.node.into_value());
    }
    Some(Skill {
        name: name?,
        description: description?,
        license,
        compatibility,
        allowed_tools,
        model,
        arguments: arguments.unwrap_or_default(),
        metadata,
        folder: folder.to_owned(),
    })
}

/// A field that may be left out, or be empty, which people write where a form asks for it.
fn optional(table: &mut Table, key: &str) -> Option<Item> {
    table.take(key).filter(|item| !matches!(item.node.data, Data::Null))
}

fn named(item: Item, dir: &str, findings: &mut Findings) -> Option<String> {
    let (path, line) = (item.path.clone(), item.node.line);
    let name = name(item, findings)?;
    let slug = slug(&name.replace('_', "-"));
    let problem = match name.as_str() {
        name if name != slug || name.contains("--") => Problem::new(
            format!("found `{name}`, expected words of a-z and 0-9 with single `-` between them"),
            "write it and the name of the folder so",
        ),
        name if name != dir => Problem::new(
            format!("is `{name}`, but its folder is `{dir}`"),
            "give both the same name",
        ),
        _ => return Some(name),
    };
    findings.add(problem.on_field(&path).on_line(line));
    None
}

fn compatible(item: Item, findings: &mut Findings) -> Option<String> {
    let given = item.clone();
    let text = item.text("write a sentence, or leave it out", findings)?;
    let length = text.chars().count();
    if text.chars().all(is_blank) || length > COMPATIBILITY {
        let message = format!("has {length} characters, expected 1 to {COMPATIBILITY}");
        findings.add(given.problem(message, "make it a short sentence, or leave it out"));
        return None;
    }
    Some(text)
}

/// A model; what other programs call a model is no reason to do without the skill.
fn model(item: &Item, findings: &mut Findings) -> Option<String> {
    match &item.node.data {
        Data::Text(text) if is_model(text) => Some(text.clone()),
        _ => {
            let mend = "write it as `provider:name`, or leave it out; it is not used so";
            findings.add(item.unlike("a model", mend).warning());
            None
        }
    }
}

/// Entries of a list of texts, or of one text that [`AllowedTool::split`] takes apart.
fn entries(item: Item, mend: &str, findings: &mut Findings) -> Option<Vec<Item>> {
    let Data::Text(text) = &item.node.data else { return item.list(mend, findings) };
    let entry = |(at, entry): (usize, &str)| Item {
        path: format!("{}[{at}]", item.path),
        node: Node { line: item.node.line, data: Data::Text(entry.to_owned()) },
    };
    Some(AllowedTool::split(text).into_iter().enumerate().map(entry).collect())
}

fn tools(item: Item, findings: &mut Findings) -> Option<Vec<AllowedTool>> {
    let mut tools = Vec::new();
    for item in entries(item, "write a list, such as `[read, bash(git:*)]`", findings)? {
        let (path, line) = (item.path.clone(), item.node.line);
        let Some(entry) = item.text("write the name of a tool", findings) else { continue };
        match entry.parse::<AllowedTool>() {
            Ok(tool) => tools.push(tool),
            // Without it less is allowed, never more.
            Err(problem) => findings.add(problem.on_field(&path).on_line(line).warning()),
        }
    }
    Some(tools)
}

fn arguments(item: Item, findings: &mut Findings) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut seen = HashSet::new();
    for item in entries(item, "write a list, such as `[file, mode]`", findings)? {
        let given = item.clone();
        let Some(name) = item.text("write the name of an argument", findings) else { continue };
        let fits = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && name.len() <= 64
            && name != "ARGUMENTS";
        if !fits {
            let mend = "use letters, digits and `_`, a letter first, such as `file`";
            findings.add(given.unlike("the name of an argument", mend));
        } else if !seen.insert(name.clone()) {
            findings.add(given.problem("is there twice", "give one of them another name"));
        } else {
            names.push(name);
        }
    }
    Some(names)
}
