//! How the calls of a turn run.

use legwork_core::tool::{EndStrategy, ExecutionMode, OnBlock, ResultLimit};

use super::Builder;

impl Builder {
    /// How the calls of a turn run beside each other; in parallel by default.
    #[must_use]
    pub fn execution_mode(mut self, mode: ExecutionMode) -> Self {
        self.calls.mode = mode;
        self
    }

    /// How many calls run beside each other at most; 16 by default.
    #[must_use]
    pub fn parallel_calls(mut self, bound: usize) -> Self {
        self.calls.limit = bound;
        self
    }

    /// What a blocked call does to the rest of its turn; the other calls run by default.
    #[must_use]
    pub fn on_block(mut self, on_block: OnBlock) -> Self {
        self.calls.on_block = on_block;
        self
    }

    /// What becomes of the other calls of a turn in which a call gives the output of the
    /// execution; by default they run ([`EndStrategy::Graceful`]).
    #[must_use]
    pub fn end_strategy(mut self, strategy: EndStrategy) -> Self {
        self.calls.end_strategy = strategy;
        self
    }

    /// How much of a result of a tool the model is sent, unless the tool says otherwise.
    ///
    /// What is above it is cut, and a note tells the model how to read the rest. By default 256 KiB
    /// of text and JSON, and 16 MiB of each image or file.
    #[must_use]
    pub fn result_limit(mut self, limit: ResultLimit) -> Self {
        self.calls.results = limit;
        self
    }
}
