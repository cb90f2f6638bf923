//! What an answer says that it used, in the spellings of many providers.

use legwork_core::Usage;
use serde_json::Value;

use super::json::{Read, Reader};
use super::remainder::Remainder;

/// Usage as it is read; the last one in a stream counts.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    input: Option<u64>,
    /// Input of tools that run at the provider, which it counts apart.
    tool_input: Option<u64>,
    output: Option<u64>,
    total: Option<u64>,
    cache_read: u64,
    cache_write: u64,
    /// Of it what the cache keeps for an hour.
    cache_write_hour: u64,
    reasoning: u64,
    /// The output does not contain the reasoning.
    reasoning_is_apart: bool,
    /// The input does not contain what was read from or written to a cache.
    pub(crate) cache_is_apart: bool,
    /// Fields that [`Usage`] does not have; zeros are left out.
    pub(crate) rest: Remainder,
    /// How much the weight of these grew since it was last taken.
    pub(crate) added: usize,
}

impl Reading {
    /// The usage, if the answer had one.
    pub(crate) fn usage(&self) -> Option<Usage> {
        let (input, output) = match (self.input, self.output) {
            (None, None) => return None,
            (input, output) => (input.unwrap_or(0), output.unwrap_or(0)),
        };
        let cache = match self.cache_is_apart {
            true => self.cache_read.saturating_add(self.cache_write),
            false => 0,
        };
        Some(Usage {
            input: input.saturating_add(cache).saturating_add(self.tool_input.unwrap_or(0)),
            output: output.saturating_add(self.reasoning_not_in_output(input, output)),
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            cache_write_hour: self.cache_write_hour.min(self.cache_write),
            reasoning: self.reasoning,
        })
    }

    /// All tokens, if the answer says how many.
    #[cfg(feature = "embeddings")]
    pub(crate) fn total(&self) -> Option<u64> {
        self.total
    }

    /// Reasoning that a provider counts in addition to the output instead of in it.
    fn reasoning_not_in_output(&self, input: u64, output: u64) -> u64 {
        if self.reasoning_is_apart {
            return self.reasoning;
        }
        let all = input.checked_add(output).and_then(|n| n.checked_add(self.reasoning));
        if all.is_some() && self.total == all { self.reasoning } else { 0 }
    }

    /// Forgets the counts, because those that follow are of the whole answer.
    pub(crate) fn restart(&mut self) {
        let (rest, added) = (std::mem::take(&mut self.rest), self.added);
        let cache_is_apart = self.cache_is_apart;
        *self = Self { cache_is_apart, rest, added, ..Self::default() };
    }

    /// Reads the fields of an object.
    pub(crate) fn read(&mut self, json: &mut Reader<'_>) -> Read {
        let mut position = json.object()?;
        while let Some(key) = json.key(&mut position)? {
            self.field(&key, json)?;
        }
        Ok(())
    }

    /// Reads one field.
    pub(crate) fn field(&mut self, key: &str, json: &mut Reader<'_>) -> Read {
        match key {
            "prompt_tokens" | "input_tokens" | "promptTokenCount" | "inputTokens" => {
                set(&mut self.input, json.count()?);
            }
            "toolUsePromptTokenCount" => set(&mut self.tool_input, json.count()?),
            "completion_tokens" | "output_tokens" | "candidatesTokenCount" | "outputTokens" => {
                set(&mut self.output, json.count()?);
            }
            "total_tokens" | "totalTokenCount" | "totalTokens" => {
                set(&mut self.total, json.count()?)
            }
            "prompt_cache_hit_tokens"
            | "num_cached_tokens"
            | "cached_tokens"
            | "cachedContentTokenCount"
            | "cacheReadInputTokens"
            | "cacheReadInputTokenCount"
            | "cache_read_input_tokens" => raise(&mut self.cache_read, json.count()?),
            "cache_write_tokens"
            | "cacheWriteInputTokens"
            | "cacheWriteInputTokenCount"
            | "cache_creation_input_tokens" => {
                raise(&mut self.cache_write, json.count()?);
            }
            "thoughtsTokenCount" => {
                self.reasoning_is_apart = true;
                raise(&mut self.reasoning, json.count()?);
            }
            "reasoning_tokens" => raise(&mut self.reasoning, json.count()?),
            "prompt_cache_miss_tokens" => json.skip()?,
            "tokens"
            | "prompt_tokens_details"
            | "input_tokens_details"
            | "completion_tokens_details"
            | "output_tokens_details"
            | "cache_creation" => self.read(json)?,
            "ephemeral_1h_input_tokens" => raise(&mut self.cache_write_hour, json.count()?),
            "ephemeral_5m_input_tokens" => json.skip()?,
            "cacheDetails" => self.lifetimes(json)?,
            _ => self.added += keep(&mut self.rest, key, json.json()?),
        }
        Ok(())
    }

    /// Reads how long a cache keeps what was written to it.
    fn lifetimes(&mut self, json: &mut Reader<'_>) -> Read {
        let (mut position, mut hour) = (json.array()?, 0_u64);
        while json.item(&mut position)? {
            let (of_hour, tokens) = lifetime(json)?;
            hour = hour.saturating_add(if of_hour { tokens } else { 0 });
        }
        raise(&mut self.cache_write_hour, Some(hour));
        Ok(())
    }
}

/// Tokens that a cache keeps for a time, as Bedrock says it.
fn lifetime(json: &mut Reader<'_>) -> Read<(bool, u64)> {
    let (mut position, mut of_hour, mut tokens) = (json.object()?, false, 0);
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "ttl" => of_hour = json.text()? == "1h",
            "inputTokens" => tokens = json.count()?.unwrap_or(0),
            _ => json.skip()?,
        }
    }
    Ok((of_hour, tokens))
}

fn set(slot: &mut Option<u64>, count: Option<u64>) {
    *slot = count.or(*slot);
}

/// The same number comes in several spellings; zeros in others do not count.
fn raise(slot: &mut u64, count: Option<u64>) {
    *slot = count.unwrap_or(0).max(*slot);
}

fn keep(rest: &mut Remainder, key: &str, value: Value) -> usize {
    match value.as_f64() == Some(0.0) {
        true => 0,
        false => rest.merge(key, value),
    }
}
