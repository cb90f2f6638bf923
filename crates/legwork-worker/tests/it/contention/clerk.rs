//! The agent of all workers: it looks, makes a note and looks again, sends, and is done.

use std::sync::Arc;

use legwork_agent::Agent;
use legwork_core::{EffectClass, ModelRequest, OnDoubt, Response, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::model::{self, Deltas, Model, Profile};
use legwork_port::{BoxFuture, Store, Tool, ToolContext};
use legwork_testkit::{Asked, ScriptedModel, Turn};
use serde_json::json;

use super::ledger::Ledger;
use super::points::{Point, Points};

/// How many steps a session has.
pub(super) const STEPS: usize = 4;

/// The tools whose calls must not happen twice, each called once in a session.
pub(super) const ONCE: [&str; 2] = ["note", "send"];

/// The agent, on a store; each session is given its id as its task.
pub(super) fn agent(store: Arc<dyn Store>, ledger: &Ledger, points: &Arc<Points>) -> Agent {
    let nothing = || json!({});
    let script = ScriptedModel::new([
        Turn::call("look", nothing()),
        Turn::calls([("note", nothing()), ("look", nothing())]),
        Turn::call("send", nothing()),
        Turn::text("done"),
    ]);
    let tool = |name: &'static str, effect, points_of| {
        let spec = ToolSpec::new(name, "Does it.", json!({})).effect(effect);
        let (ledger, points) = (ledger.clone(), Arc::clone(points));
        Errand { name, spec: Arc::new(spec), ledger, points, points_of }
    };
    Agent::builder(Standing { script, points: Arc::clone(points) })
        .id("clerk")
        .tool(tool("look", EffectClass::ReadOnly, None))
        .tool(tool(
            "note",
            EffectClass::Once(OnDoubt::Tell),
            Some([Point::NoteBegan, Point::NoteDid]),
        ))
        .tool(tool(
            "send",
            EffectClass::Once(OnDoubt::Ask),
            Some([Point::SendBegan, Point::SendDid]),
        ))
        .store_in(store)
        .build()
        .unwrap()
}

/// A tool that writes its effect into the ledger.
struct Errand {
    name: &'static str,
    spec: Arc<ToolSpec>,
    ledger: Ledger,
    points: Arc<Points>,
    /// Where it stands still before its effect, and after it.
    points_of: Option<[Point; 2]>,
}

impl Tool for Errand {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, _: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async {
            let session = cx.session.as_str();
            let [before, after] = self.points_of.map_or([None; 2], |points| points.map(Some));
            if let Some(point) = before {
                self.points.reach(point, session).await;
            }
            self.ledger.add(self.name, &cx.key);
            if let Some(point) = after {
                self.points.reach(point, session).await;
            }
            ToolOutcome::text("done")
        })
    }
}

/// A model that stands still when it is asked.
struct Standing {
    script: ScriptedModel,
    points: Arc<Points>,
}

impl Model for Standing {
    fn name(&self) -> &str {
        self.script.name()
    }

    fn profile(&self) -> &Profile {
        self.script.profile()
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, model::Error>> {
        Box::pin(async move {
            let asked = Asked::of_request(&request, false);
            let session = asked.messages.first().unwrap().text.clone();
            self.points.reach(Point::Infer, &session).await;
            self.script.infer(request, deltas).await
        })
    }
}
