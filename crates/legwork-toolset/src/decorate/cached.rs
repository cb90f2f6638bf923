//! Results that are kept for calls with the same arguments.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::{
    AgentState, Digest, EffectClass, Seq, SessionId, ToolCall, ToolOutcome, digest,
};
use legwork_port::{BoxFuture, Tool, ToolContext};
use serde_json::Value;

use super::decorated::Decorator;
use super::layered::{Body, Layered};

/// Executions whose results are kept at most, and results of each.
const EXECUTIONS: usize = 64;
const RESULTS: usize = 256;

/// Results of read-only tools are kept, for one execution.
#[derive(Default, Clone)]
pub(super) struct Cached(Arc<Mutex<VecDeque<Kept>>>);

/// The results of an execution.
struct Kept {
    of: (SessionId, Seq),
    results: BTreeMap<Digest, ToolOutcome>,
}

impl Decorator for Cached {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        let layered = Layered::new(set, tool, "cached".into());
        Some(Arc::new(layered.with_body(Arc::new(self.clone()))))
    }
}

impl Body for Cached {
    fn call<'a>(
        &'a self,
        tool: &'a Arc<dyn Tool>,
        call: &'a ToolCall,
        cx: &'a ToolContext,
    ) -> BoxFuture<'a, ToolOutcome> {
        let Some(of) = execution(&cx.state) else { return tool.call(call, cx) };
        if tool.spec().effect != EffectClass::ReadOnly {
            self.lock().retain(|kept| kept.of != of);
            return tool.call(call, cx);
        }
        Box::pin(async move {
            let key = key(call);
            if let Some(known) = self.known(&of, &key) {
                cx.attach("cached", Value::Bool(true));
                return known;
            }
            let outcome = tool.call(call, cx).await;
            if outcome.is_ok() {
                self.keep(of, key, &outcome);
            }
            outcome
        })
    }
}

impl Cached {
    fn known(&self, of: &(SessionId, Seq), key: &Digest) -> Option<ToolOutcome> {
        self.lock().iter().find(|kept| kept.of == *of)?.results.get(key).cloned()
    }

    fn keep(&self, of: (SessionId, Seq), key: Digest, outcome: &ToolOutcome) {
        let mut all = self.lock();
        if !all.iter().any(|kept| kept.of == of) {
            if all.len() >= EXECUTIONS {
                all.pop_front();
            }
            all.push_back(Kept { of: of.clone(), results: BTreeMap::new() });
        }
        let Some(kept) = all.iter_mut().find(|kept| kept.of == of) else { return };
        if kept.results.len() < RESULTS {
            kept.results.insert(key, outcome.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn execution(state: &AgentState) -> Option<(SessionId, Seq)> {
    Some((state.session().clone(), state.execution()?.id))
}

/// The tool and its arguments, however these are written.
fn key(call: &ToolCall) -> Digest {
    let arguments = call.parse().map(|value| digest::canonical(&value));
    let arguments = arguments.unwrap_or_else(|_| call.arguments.to_string());
    Digest::of_bytes(format!("{}\n{arguments}", call.name).as_bytes())
}
