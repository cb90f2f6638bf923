//! How Claude is told how much to think, at Anthropic and at Amazon Bedrock.

use legwork_core::inference::{ModelRequest, ThinkingLevel, ToolChoice};
use serde_json::{Value, json};

/// The fewest tokens of thinking that the API takes.
const LEAST_THINKING: u64 = 1_024;

/// How much a model is to think, as the API says it.
pub(crate) enum Thinking<'a> {
    Default,
    Off,
    Tokens(u64),
    Effort(&'a str),
}

impl<'a> Thinking<'a> {
    /// What a request asks of a model whose answer may have so many tokens.
    ///
    /// # Errors
    /// What cannot be asked.
    pub(crate) fn of(request: &'a ModelRequest, model: &str, most: u64) -> Result<Self, String> {
        let Some(level) = &request.settings.thinking else { return Ok(Self::Default) };
        let by_tokens = thinks_by_tokens(model);
        let tokens = match level {
            ThinkingLevel::Off => return Ok(Self::Off),
            ThinkingLevel::Other(tokens) => tokens
                .parse()
                .map_err(|_| format!("`{tokens}` is no thinking level and no number of tokens"))?,
            level if !by_tokens => {
                compatible(request)?;
                return Ok(Self::Effort(match level {
                    ThinkingLevel::Minimal => "low",
                    level => level.as_str(),
                }));
            }
            ThinkingLevel::Minimal => LEAST_THINKING,
            ThinkingLevel::Low => 2_048,
            ThinkingLevel::Medium => 8_192,
            ThinkingLevel::High => 16_384,
            _ => 8_192,
        };
        compatible(request)?;
        // Thinking is part of the answer, for which something has to be left.
        let tokens = tokens.max(LEAST_THINKING).min(most / 2);
        if tokens < LEAST_THINKING {
            return Err(format!(
                "an answer of {most} tokens leaves no room for thinking, which takes at least \
                 {LEAST_THINKING} of twice as many: raise the limit on the answer, or set \
                 `thinking` to off"
            ));
        }
        Ok(Self::Tokens(tokens))
    }

    /// The field `thinking`.
    pub(crate) fn field(&self) -> Option<Value> {
        match self {
            Self::Default => None,
            Self::Off => Some(json!({"type": "disabled"})),
            Self::Tokens(tokens) => Some(json!({"type": "enabled", "budget_tokens": tokens})),
            Self::Effort(_) => Some(json!({"type": "adaptive"})),
        }
    }

    /// The effort, which goes into another field.
    pub(crate) fn effort(&self) -> Option<&'a str> {
        match self {
            Self::Effort(effort) => Some(effort),
            _ => None,
        }
    }
}

/// Refuses what the API does not allow beside thinking.
fn compatible(request: &ModelRequest) -> Result<(), String> {
    let what = match request.tool_choice {
        ToolChoice::Required | ToolChoice::Named(_) if !request.tools.is_empty() => {
            "a tool that must be called"
        }
        _ if request.settings.temperature.is_some_and(|warm| warm != 1.0) => "a temperature",
        _ => return Ok(()),
    };
    Err(format!(
        "Anthropic allows no thinking beside {what}: set `thinking` to off, or leave it out"
    ))
}

/// Whether a model is told how much to think as a number of tokens, and not as an effort.
///
/// So it was up to Claude 4.5.
fn thinks_by_tokens(model: &str) -> bool {
    let old = ["claude-3", "claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2"];
    let dated = ["claude-sonnet-4-0", "claude-sonnet-4-2", "-4-5"];
    old.iter().chain(&dated).any(|part| model.contains(part))
}
