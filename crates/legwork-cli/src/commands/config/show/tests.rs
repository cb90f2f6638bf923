use super::*;
use crate::display::text::columns;

fn terminal(columns: usize) -> Terminal {
    Terminal { columns, ..Terminal::detect() }
}

fn rows() -> Vec<Row> {
    vec![
        row("model", Some("openai:gpt-5-mini".into()), &Source::Environment("LEGWORK_MODEL")),
        row("budget.steps", Some(100.into()), &Source::Default),
        row("budget.tokens", None, &Source::Default),
        row("store", Some("sqlite:\x1b[2J".into()), &Source::Flag("--store")),
    ]
}

#[test]
fn a_narrow_terminal_shows_sources_on_lines_of_their_own() {
    let narrow = as_text(&rows(), &[], &[], terminal(40));
    assert!(narrow.lines().all(|line| columns(line) <= 40), "{narrow}");
    assert!(narrow.starts_with("model = \"openai:gpt-5-mini\"\n  # LEGWORK_MODEL\n"), "{narrow}");
    let wide = as_text(&rows(), &[], &[], terminal(100));
    assert_eq!(wide.lines().count(), 5, "{wide}");
    assert!(wide.contains("# budget.tokens is not set\n"), "{wide}");
}

#[test]
fn nothing_that_is_shown_commands_the_terminal() {
    assert!(!as_text(&rows(), &[], &[], terminal(100)).contains('\x1b'));
}

#[test]
fn what_is_shown_is_toml() {
    let path = |path: &str| AllowPath::parse(path, std::path::Path::new("/")).unwrap();
    let paths = ["/a", "/b:ro"].map(|text| Sourced::new(path(text), Source::Default));
    let text = as_text(&rows(), &paths, &[], terminal(100));
    let table: toml::Table = toml::from_str(&text).unwrap();
    assert_eq!(table["store"].as_str(), Some("sqlite:\x1b[2J"));
    let paths: Vec<_> = table["allow_paths"].as_array().unwrap().iter().collect();
    assert_eq!(paths, [&"/a".into(), &toml::Value::from("/b:ro")]);
}
