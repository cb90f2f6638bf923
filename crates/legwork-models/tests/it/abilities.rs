//! The page `docs/models.md` has the table of what the models of each provider can.

use legwork_models::catalogue::Row;
use legwork_models::{Catalogue, Provider, providers};
use legwork_port::{Ability, Support};

/// A row of what the models of a provider can, as far as the catalogue knows them.
fn abilities(provider: &Provider) -> Option<String> {
    let of = format!("{}:", provider.name);
    let shipped = Catalogue::shipped();
    // The others say something of models that have rows of their own.
    let is_model = |row: &&Row| row.context_window.is_some() || row.max_output.is_some();
    let names = shipped.iter().filter(is_model).filter_map(|row| row.model.strip_prefix(&of));
    let model = |name: &str| {
        let name = name.trim_end_matches('*');
        provider.model(name, Some("http://127.0.0.1")).unwrap().row().known()
    };
    let models: Vec<_> = names.map(model).collect();
    let cell = |ability: Ability| {
        let count = |say| models.iter().filter(|known| known.of(ability) == say).count();
        match (count(Support::Yes), count(Support::No), models.len()) {
            (0, 0, _) => "-".to_owned(),
            (0, _, _) => "no".to_owned(),
            (yes, _, all) if yes == all => "yes".to_owned(),
            (yes, _, all) => format!("{yes} of {all}"),
        }
    };
    let cells = Ability::ALL.map(cell).join(" | ");
    let counts = if provider.api.counts_tokens() { "yes" } else { "estimated" };
    let row = format!("| `{}` | {} | {cells} | {counts} |", provider.name, models.len());
    (!models.is_empty()).then_some(row)
}

#[test]
fn the_page_has_what_each_provider_can_as_the_catalogue_says() {
    let titles = Ability::ALL.map(Ability::title).join(" | ");
    let head = format!("| provider | models | {titles} | counts tokens |");
    let rule = format!("|{}", "---|".repeat(Ability::ALL.len() + 3));
    let rows = providers::ALL.iter().filter_map(abilities);
    let table: Vec<_> = [head, rule].into_iter().chain(rows).collect();
    let table = table.join("\n");
    let page = include_str!("../../../../docs/models.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        return update(page, &table);
    }
    let is_there = page.contains(&format!("\n\n{table}\n\n"));
    assert!(
        is_there,
        "docs/models.md lacks this; UPDATE_DOCS=1 makes this test write it:\n{table}"
    );
}

/// Puts the table in the place of the one that the page has.
fn update(page: &str, table: &str) {
    let begin = page.find("| provider | models |").unwrap();
    let end = begin + page[begin..].find("\n\n").unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/models.md");
    std::fs::write(path, [&page[..begin], table, &page[end..]].concat()).unwrap();
}
