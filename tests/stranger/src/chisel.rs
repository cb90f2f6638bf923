//! A tool that must not happen twice: numerals carved into a stone.

use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};

use legwork_port::core::{EffectClass, OnDoubt, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};

use crate::roman::{number, numeral, parameters};

/// A stone; clones are the same stone. What is carved stays.
#[derive(Debug, Clone, Default)]
pub struct Stone(Arc<Mutex<Vec<String>>>);

impl Stone {
    /// The numerals on it, in the order they were carved.
    pub fn numerals(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn carve(&self, numeral: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(numeral);
    }
}

/// Carves a number into a stone, as a Roman numeral.
#[derive(Debug)]
pub struct Chisel {
    spec: Arc<ToolSpec>,
    stone: Stone,
}

impl Chisel {
    /// The tool, named `chisel`, on a stone.
    pub fn new(stone: Stone) -> Self {
        let about = "Carves a number into the stone, as a Roman numeral.";
        // Nobody can tell whether a stroke was made, and a second one would show.
        let effect = EffectClass::Once(OnDoubt::Tell);
        let spec = ToolSpec::new("chisel", about, parameters()).effect(effect);
        Self { spec: Arc::new(spec), stone }
    }
}

impl Tool for Chisel {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        let outcome = match number(call) {
            Ok(_) if cx.cancellation.is_cancelled() => ToolOutcome::Interrupted,
            Ok(number) => {
                let numeral = numeral(number);
                self.stone.carve(numeral.clone());
                ToolOutcome::text(numeral)
            }
            Err(reason) => ToolOutcome::failed(reason),
        };
        Box::pin(ready(outcome))
    }
}
