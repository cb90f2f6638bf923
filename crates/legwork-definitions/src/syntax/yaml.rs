//! YAML, read into nodes within limits.

use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{
    DeserializeError, MergeKeyPolicy, NonFiniteFloatPolicy, Options, Spanned, budget, options,
};

use super::node::{Data, Lines, Node, NodeVisitor};
use super::{MAX_BYTES, MAX_DEPTH};
use crate::problem::{Problem, cut, quoted};

/// How many events all aliases of a text may stand for together.
const MAX_REPLAYED: usize = 10_000;

/// The value of a YAML text; `offset` lines stand before it in its file.
pub(super) fn read(text: &str, offset: u64) -> Result<Node, Problem> {
    match serde_saphyr::from_str_with_options::<Located>(text, limits()) {
        Ok(located) => Ok(moved(located.0, offset)),
        Err(DeserializeError::Eof { .. }) => Ok(Node { line: None, data: Data::Null }),
        Err(error) => Err(problem(&error, offset)),
    }
}

/// What a text may ask of the reader; YAML 1.2 words, no merging, no tags of strangers.
fn limits() -> Options {
    let mut options = options! {
        budget: budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_events: 4 * MAX_BYTES,
            max_nodes: 2 * MAX_BYTES,
            max_total_scalar_bytes: 4 * MAX_BYTES,
            max_documents: 1,
        },
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        reject_unsupported_tags: true,
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        with_snippet: false,
    };
    options.alias_limits.max_total_replayed_events = MAX_REPLAYED;
    options
}

fn problem(error: &DeserializeError, offset: u64) -> Problem {
    let cause = match error {
        DeserializeError::AliasError { error, .. } => error,
        error => error,
    };
    let line = error.location().map(|at| at.line()).filter(|line| *line > 0);
    let (message, mend) = in_words(cause);
    Problem::new(format!("cannot be read as YAML: {message}"), mend)
        .on_line(line.map(|line| line.saturating_add(offset)))
}

/// What is wrong, and what mends it.
fn in_words(error: &DeserializeError) -> (String, &'static str) {
    use DeserializeError as E;
    let deep =
        || (format!("lists and tables are deeper than {MAX_DEPTH} levels"), "make it flatter");
    match error {
        E::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().map(quoted).unwrap_or_default();
            (format!("the field {key} is there twice"), "keep one of the two")
        }
        E::MultipleDocuments { .. } | E::Budget { breach: BudgetBreach::Documents { .. }, .. } => {
            ("there is more than one document".to_owned(), "keep one document a file")
        }
        E::MergeKeyNotAllowed { .. } => {
            ("`<<` is not read".to_owned(), "write the fields out instead of `<<`")
        }
        E::Budget { breach: BudgetBreach::Depth { .. }, .. } => deep(),
        E::AliasReplayLimitExceeded { .. } | E::Budget { .. } => (
            "it stands for more than is read".to_owned(),
            "make the text smaller, and write values out instead of repeating aliases",
        ),
        error => {
            let message = error.without_snippet().to_string();
            // The parser's own limit for what is written in brackets has no kind of its own.
            if message.contains("recursion limit") {
                return deep();
            }
            // The line is a field of its own, and counts from where the file begins.
            let message = message.split(" at line ").next().unwrap_or_default();
            (
                cut(message),
                "write it as YAML 1.2: indent with spaces, quote text with `: ` or ` #` in it",
            )
        }
    }
}

/// A node whose line was asked of the YAML reader.
struct Located(Node);

/// Reads a node as [`Located`] and lets it know its line.
#[derive(Clone, Copy)]
struct Seed;

impl Lines for Seed {
    fn line(&self) -> Option<u64> {
        None
    }
}

impl<'de> DeserializeSeed<'de> for Seed {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Ok(Located::deserialize(deserializer)?.0)
    }
}

impl<'de> Deserialize<'de> for Located {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Unlocated>::deserialize(deserializer)?;
        let line = Some(spanned.referenced.line()).filter(|line| *line > 0);
        Ok(Self(Node { line, ..spanned.value.0 }))
    }
}

struct Unlocated(Node);

impl<'de> Deserialize<'de> for Unlocated {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor(Seed)).map(Self)
    }
}

fn moved(node: Node, offset: u64) -> Node {
    let down = |line: Option<u64>| line.map(|line| line.saturating_add(offset));
    let data = match node.data {
        Data::List(nodes) => {
            Data::List(nodes.into_iter().map(|node| moved(node, offset)).collect())
        }
        Data::Table(mut fields) => {
            for field in &mut fields {
                field.line = down(field.line);
                let node = Node { line: None, data: Data::Null };
                field.node = moved(std::mem::replace(&mut field.node, node), offset);
            }
            Data::Table(fields)
        }
        other => other,
    };
    Node { line: down(node.line), data }
}
