//! The page `docs/models.md` has the table of the providers that are known.

use legwork_models::{Provider, ThinkingBack, ThinkingControl, providers};

fn row(provider: &Provider) -> String {
    let Provider { name, title, api, base_url, keys, quirks, .. } = provider;
    let keys = match keys {
        [] => "none".to_owned(),
        keys => keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", "),
    };
    let url = base_url.map_or("of the account".to_owned(), |url| format!("`{url}`"));
    let thinking = match (quirks.thinking, quirks.thinking_back) {
        _ if api.name() != "chat" => "signed or encrypted, sent back",
        (ThinkingControl::Effort, _) => "an effort",
        (_, ThinkingBack::WithCalls) => "sent back with calls",
        (_, ThinkingBack::Always) => "sent back",
        _ => "on or off",
    };
    format!("| `{name}` | {title} | {} | {url} | {keys} | {thinking} |", api.title())
}

#[test]
fn the_page_has_each_known_provider_as_it_is() {
    let page = include_str!("../../../../docs/models.md");
    let rows: Vec<_> = providers::ALL.iter().map(row).collect();
    let missing: Vec<_> = rows.iter().filter(|row| !page.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "put these rows into docs/models.md: {missing:#?}");
    let own = |line: &&str| line.starts_with("| `") && line.matches(" | ").count() == 5;
    let known = |line: &&str| rows.iter().any(|row| row == line) || line.contains("Bedrock");
    let others: Vec<_> = page.lines().filter(own).filter(|line| !known(line)).collect();
    let all = cfg!(all(
        feature = "anthropic",
        feature = "gemini",
        feature = "openai",
        feature = "responses"
    ));
    assert!(others.is_empty() || !all, "take these rows out of docs/models.md: {others:#?}");
}

#[cfg(feature = "embeddings")]
fn embeddings_row(provider: &Provider) -> Option<String> {
    let dialect = provider.embeddings?;
    let field = match dialect.quirks.dimensions.name() {
        Some(name) => format!("`{name}`"),
        None => "none".to_owned(),
    };
    let tokens = dialect.quirks.tokens.map_or("any".to_owned(), |tokens| tokens.to_string());
    let (name, api, texts) = (provider.name, dialect.api.title(), dialect.quirks.texts);
    Some(format!("| `{name}` | {api} | {field} | {texts} | {tokens} |"))
}

#[cfg(feature = "embeddings")]
#[test]
fn the_page_has_each_provider_with_embeddings_as_it_is() {
    let page = include_str!("../../../../docs/models.md");
    let (_, section) = page.split_once("## Embeddings").unwrap();
    let rows: Vec<_> = providers::ALL.iter().filter_map(embeddings_row).collect();
    let missing: Vec<_> = rows.iter().filter(|row| !section.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "put these rows into docs/models.md: {missing:#?}");
    let own = |line: &&str| line.starts_with("| `") && line.matches(" | ").count() == 4;
    let others: Vec<_> =
        section.lines().filter(own).filter(|line| !rows.iter().any(|row| row == line)).collect();
    let all = cfg!(all(feature = "gemini", feature = "openai", feature = "responses"));
    assert!(others.is_empty() || !all, "take these rows out of docs/models.md: {others:#?}");
}
