//! Tools that are hidden until a model finds them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::ready;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use legwork_core::state::StepResult;
use legwork_core::{AgentState, EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::toolset::Error;
use legwork_port::{BoxFuture, Tool, ToolContext, unwind};
use serde_json::{Value, json};

use super::decorated::{Decorator, Listing};
use super::execution_key::ExecutionKey;
use super::layered::Layered;
use super::search_index::SearchIndex;
use crate::fault::panicked;
use crate::schema;

/// The tool with which a model finds others.
const TOOL: &str = "tool_search";

/// The field of its result that names the set whose tools were found.
const FOUND_IN: &str = "found_in";

/// How many tools are found at once: by default, and at most.
const FOUND: (usize, usize) = (5, 20);

/// The most of a description that is shown of a tool that was found, in bytes.
const LINE: usize = 200;

/// Executions of which it is kept what was found in them.
const EXECUTIONS: usize = 64;

/// A tool is shown once a model found it.
pub(super) struct Searchable {
    set: Arc<str>,
    spec: Arc<ToolSpec>,
    /// The tools as they were listed last.
    known: Mutex<Option<Arc<Known>>>,
    found: Mutex<VecDeque<Found>>,
}

/// Tools as they were listed, and the tool that finds them.
struct Known {
    tools: Vec<Arc<dyn Tool>>,
    /// The index of each name.
    names: BTreeMap<Arc<str>, usize>,
    search: Arc<dyn Tool>,
}

/// What was found in the steps of an execution, as its state says.
struct Found {
    of: ExecutionKey,
    names: BTreeSet<Arc<str>>,
    /// How many steps it was read from, and the last of them.
    steps: usize,
    last: Option<Arc<StepResult>>,
}

impl Searchable {
    pub(super) fn new(set: &str) -> Self {
        let description = "Finds tools by what they do. Most tools are hidden until you find them: \
            search before you say that something cannot be done. The tools that are found can be \
            called from your next answer on.";
        let (default, most) = FOUND;
        let parameters = json!({
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "minLength": 1,
                    "description": "What the tool should do, in a few words, or its name.",
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": most,
                    "description": format!("How many tools to find at most; {default} by default."),
                },
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        let spec = ToolSpec::new(TOOL, description, parameters).effect(EffectClass::ReadOnly);
        let (known, found) = Default::default();
        Self { set: set.into(), spec: Arc::new(spec), known, found }
    }

    /// The tools of a listing with what finds them; those of before if they are the same.
    fn known(&self, tools: Vec<Arc<dyn Tool>>) -> Arc<Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |before: &&Arc<Known>| {
            before.tools.len() == tools.len()
                && before.tools.iter().zip(&tools).all(|(one, other)| Arc::ptr_eq(one, other))
        };
        if let Some(before) = known.as_ref().filter(same) {
            return Arc::clone(before);
        }
        let specs: Vec<_> = tools.iter().map(|tool| tool.spec()).collect();
        let named = specs.iter().enumerate().map(|(at, spec)| (Arc::clone(&spec.name), at));
        let names = named.collect();
        let (set, spec) = (Arc::clone(&self.set), Arc::clone(&self.spec));
        let search = Arc::new(Search { set, spec, specs, index: OnceLock::new() });
        let made = Arc::new(Known { tools, names, search });
        *known = Some(Arc::clone(&made));
        made
    }

    /// The names of the tools that were found in the execution of a state.
    fn found(&self, state: &AgentState) -> BTreeSet<Arc<str>> {
        let Some(of) = ExecutionKey::of(state) else { return BTreeSet::new() };
        let mut all = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|found| found.of == of);
        let mut found = at.and_then(|at| all.remove(at)).unwrap_or_else(|| Found::new(of));
        if found.is_of_another_path(state) {
            found = Found::new(found.of);
        }
        found.read(state, &self.set);
        let names = found.names.clone();
        all.truncate(EXECUTIONS - 1);
        all.push_front(found);
        names
    }
}

impl Found {
    fn new(of: ExecutionKey) -> Self {
        let (names, steps, last) = Default::default();
        Self { of, names, steps, last }
    }

