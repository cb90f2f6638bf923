//! Results that are kept for calls with the same arguments.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::{Digest, EffectClass, ToolCall, ToolOutcome, digest};
use legwork_port::{BoxFuture, Tool, ToolContext};
use serde_json::Value;

use super::decorated::Decorator;
use super::execution_key::ExecutionKey;
use super::layered::{Body, Layered};

/// Executions whose results are kept at most, and results of each.
const EXECUTIONS: usize = 64;
const RESULTS: usize = 256;

/// Results of read-only tools are kept, for one execution.
#[derive(Default, Clone)]
pub(super) struct Cached(Arc<Mutex<VecDeque<Kept>>>);

/// The results of an execution.
struct Kept {
    of: ExecutionKey,
    /// How often something may have changed: what was looked up before that is not kept.
    changes: u64,
    results: BTreeMap<Digest, Vec<Known>>,
}

/// A result, and the tool that gave it: another of its name may be shown later.
struct Known {
    tool: Arc<dyn Tool>,
    outcome: ToolOutcome,
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
        let Some(of) = ExecutionKey::of(&cx.state) else { return tool.call(call, cx) };
        if tool.spec().effect != EffectClass::ReadOnly {
            return Box::pin(async move {
                self.forget(&of);
                // However it ends, and also if it is cut off.
                let _forgets = Forgets(self, of);
                tool.call(call, cx).await
            });
        }
        Box::pin(async move {
            let key = key(call);
            let (changes, known) = self.known(&of, &key, tool);
            if let Some(known) = known {
                cx.attach("cached", Value::Bool(true));
                return known;
            }
            let outcome = tool.call(call, cx).await;
            if outcome.is_ok() {
                let known = Known { tool: Arc::clone(tool), outcome: outcome.clone() };
                self.keep(&of, changes, key, known);
            }
            outcome
        })
    }
}

/// Forgets what is kept of an execution when a call has ended that may have changed something.
struct Forgets<'a>(&'a Cached, ExecutionKey);

impl Drop for Forgets<'_> {
    fn drop(&mut self) {
        self.0.forget(&self.1);
    }
}

impl Cached {
    /// The result that is kept for a call of a tool, and how often something may have changed.
    fn known(
        &self,
        of: &ExecutionKey,
        key: &Digest,
        tool: &Arc<dyn Tool>,
    ) -> (u64, Option<ToolOutcome>) {
        self.of(of, |kept| {
            let mut results = kept.results.get(key).into_iter().flatten();
            let own = results.find(|known| Arc::ptr_eq(&known.tool, tool));
            (kept.changes, own.map(|known| known.outcome.clone()))
        })
    }

    /// Keeps a result, unless something may have changed since it was looked for.
    fn keep(&self, of: &ExecutionKey, changes: u64, key: Digest, known: Known) {
        self.of(of, |kept| {
            if kept.changes == changes && kept.results.len() < RESULTS {
                kept.results.entry(key).or_default().push(known);
            }
        });
    }

    fn forget(&self, of: &ExecutionKey) {
        self.of(of, |kept| {
            kept.changes += 1;
            kept.results.clear();
        });
    }

    /// What is kept of an execution; the one used longest ago makes room for a new one.
    fn of<T>(&self, of: &ExecutionKey, look: impl FnOnce(&mut Kept) -> T) -> T {
        let mut all = self.lock();
        let at = all.iter().position(|kept| kept.of == *of);
        let new = || Kept { of: of.clone(), changes: 0, results: BTreeMap::new() };
        let mut kept = at.and_then(|at| all.remove(at)).unwrap_or_else(new);
        if all.len() >= EXECUTIONS {
            all.pop_front();
        }
        let looked = look(&mut kept);
        all.push_back(kept);
        looked
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tool and its arguments, however these are written.
fn key(call: &ToolCall) -> Digest {
    let arguments = call.parse().map(|value| digest::canonical(&value));
    let arguments = arguments.unwrap_or_else(|_| call.arguments.to_string());
    Digest::of_bytes(format!("{}\n{arguments}", call.name).as_bytes())
}
