//! Tools of every class, whose bodies do what their arguments say.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::budget::Amounts;
use legwork_core::tool::{ExecutionMode, FailureKind, Prompt};
use legwork_core::{EffectClass, OnDoubt, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Clock as _, Tool, ToolContext};
use serde_json::{Value, json};

use super::world::World;

/// What the model reads for a body: it is none of the agents, whose instructions are their names.
const NO_AGENT: &str = "a9";

/// How long `slow` may take.
const LIMIT: Duration = Duration::from_millis(100);

struct Body {
    spec: Arc<ToolSpec>,
    world: World,
}

/// All tools of a program.
pub(super) fn all(world: &World) -> Vec<Arc<dyn Tool>> {
    let once = EffectClass::Once;
    let specs = [
        spec("look").effect(EffectClass::ReadOnly),
        spec("slow").effect(EffectClass::ReadOnly).timeout(LIMIT),
        spec("put").effect(EffectClass::Idempotent),
        spec("file").effect(EffectClass::Idempotent).resource("path"),
        spec("send").effect(once(OnDoubt::Ask)),
        spec("tell").effect(once(OnDoubt::Tell)),
        spec("alone").effect(once(OnDoubt::Tell)).mode(ExecutionMode::Sequential),
    ];
    let body =
        |spec| Arc::new(Body { spec: Arc::new(spec), world: world.clone() }) as Arc<dyn Tool>;
    specs.into_iter().map(body).collect()
}

/// A value that is nested too deeply for a journal.
pub(super) fn deep() -> Value {
    (0..200).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

fn spec(name: &str) -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "does": {"type": "string"},
            "count": {"type": "integer"},
            "path": {"type": "string"},
        },
        "required": ["n"],
    });
    ToolSpec::new(name, "Does what its arguments say.", parameters)
}

impl Tool for Body {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            self.world.begins(&cx.key, call, !self.spec.effect.is_repeatable());
            self.world.pace().await;
            let arguments = call.parse().unwrap_or_default();
            let outcome = self.run(&arguments, cx).await;
            self.world.pace().await;
            outcome
        })
    }
}

impl Body {
    async fn run(&self, arguments: &Value, cx: &ToolContext) -> ToolOutcome {
        let field = |name: &str| arguments.get(name).cloned().unwrap_or_default();
        let count = field("count").as_u64().unwrap_or(0);
        match field("does").as_str().unwrap_or("answer") {
            "retry" => return ToolOutcome::Retry("try it otherwise".to_owned()),
            "fail" => return ToolOutcome::failed("it failed"),
            "fail_hard" => return ToolOutcome::Failed(FailureKind::Hard, "it broke".to_owned()),
            "panic" => resume_unwind(Box::new("the body panics")),
            "stall" if self.world.count(&format!("stalls {}", cx.key)) == 0 => {
                return std::future::pending().await;
            }
            "sleep" => self.world.clock().sleep(Duration::from_millis(count)).await,
            "charge" => cx.charge(&Amounts { input: count, ..Amounts::default() }),
            "deep" => return ToolOutcome::value(deep()),
            "prompt" if self.spec.effect.is_repeatable() && cx.supplied().is_empty() => {
                return Prompt::new("go on?").with_instructions(NO_AGENT).into();
            }
            _ => {}
        }
        cx.attach("seen", field("n"));
        ToolOutcome::value(field("n"))
    }
}