    /// Whether the head was moved: what was read does not lie on the path to it.
    fn is_of_another_path(&self, state: &AgentState) -> bool {
        let Some(last) = &self.last else { return false };
        let now = state.execution().and_then(|one| one.results.get(self.steps.saturating_sub(1)));
        now.is_none_or(|now| !Arc::ptr_eq(now, last))
    }

    /// Reads the results of the steps since the last time.
    fn read(&mut self, state: &AgentState, set: &Arc<str>) {
        let Some(execution) = state.execution() else { return };
        for result in execution.results.iter_from(self.steps) {
            for execution in result.step.tool_executions() {
                self.names.extend(names(&execution.outcome, set));
            }
        }
        self.steps = execution.results.len();
        self.last = execution.results.last().cloned();
    }
}

/// The tools of a set that a result says were found.
fn names(outcome: &ToolOutcome, set: &Arc<str>) -> Vec<Arc<str>> {
    let Some(value) = outcome.as_json().filter(|value| value[FOUND_IN] == **set) else {
        return Vec::new();
    };
    let tools = value["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["name"].as_str()).map(Arc::from).collect()
}

impl Decorator for Searchable {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        Some(Arc::new(Layered::new(set, tool, "searchable".into())))
    }

    fn depends_on_state(&self) -> bool {
        true
    }

    fn adds_nothing(&self) -> bool {
        false
    }

    fn shown<'a>(&'a self, tools: Vec<Arc<dyn Tool>>, state: &'a AgentState) -> Listing<'a> {
        let shown = unwind::call(|| {
            let known = self.known(tools);
            let found = self.found(state);
            let places: BTreeSet<_> =
                found.iter().filter_map(|name| known.names.get(name)).copied().collect();
            let found = places.into_iter().filter_map(|at| known.tools.get(at));
            std::iter::once(&known.search).chain(found).map(Arc::clone).collect()
        });
        Box::pin(ready(shown.map_err(|why| Error::Invalid(panicked(why)))))
    }

    /// A tool that cannot be shown is reported now, not when it is found.
    fn problems(&self, known: &[Arc<dyn Tool>]) -> Vec<String> {
        known.iter().filter_map(|tool| schema::check(&tool.spec()).err()).collect()
    }
}

/// The tool that finds others.
struct Search {
    set: Arc<str>,
    spec: Arc<ToolSpec>,
    specs: Vec<Arc<ToolSpec>>,
    /// Made by the first search.
    index: OnceLock<SearchIndex>,
}

impl Tool for Search {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(ready(
            cx.arguments(call).map_or_else(|outcome| outcome, |asked| self.find(&asked)),
        ))
    }

    fn chain(&self) -> Vec<Arc<str>> {
        vec![Arc::clone(&self.set), "searchable".into()]
    }
}

impl Search {
    fn find(&self, asked: &Value) -> ToolOutcome {
        let query = asked["query"].as_str().unwrap_or_default();
        let limit = asked["limit"].as_f64().map_or(FOUND.0, |limit| limit as usize);
        let index = self.index.get_or_init(|| SearchIndex::of(&self.specs));
        let found = index.find(query);
        let more = found.len().saturating_sub(limit.min(FOUND.1));
        let tools = found.into_iter().take(limit.min(FOUND.1)).filter_map(|at| self.specs.get(at));
        let tools: Vec<_> = tools
            .map(|spec| json!({"name": spec.name, "description": line(&spec.description)}))
            .collect();
        let set = &self.set;
        ToolOutcome::value(match (tools.len(), more) {
            (0, _) => {
                let note = "No tool was found: try other words, or fewer.";
                json!({FOUND_IN: set, "tools": tools, "note": note})
            }
            (_, 0) => json!({FOUND_IN: set, "tools": tools}),
            _ => {
                let note = format!("{more} more match: ask for more, or more exactly.");
                json!({FOUND_IN: set, "tools": tools, "note": note})
            }
        })
    }
}

/// The first line of a description; the whole is shown with the tool.
fn line(description: &str) -> &str {
    let first = description.lines().next().unwrap_or_default();
    first.split_at(first.floor_char_boundary(LINE)).0
}
