//! What an answer says that it used, in the spellings of many providers.

use legwork_core::Usage;
use serde::de::MapAccess;
use serde_json::{Map, Value};

use super::json::{Count, Fields, Object, skip};

/// Usage as it is read; the last one that a stream tells counts.
#[derive(Debug, Default)]
pub(super) struct Reading {
    input: Option<u64>,
    output: Option<u64>,
    total: Option<u64>,
    cache_read: u64,
    cache_write: u64,
    reasoning: u64,
    /// Fields that have no place in [`Usage`]; zeros say nothing and are left out.
    pub(super) rest: Map<String, Value>,
}

impl Reading {
    /// The usage, if the answer told one.
    pub(super) fn usage(&self) -> Option<Usage> {
        let (input, output) = match (self.input, self.output) {
            (None, None) => return None,
            (input, output) => (input.unwrap_or(0), output.unwrap_or(0)),
        };
        Some(Usage {
            input,
            output: output + self.reasoning_beside(input, output),
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            reasoning: self.reasoning,
        })
    }

    /// Reasoning that a provider counts beside the output instead of in it.
    fn reasoning_beside(&self, input: u64, output: u64) -> u64 {
        let apart =
            self.total == input.checked_add(output).and_then(|n| n.checked_add(self.reasoning));
        if apart { self.reasoning } else { 0 }
    }
}

impl<'de> Fields<'de> for Reading {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "prompt_tokens" | "input_tokens" => set(&mut self.input, map),
            "completion_tokens" | "output_tokens" => set(&mut self.output, map),
            "total_tokens" => set(&mut self.total, map),
            "prompt_cache_hit_tokens"
            | "num_cached_tokens"
            | "cached_tokens"
            | "cache_read_input_tokens" => raise(&mut self.cache_read, map),
            "cache_write_tokens" | "cache_creation_input_tokens" => {
                raise(&mut self.cache_write, map)
            }
            "reasoning_tokens" => raise(&mut self.reasoning, map),
            "prompt_cache_miss_tokens" => skip(map),
            "tokens"
            | "prompt_tokens_details"
            | "input_tokens_details"
            | "completion_tokens_details"
            | "output_tokens_details" => map.next_value_seed(Object(self)),
            _ => keep(&mut self.rest, key, map.next_value()?),
        }
    }
}

fn set<'de, A: MapAccess<'de>>(slot: &mut Option<u64>, map: &mut A) -> Result<(), A::Error> {
    let Count(count) = map.next_value()?;
    *slot = count.or(*slot);
    Ok(())
}

/// The same number comes in several spellings; zeros beside it do not count.
fn raise<'de, A: MapAccess<'de>>(slot: &mut u64, map: &mut A) -> Result<(), A::Error> {
    let Count(count) = map.next_value()?;
    *slot = count.unwrap_or(0).max(*slot);
    Ok(())
}

fn keep<E>(rest: &mut Map<String, Value>, key: &str, value: Value) -> Result<(), E> {
    let zero = value.as_f64() == Some(0.0);
    if !zero {
        super::remainder::merge(rest, key, value);
    }
    Ok(())
}
