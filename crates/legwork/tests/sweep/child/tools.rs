//! The tools: one of each effect class, and one that needs approval.

use std::sync::Arc;

use legwork::agent::StoredSession;
use legwork::core::inbox::Item;
use legwork::port::Store;
use legwork::prelude::*;
use legwork::tool::Closure;
use legwork::toolset::Ask;
use serde_json::{Value, json};
use tokio::task::yield_now;

use super::lines;
use super::script::{CHAIRS, done, seen};
use crate::world::World;

/// What tools work with.
#[derive(Clone)]
pub(super) struct Hands {
    pub(super) store: Arc<dyn Store>,
    pub(super) world: Arc<World>,
}

impl Hands {
    /// All tools.
    pub(super) fn tools(&self) -> [Closure; 6] {
        let look = tool::from_schema("look", "Looks at a shelf.", schema(), |arguments: Value| {
            seen(what(&arguments))
        });
        [
            look.read_only(),
            self.acts("put", "Puts something in its place.").idempotent(),
            self.acts("write", "Writes a line.").once(OnDoubt::Tell),
            // It runs alone: its intent is a commit of its own.
            self.acts("seal", "Seals a letter.").once(OnDoubt::Tell).sequential(),
            self.acts("pay", "Pays a bill.").once(OnDoubt::Ask).approval(Ask::always()),
            self.acts("ring", "Rings somebody, who says something.").once(OnDoubt::Ask),
        ]
    }

    /// A tool with an effect in the world.
    fn acts(&self, name: &'static str, about: &'static str) -> Closure {
        let hands = self.clone();
        tool::from_schema(name, about, schema(), move |arguments: Value, cx: ToolContext| {
            let hands = hands.clone();
            async move {
                let what = what(&arguments).to_owned();
                yield_now().await;
                hands.world.happens(&cx.key, &what);
                if name == "ring" {
                    hands.steer(cx.session.as_str()).await;
                }
                yield_now().await;
                done(&what)
            }
        })
    }

    /// Leaves steering for a session, once however often it is done.
    ///
    /// One attempt may fail on purpose. Where all do, the program ends: what a tool says that could
    /// not do its work would be another end of the run.
    pub(super) async fn steer(&self, session: &str) {
        let session = StoredSession::new(Arc::clone(&self.store), session);
        let item = Item::Steer(Arc::new(Message::user(CHAIRS)));
        let mut posted = session.post("chairs", item.clone()).await;
        if posted.is_err() {
            posted = session.post("chairs", item).await;
        }
        if let Err(error) = posted {
            lines::failed(&error);
            std::process::exit(1);
        }
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"what": {"type": "string"}},
        "required": ["what"],
    })
}

fn what(arguments: &Value) -> &str {
    arguments["what"].as_str().unwrap_or_default()
}
