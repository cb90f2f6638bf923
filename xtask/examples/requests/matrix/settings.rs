//! Settings, each by itself and together.

use legwork_core::inference::{ModelSettings, ThinkingLevel, ToolChoice};
use serde_json::Value;

use super::Case;
use super::conversation::{conversation, set, with_tools};

pub(super) fn cases() -> Vec<Case> {
    let of = |name: &str, settings| Case::new(name, set(with_tools(conversation([])), settings));
    let usual = ModelSettings::default;
    let extra = |key: &str, value: Value| {
        let extra = [(key.to_owned(), value)].into_iter().collect();
        ModelSettings { extra, ..usual() }
    };
    let mut bounded = with_tools(conversation([]));
    bounded.max_output = Some(512);
    let mut cases = vec![
        of("temperature", ModelSettings { temperature: Some(0.5), ..usual() }),
        of("top_p", ModelSettings { top_p: Some(0.9), ..usual() }),
        of("seed", ModelSettings { seed: Some(7), ..usual() }),
        of("stop", ModelSettings { stop: vec!["END".to_owned()], ..usual() }),
        of("several_calls_allowed", ModelSettings { parallel_calls: Some(true), ..usual() }),
        of("no_parallel_calls", ModelSettings { parallel_calls: Some(false), ..usual() }),
        of("background", extra("background", true.into())),
        of("previous_response", extra("previous_response_id", "auto".into())),
        Case::new("max_output", bounded),
    ];
    cases.extend(combined());
    cases
}

/// Settings together: those that each API has, and more that some have.
fn combined() -> Vec<Case> {
    let sampled = ModelSettings {
        temperature: Some(0.5),
        top_p: Some(0.9),
        parallel_calls: Some(true),
        ..ModelSettings::default()
    };
    let stopped = ModelSettings { stop: vec!["END".to_owned()], ..sampled.clone() };
    let seeded = ModelSettings { seed: Some(7), ..stopped.clone() };
    let one = ModelSettings { parallel_calls: Some(false), ..sampled.clone() };
    let thinking = Some(ThinkingLevel::High);
    let thinks = ModelSettings { thinking, ..ModelSettings::default() };
    let all = [
        ("combined", sampled, ToolChoice::Required),
        ("combined_stop", stopped, ToolChoice::Auto),
        ("combined_stop_seed", seeded, ToolChoice::Named("add".to_owned())),
        ("combined_one_call", one, ToolChoice::Required),
        ("combined_thinking", thinks.clone(), ToolChoice::Auto),
        ("combined_thinking_required", thinks, ToolChoice::Required),
    ];
    let case = |(name, settings, choice)| {
        let mut request = set(with_tools(conversation([])), settings);
        request.instructions = "Be careful.".into();
        request.max_output = Some(8_192);
        request.tool_choice = choice;
        Case::new(name, request)
    };
    all.map(case).into()
}
