//! Fields taken out of a table one by one; what is wrong with them is collected.

use legwork_core::nearest::nearest;

use crate::problem::{Problem, Problems, Severity, quoted};
use crate::syntax::node::{Data, Field, Node};

/// The most problems that are reported of one text.
const MAX_PROBLEMS: usize = 50;

/// What was found wrong so far.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    problems: Vec<Problem>,
    errors: usize,
    more: usize,
}

impl Findings {
    pub(crate) fn add(&mut self, problem: Problem) {
        self.errors += usize::from(problem.severity == Severity::Error);
        match self.problems.len() < MAX_PROBLEMS {
            true => self.problems.push(problem),
            false => self.more += 1,
        }
    }

    /// What is wrong in the order of the text: all of it, if any of it is an error.
    pub(crate) fn into_result(self) -> Result<Vec<Problem>, Problems> {
        let Self { mut problems, errors, more } = self;
        problems.sort_by_key(|problem| problem.line);
        if more > 0 {
            let more = Problem::new(format!("there are {more} more problems"), "mend these first");
            problems.push(if errors > 0 { more } else { more.warning() });
        }
        match errors {
            0 => Ok(problems),
            _ => Err(Problems::of(problems)),
        }
    }
}

/// The fields of a table that nobody has taken yet.
pub(crate) struct Table {
    path: String,
    line: Option<u64>,
    fields: Vec<Field>,
}

/// A value and the path of its field.
#[derive(Clone)]
pub(crate) struct Item {
    pub(crate) path: String,
    pub(crate) node: Node,
}

impl Table {
    /// The fields of a whole text.
    pub(crate) fn root(fields: Vec<Field>) -> Self {
        Self { path: String::new(), line: None, fields }
    }

    /// Takes a field out.
    pub(crate) fn take(&mut self, key: &str) -> Option<Item> {
        let at = self.fields.iter().position(|field| field.key == key)?;
        let field = self.fields.remove(at);
        Some(Item { path: self.path_of(&field.key), node: field.node })
    }

    /// Takes a field out that must be there.
    pub(crate) fn require(
        &mut self,
        key: &str,
        mend: &str,
        findings: &mut Findings,
    ) -> Option<Item> {
        let item = self.take(key);
        if item.is_none() {
            let problem = Problem::new("is missing", mend);
            findings.add(problem.on_field(&self.path_of(key)).on_line(self.line));
        }
        item
    }

    /// Refuses what was not taken; `known` are the fields that there are.
    pub(crate) fn refuse_rest(self, known: &[&str], findings: &mut Findings) {
        for field in &self.fields {
            let mend = match nearest(&field.key, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("take it out, or use one of: {}", known.join(", ")),
            };
            let problem = Problem::new("there is no such field", mend);
            findings.add(problem.on_field(&self.path_of(&field.key)).on_line(field.line));
        }
    }

    /// What was not taken.
    pub(crate) fn into_rest(self) -> Vec<Field> {
        self.fields
    }

    fn path_of(&self, key: &str) -> String {
        match self.path.as_str() {
            "" => quoted_key(key),
            path => format!("{path}.{}", quoted_key(key)),
        }
    }
}

/// A key as messages show it: one that is no plain name is quoted, so that `a.b` is never two fields.
pub(crate) fn quoted_key(key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    if plain && key.len() <= 64 { key.to_owned() } else { quoted(key) }
}

impl Item {
    /// A problem of this value.
    pub(crate) fn problem(&self, message: impl AsRef<str>, mend: impl AsRef<str>) -> Problem {
        Problem::new(message, mend).on_field(&self.path).on_line(self.node.line)
    }

    /// The problem that this value is something else than what is expected.
    pub(crate) fn unlike(&self, expected: &str, mend: impl AsRef<str>) -> Problem {
        self.problem(format!("found {}, expected {expected}", self.node.found()), mend)
    }

    /// Its text; a finding if it is something else.
    pub(crate) fn text(self, mend: &str, findings: &mut Findings) -> Option<String> {
        match self.node.data {
            Data::Text(text) => Some(text),
            Data::Number(_) | Data::Bool(_) => {
                findings.add(self.unlike("text", "put it in quotes"));
                None
            }
            _ => {
                findings.add(self.unlike("text", mend));
                None
            }
        }
    }

    /// Its values; a finding if it is no list.
    pub(crate) fn list(self, mend: &str, findings: &mut Findings) -> Option<Vec<Self>> {
        let Data::List(nodes) = self.node.data else {
            findings.add(self.unlike("a list", mend));
            return None;
        };
        let item = |(at, node)| Self { path: format!("{}[{at}]", self.path), node };
        Some(nodes.into_iter().enumerate().map(item).collect())
    }

    /// Its fields; a finding if it has none.
    pub(crate) fn table(self, mend: &str, findings: &mut Findings) -> Option<Table> {
        let Data::Table(fields) = self.node.data else {
            findings.add(self.unlike("a table of fields", mend));
            return None;
        };
        Some(Table { path: self.path, line: self.node.line, fields })
    }
}
