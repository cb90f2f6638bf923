//! The tools of the suite.

use std::sync::Arc;

use legwork::agent::Subagent;
use legwork::capability::{Coding, Metadata, TaskList};
use legwork::port::BoxFuture;
use legwork::prelude::*;
use legwork::skills::Skills;
use legwork::tool::{from_fn, from_schema};
use legwork::tools::sandbox::Policy;
use legwork::tools::{Environment, Sandbox, Workspace};
use legwork::toolset::Tools;
use legwork::web::Client;
use legwork::web::fetch::Fetch;
use legwork::web::search::{self, Hit, Query, SearchProvider, WebSearch};
use legwork_core::{ModelRequest, ToolSpec};
use legwork_testkit::{ScriptedModel, Turn};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::folder::Folder;

/// The arguments of a tool that uses what serde and schemars have.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema counts")]
struct Drawing {
    shapes: Vec<Shape>,
    #[serde(default)]
    scale: Option<f64>,
    #[schemars(range(min = 1, max = 12))]
    month: u8,
    origin: (i32, i32),
    tree: Option<Tree>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[expect(dead_code, reason = "only its schema counts")]
enum Shape {
    Circle { radius: f64 },
    Rectangle { width: u32, height: u32 },
    Point,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema counts")]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

/// A tool with keywords that no derive writes.
fn wild() -> impl Tool + 'static {
    let schema = json!({
        "type": "object",
        "properties": {
            "code": {"type": "string", "pattern": "^[A-Z]{2}[0-9]+$", "examples": ["DE7", "x"]},
            "even": {"type": "integer", "multipleOf": 2, "exclusiveMinimum": 0},
            "share": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
            "kinds": {"type": "array", "items": {"enum": ["a", "b", 1]}, "uniqueItems": true,
                "minItems": 1, "maxItems": 2},
            "either": {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 3}]},
            "no_text": {"not": {"type": "string"}},
            "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "boolean"}],
                "items": false},
            "named": {"type": "object", "additionalProperties": {"type": ["integer", "null"]},
                "maxProperties": 1},
        },
        "required": ["even"],
        "dependentRequired": {"code": ["share"]},
        "additionalProperties": false,
    });
    from_schema("wild", "Takes what it takes.", schema, |_: Value| "ok")
}

/// An agent with all tools, whose files are in a folder; what they do is real.
pub(super) fn builder(folder: &Folder, model: ScriptedModel) -> legwork::agent::Builder {
    folder.skill("pdf", "", "Open it.");
    folder.write("work/a.txt", "one\ntwo\n");
    let environment = Environment::filtered([("PATH", "/usr/local/bin:/usr/bin:/bin")]);
    let sandbox = Sandbox::auto(&environment, Policy::default());
    let workspace = Workspace::open(folder.path().join("work")).unwrap();
    let helper = Agent::builder(ScriptedModel::new([])).build().unwrap();
    Agent::builder(model)
        .capability(Coding::new(workspace, environment, sandbox))
        .capability(TaskList::new())
        .capability(Metadata::new())
        .capability(Skills::of(&folder.skills()))
        .subagent(Subagent::of("helper", "Helps.", helper))
        .tool(from_fn("draw", "Draws.", |_: Drawing| "drawn"))
        .tool(wild())
        .tool(Fetch::new(Client::new(legwork::web::Policy::default()).unwrap()))
        .tool(WebSearch::new(Nothing))
        .toolset(Tools::new("pages", [count.into()]).paged(100))
        .toolset(Tools::new("hidden", [from_fn("hidden", "Hides.", || "here").into()]).searchable())
}

/// Counts, and its result comes in pages.
#[tool(read_only)]
fn count(to: u32) -> String {
    to.to_string()
}

/// A search engine that finds nothing.
struct Nothing;

impl SearchProvider for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }

    fn search<'a>(&'a self, _: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, search::Error>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

/// What the model is shown first.
pub(super) fn shown(model: &ScriptedModel) -> Vec<Arc<ToolSpec>> {
    let first: ModelRequest = model.requests().into_iter().next().unwrap();
    first.tools.iter().map(Arc::clone).collect()
}

/// The specs of all tools, by different names.
pub(super) async fn specs() -> Vec<Arc<ToolSpec>> {
    let folder = Folder::new();
    let model = ScriptedModel::new([Turn::text("done")]);
    builder(&folder, model.clone()).build().unwrap().run("go").await.unwrap();
    let mut specs = shown(&model);
    let names: Vec<_> = specs.iter().map(|spec| &*spec.name).collect();
    for name in [
        "read",
        "edit",
        "bash",
        "update_tasks",
        "load_skill",
        "draw",
        "wild",
        "fetch",
        "web_search",
        "tool_search",
        "count",
    ] {
        assert!(names.contains(&name), "there is no {name} in {names:?}");
    }
    assert!(specs.len() > 12, "{names:?}");
    specs.extend(lead().await);
    specs
}

/// The tools of the one who leads a collaboration.
async fn lead() -> Vec<Arc<ToolSpec>> {
    let model = ScriptedModel::new([Turn::call("conclude", json!({"result": "ok"}))]);
    let member = Agent::builder(ScriptedModel::new([])).build().unwrap();
    let lead = Agent::builder(model.clone()).build().unwrap();
    let all = Collaboration::builder().member("Will", "writes", member).lead("Lea", lead).turns(2);
    let all = all.build().unwrap();
    let mut run = all.iterate("go");
    while run.next().await.unwrap().is_some() {}
    shown(&model)
}
