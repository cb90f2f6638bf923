//! How much a model is to think.

use legwork_core::inference::ThinkingLevel;
use serde_json::{Value, json};

use crate::gemini::generation::Generation;

/// The least budget of Gemini 2.5 Pro, which always thinks.
const LEAST_OF_PRO: i64 = 128;

/// The field `thinkingConfig`, if the model has one for this level.
///
/// Budgets are those that Google's Chat Completions takes the same levels for. Another level is
/// sent as it is, or is a number of tokens (-1: as many as the model decides).
///
/// # Errors
/// A level that the model does not know.
pub(super) fn config(level: &ThinkingLevel, model: &str) -> Result<Option<Value>, String> {
    if let ThinkingLevel::Other(other) = level
        && let Ok(tokens) = other.parse::<i64>()
    {
        return Ok(Some(budget(tokens, tokens != 0)));
    }
    match Generation::of(model) {
        Generation::Third => Ok(Some(of_level(level, model))),
        Generation::Second => of_budget(level, model),
    }
}

/// From Gemini 3 on, no model can be kept from thinking, and Pro knows no less than `LOW`.
fn of_level(level: &ThinkingLevel, model: &str) -> Value {
    let is_pro = model.split('-').any(|word| word == "pro");
    let word = match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal if is_pro => "LOW".to_owned(),
        ThinkingLevel::Off => "MINIMAL".to_owned(),
        level => level.as_str().to_ascii_uppercase(),
    };
    json!({"includeThoughts": *level != ThinkingLevel::Off, "thinkingLevel": word})
}

fn of_budget(level: &ThinkingLevel, model: &str) -> Result<Option<Value>, String> {
    let thinks = model.starts_with("gemini-2.5");
    let tokens = match level {
        ThinkingLevel::Off if !thinks => return Ok(None),
        ThinkingLevel::Off if model.starts_with("gemini-2.5-pro") => LEAST_OF_PRO,
        ThinkingLevel::Off => 0,
        ThinkingLevel::Minimal | ThinkingLevel::Low => 1_024,
        ThinkingLevel::Medium => 8_192,
        ThinkingLevel::High => 24_576,
        other => {
            return Err(format!(
                "{model} does not know the thinking level `{}`; use off, minimal, low, medium, \
                 high or a number of tokens",
                other.as_str()
            ));
        }
    };
    Ok(Some(budget(tokens, *level != ThinkingLevel::Off)))
}

fn budget(tokens: i64, thoughts: bool) -> Value {
    json!({"includeThoughts": thoughts, "thinkingBudget": tokens})
}

#[cfg(test)]
mod tests;
