//! What a provider signs or encrypts: it goes back there, and nowhere else.

use serde_json::Value;

/// What each wire or provider seals in the matrix, by its name in a case.
const SEALS: [(&str, &str); 5] = [
    ("responses", "gAAAAofopenai"),
    ("messages", "b2YtYW50aHJvcGlj"),
    ("gemini", "b2YtZ29vZ2xl"),
    ("bedrock", "b2YtYmVkcm9jaw=="),
    ("openrouter", "b2Ytb3BlbnJvdXRlcg=="),
];

/// What is wrong with the seals in the body of a case; `own` is the wire or the provider.
pub(crate) fn problems(own: &str, case: &str, body: &Value) -> Vec<String> {
    let body = body.to_string();
    let goes_back = ["thinking", "resumed", "cached", "handed_off_and_back"];
    let is_back =
        goes_back.iter().any(|start| case.starts_with(start)) && !case.ends_with("_alone");
    let wanted = |name: &str| name == own && is_back && body.contains("\"add\"");
    let problem = |(name, seal): &(&str, &str)| match (body.contains(seal), *name == own) {
        (true, false) => Some(format!("it holds what {name} sealed")),
        (false, true) if wanted(name) => Some("it holds nothing of what it sealed".to_owned()),
        _ => None,
    };
    SEALS.iter().filter_map(problem).collect()
}
