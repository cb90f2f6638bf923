//! How much a model is to think, which each maker wants to be told in its own way.

use legwork_core::inference::{ModelRequest, ThinkingLevel};
use serde_json::{Map, Value, json};

use crate::bedrock::id::ModelId;
use crate::wire::Frame;
use crate::wire::claude::Thinking;

/// The longest answer of a Claude where nothing else is known.
const MAX_TOKENS: u64 = 8_192;

/// The fields that tell the model how much to think.
///
/// # Errors
/// What the model cannot be told.
pub(super) fn fields(
    request: &ModelRequest,
    frame: Frame<'_>,
    id: &ModelId<'_>,
) -> Result<Map<String, Value>, String> {
    let Some(level) = &request.settings.thinking else { return Ok(Map::new()) };
    let fields = match id.maker {
        "anthropic" => return of_claude(request, frame, id),
        "amazon" if id.name.starts_with("nova-2") => match level {
            ThinkingLevel::Off => json!({"reasoningConfig": {"type": "disabled"}}),
            level => json!({
                "reasoningConfig": {"type": "enabled", "maxReasoningEffort": effort(level)?}
            }),
        },
        "openai" => match level {
            ThinkingLevel::Off => {
                return Err("gpt-oss always thinks: set `thinking` to low, or leave it out".into());
            }
            level => json!({"reasoning_effort": effort(level)?}),
        },
        _ if *level == ThinkingLevel::Off => return Ok(Map::new()),
        "qwen" => json!({"reasoning_config": effort(level)?}),
        _ => {
            return Err(format!(
                "it is not known how {} is told how much to think: leave `thinking` out, or set \
                 the model's own field in `additionalModelRequestFields`",
                frame.model
            ));
        }
    };
    Ok(fields.as_object().cloned().unwrap_or_default())
}

fn of_claude(
    request: &ModelRequest,
    frame: Frame<'_>,
    id: &ModelId<'_>,
) -> Result<Map<String, Value>, String> {
    let most = request.max_output.or(frame.profile.max_output).unwrap_or(MAX_TOKENS);
    let thinking = Thinking::of(request, id.name, most)?;
    let effort = thinking.effort().map(|effort| json!({"effort": effort}));
    let fields = [("thinking", thinking.field()), ("output_config", effort)];
    Ok(fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect())
}

/// The effort of a level; of a number of tokens the nearest.
fn effort(level: &ThinkingLevel) -> Result<&'static str, String> {
    Ok(match level {
        ThinkingLevel::Minimal | ThinkingLevel::Low => "low",
        ThinkingLevel::Medium => "medium",
        ThinkingLevel::Other(tokens) => match tokens.parse::<u64>() {
            Ok(0..5_000) => "low",
            Ok(5_000..12_000) => "medium",
            Ok(_) => "high",
            Err(_) => {
                return Err(format!("`{tokens}` is no thinking level and no number of tokens"));
            }
        },
        _ => "high",
    })
}
