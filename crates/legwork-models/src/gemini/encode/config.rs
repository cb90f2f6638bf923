//! How an answer is to be made, and which tools it may call.

use legwork_core::inference::{ModelRequest, ToolChoice};
use serde_json::{Value, json};

use super::thinking;
use crate::answer::Streaming;
use crate::wire::{Frame, Joined, is_any_object, joined, set};

/// The field that asks for arguments of calls in pieces, which goes with a stream and tools only.
const STREAM_ARGUMENTS: &str = "streamFunctionCallArguments";

/// The field `generationConfig`: what the request asks for, and over it what is set from outside.
///
/// # Errors
/// What the API cannot do.
pub(super) fn generation(request: &ModelRequest, frame: Frame<'_>) -> Result<Joined, String> {
    let settings = &request.settings;
    if settings.parallel_calls == Some(false) && !request.tools.is_empty() {
        return Err("Gemini cannot be kept from several calls in one answer; leave \
                    `parallel_calls` unset"
            .to_owned());
    }
    let thinking = settings.thinking.as_ref();
    let thinking = thinking.map(|level| thinking::config(level, frame.model)).transpose()?;
    let schema = request.response_format.as_deref();
    let own = [
        ("maxOutputTokens", request.max_output.map(Value::from)),
        ("responseJsonSchema", schema.filter(|schema| !is_any_object(schema)).cloned()),
        ("responseMimeType", schema.map(|_| "application/json".into())),
        ("seed", settings.seed.map(Value::from)),
        ("stopSequences", (!settings.stop.is_empty()).then(|| settings.stop.clone().into())),
        ("temperature", settings.temperature.map(Value::from)),
        ("thinkingConfig", thinking.flatten()),
        ("topP", settings.top_p.map(Value::from)),
    ];
    let config = joined("generationConfig", set(own), request, frame);
    match config.with_outside().and_then(|all| all.get("candidateCount")) {
        None => Ok(config),
        Some(count) if *count == 1 => Ok(config),
        Some(_) => Err("only one answer is read; take `candidateCount` out of \
                        `generationConfig`"
            .to_owned()),
    }
}

/// The field `toolConfig`, in the same way.
pub(super) fn tools(request: &ModelRequest, frame: Frame<'_>) -> Joined {
    let calling = match &request.tool_choice {
        _ if request.tools.is_empty() => None,
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!({"mode": "NONE"})),
        ToolChoice::Required => Some(json!({"mode": "ANY"})),
        ToolChoice::Named(name) => Some(json!({"mode": "ANY", "allowedFunctionNames": [name]})),
    };
    let mut config =
        joined("toolConfig", set([("functionCallingConfig", calling)]), request, frame);
    if let Joined::All(all) = &mut config
        && (frame.asked == Streaming::No || request.tools.is_empty())
    {
        leave_out(STREAM_ARGUMENTS, all);
    }
    config
}

/// Leaves a field of `functionCallingConfig` out, and that too if it has no other.
fn leave_out(key: &str, config: &mut Value) {
    let Some(calling) = config.get_mut("functionCallingConfig").and_then(Value::as_object_mut)
    else {
        return;
    };
    if calling.remove(key).is_some() && calling.is_empty() {
        config.as_object_mut().map(|config| config.remove("functionCallingConfig"));
    }
}
