//! `legwork config show`: what holds, and where each value was said.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::known;
use crate::args;
use crate::commands::{print, print_json};
use crate::config::credential::KeySource;
use crate::config::key::BUDGET;
use crate::config::locate::shown;
use crate::config::{
    AllowPath, Answers, Config, Credential, Rule, Source, Sourced, Verb, in_bytes, in_words,
    of_network,
};
use crate::display::Terminal;
use crate::display::text::{visible, wrapped};
use crate::error::Error;
use crate::exit::Exit;
use crate::model::has_access_keys;
use crate::recorded::{BaseUrl, By};
use crate::settings::{Settings, provider};
use crate::store_address::StoreAddress;

/// Columns below which a source has a line of its own.
const NARROW: usize = 60;
/// Columns from which on values and sources stand beside each other.
const COLUMN: usize = 36;

/// A value as it is shown.
struct Row {
    key: &'static str,
    /// None where nothing was said, and nothing holds.
    value: Option<Value>,
    source: Source,
}

pub(super) fn show(args: &args::ConfigShow, file: Option<&Path>) -> Result<Exit, Error> {
    let config = Config::of_user(file)?;
    let settings = Settings::shown(&args.agent, &config)?;
    let store = StoreAddress::address_of(&args.store, &config);
    let rows = rows(&settings, store.as_ref().ok(), &config)?;
    let keys = credentials(&settings, &config);
    if args.json {
        let mut all = as_json(&rows, &settings.allow_paths, &keys, &config);
        if let Some(all) = all.as_object_mut() {
            all.insert("trust".to_owned(), settings.trust.as_json());
            all.insert("permissions".to_owned(), permissions(&settings.asking.rules));
            all.insert("mcp".to_owned(), servers(&settings));
        }
        return print_json(&format!("{all}\n"));
    }
    let mut text = as_text(&rows, &settings.allow_paths, &keys, Terminal::detect());
    push_models(&mut text, &config, Terminal::detect());
    push_bounds(&mut text, &config, Terminal::detect());
    push_web(&mut text, &config, Terminal::detect());
    push_servers(&mut text, &settings, Terminal::detect());
    push_permissions(&mut text, &settings.asking.rules, Terminal::detect());
    if let Err(error) = store {
        text.push_str(&format!("# store: {error}\n"));
    }
    for (key, source) in &settings.not_taken {
        text.push_str(&format!(
            "# {BUDGET}.{key} in {source} is not taken: a project only lowers limits\n"
        ));
    }
    for folders in config.trusted() {
        let value = format!("# trusted: {}", visible(&folders.value.text()));
        push(&mut text, &value, &folders.source.to_string(), Terminal::detect());
    }
    for line in settings.warnings() {
        text.push_str(&format!("# {}\n", visible(&line)));
    }
    let own = provider(&settings.model.value);
    let has_keys = has_access_keys(own);
    if let ([variable, ..], None, false) =
        (legwork::model::key_variables(own), &settings.key, has_keys)
    {
        text.push_str(&format!("# key of {own} is not set: neither {variable} nor [keys.{own}]\n"));
    }
    print(&text)
}

fn rows(
    settings: &Settings,
    store: Option<&Sourced<String>>,
    config: &Config,
) -> Result<Vec<Row>, Error> {
    let limits = &settings.limits;
    let color = config.color()?;
    let sandbox = Value::from(name_of(&settings.sandbox.value));
    let mut rows = vec![
        row("model", Some(settings.model.value.as_str().into()), &settings.model.source),
        base_url(settings),
        row(
            "store",
            store.map(|store| store.value.as_str().into()),
            store.map_or(&Source::Default, |store| &store.source),
        ),
        row("sandbox", Some(sandbox), &settings.sandbox.source),
        row("network", Some(of_network(&settings.network.value)), &settings.network.source),
        row(
            "approve",
            Some(name_of(&settings.asking.when.value).into()),
            &settings.asking.when.source,
        ),
    ];
    // Exact: what is written is the shortest text of the same number.
    let usd = limits.usd.value.map(|usd| json!(usd.0 as f64 / 1e6));
    for (key, limit) in [
        ("budget.steps", &limits.steps),
        ("budget.tool_calls", &limits.tool_calls),
        ("budget.tokens", &limits.tokens),
        ("budget.input_tokens", &limits.input_tokens),
        ("budget.output_tokens", &limits.output_tokens),
    ] {
        rows.push(row(key, limit.value.map(Value::from), &limit.source));
    }
    rows.push(row("budget.usd", usd, &limits.usd.source));
    let time = limits.time.value.map(|time| in_words(time).into());
    rows.push(row("budget.time", time, &limits.time.source));
    let max_write = in_bytes(settings.max_write.value).into();
    rows.push(row("max_write", Some(max_write), &settings.max_write.source));
    for (key, time) in
        [("retry_for", &settings.retry.retry_for), ("retry_max_wait", &settings.retry.max_wait)]
    {
        rows.push(row(key, Some(in_words(time.value).into()), &time.source));
    }
    let collector = config.telemetry()?;
    let shown = collector.as_ref().map(|url| shown_url(&url.value).into());
    let source = collector.map_or(Source::Default, |url| url.source);
    rows.push(row("telemetry", shown, &source));
    let content = config.telemetry_content();
    rows.push(row("telemetry_content", Some(name_of(&content.value).into()), &content.source));
    rows.push(row("color", Some(name_of(&color.value).into()), &color.source));
    Ok(rows)
}

fn row(key: &'static str, value: Option<Value>, source: &Source) -> Row {
    Row { key, value, source: source.clone() }
}

/// The address of the model; one that may hold a secret is not shown.
fn base_url(settings: &Settings) -> Row {
    let Some(url) = &settings.base_url else { return row("base_url", None, &Source::Default) };
    row("base_url", Some(shown_url(&url.value).into()), &url.source)
}

/// An address, unless it may hold a secret.
fn shown_url(url: &str) -> String {
    let shown = BaseUrl::of(url, By::Environment).url;
    shown.unwrap_or_else(|| "(not shown: it may hold a secret)".to_owned())
}

fn name_of<T: clap::ValueEnum>(value: &T) -> String {
    value.to_possible_value().map_or_else(String::new, |name| name.get_name().to_owned())
}

/// Where the keys are: that of the model's provider, and those that the file names.
fn credentials(settings: &Settings, config: &Config) -> Vec<Credential> {
    let mut providers = BTreeSet::from([provider(&settings.model.value)]);
    if let Some(user) = &config.user {
        providers.extend(user.values.keys.keys().map(String::as_str));
    }
    providers.into_iter().filter_map(|provider| Credential::find(provider, config)).collect()
}

/// Whether there is something where a key should be: never what, and nothing is run.
fn state(key: &KeySource) -> String {
    match key {
        KeySource::Variable(name) => {
            match std::env::var_os(name).is_some_and(|key| !key.is_empty()) {
                true => format!("set, from the variable {name}"),
                false => format!("not set: the variable {name} is empty"),
            }
        }
        KeySource::File(path) => match path.try_exists() {
            Ok(false) => format!("not set: there is no file {}", shown(path)),
            _ => format!("set, from the file {}", shown(path)),
        },
        KeySource::Command { .. } => "set, from a command".to_owned(),
    }
}

fn as_text(
    rows: &[Row],
    paths: &[Sourced<AllowPath>],
    keys: &[Credential],
    terminal: Terminal,
) -> String {
    let mut text = String::new();
    for Row { key, value, source } in rows {
        match value {
            Some(value) => {
                let value = format!("{key} = {}", in_toml(value));
                push(&mut text, &value, &source.to_string(), terminal);
            }
            None => text.push_str(&format!("# {key} is not set\n")),
        }
    }
    push_paths(&mut text, paths, terminal);
    for key in keys {
        let value = format!("# key of {}: {}", visible(&key.provider), state(&key.from.value));
        push(&mut text, &value, &key.from.source.to_string(), terminal);
    }
    text
}

/// A list with a line for each path, for each has a source of its own.
fn push_paths(text: &mut String, paths: &[Sourced<AllowPath>], terminal: Terminal) {
    if paths.is_empty() {
        return push(text, "allow_paths = []", &Source::Default.to_string(), terminal);
    }
    text.push_str("allow_paths = [\n");
    for path in paths {
        let value = format!("  {},", in_toml(&path.value.to_string().into()));
        push(text, &value, &path.source.to_string(), terminal);
    }
    text.push_str("]\n");
}

/// The rules for calls: a list for each verb, with a line for each rule.
fn push_permissions(text: &mut String, rules: &[Sourced<Rule>], terminal: Terminal) {
    for verb in Verb::ALL {
        let mut of_verb = rules.iter().filter(|rule| rule.value.verb == verb).peekable();
        if of_verb.peek().is_none() {
            continue;
        }
        text.push_str(&format!("permissions.{} = [\n", verb.name()));
        for rule in of_verb {
            let value = format!("  {},", in_toml(&rule.value.calls.to_string().into()));
            push(text, &value, &rule.source.to_string(), terminal);
        }
        text.push_str("]\n");
    }
}

/// What the user says of models, as inline tables.
fn push_models(text: &mut String, config: &Config, terminal: Terminal) {
    for (model, known) in config.models() {
        let model = in_toml(&model.into());
        let value = format!("models.{model} = {}", inline(&known::as_json(known.value)));
        push(text, &value, &known.source.to_string(), terminal);
    }
}

/// The bounds of an answer that the user sets, as dotted keys.
fn push_bounds(text: &mut String, config: &Config, terminal: Terminal) {
    let Some(bounds) = config.bounds() else { return };
    for (key, value) in bounds.value.listed() {
        let value = format!("bounds.{key} = {}", in_toml(&value));
        push(text, &value, &bounds.source.to_string(), terminal);
    }
}

/// What the user says of the tools for the web, as dotted keys.
fn push_web(text: &mut String, config: &Config, terminal: Terminal) {
    for (table, listed, source) in web(config) {
        for (key, value) in listed {
            let value = format!("{table}.{key} = {}", inline(&value));
            push(text, &value, &source.to_string(), terminal);
        }
    }
}

/// The MCP servers, as dotted keys.
fn push_servers(text: &mut String, settings: &Settings, terminal: Terminal) {
    for (name, server) in &settings.mcp.all {
        for (key, value) in server.value.listed() {
            let value = format!("mcp.{name}.{key} = {}", inline(&value));
            push(text, &value, &server.source.to_string(), terminal);
        }
    }
}

/// The same, by name.
fn servers(settings: &Settings) -> Value {
    let servers = settings.mcp.all.iter().map(|(name, server)| {
        let listed = server.value.listed().into_iter();
        let listed: Map<_, _> = listed.map(|(key, value)| (key.to_owned(), value)).collect();
        (name.clone(), with_source(json!({"value": listed}), &server.source))
    });
    Value::Object(servers.collect())
}

type Table = (&'static str, Vec<(&'static str, Value)>, Source);

/// The tables of the tools for the web that are there.
fn web(config: &Config) -> impl Iterator<Item = Table> {
    let web = config.web().map(|web| ("web", web.value.listed(), web.source));
    let search = config.search().map(|search| ("search", search.value.listed(), search.source));
    web.into_iter().chain(search)
}

/// The bounds of an answer, defaults included.
fn bounds(config: &Config) -> Value {
    let bounds = config.bounds();
    let (answers, source) = match &bounds {
        Some(bounds) => (bounds.value, &bounds.source),
        None => (Answers::default(), &Source::Default),
    };
    let listed = answers.listed().into_iter().map(|(key, value)| (key.to_owned(), value));
    with_source(json!({"value": listed.collect::<Map<_, _>>()}), source)
}

/// The rules for calls, by verb.
fn permissions(rules: &[Sourced<Rule>]) -> Value {
    let of_verb = |verb: Verb| -> Value {
        let rules = rules.iter().filter(|rule| rule.value.verb == verb);
        let rules = rules
            .map(|rule| with_source(json!({"value": rule.value.calls.to_string()}), &rule.source));
        rules.collect()
    };
    Verb::ALL
        .into_iter()
        .map(|verb| (verb.name().to_owned(), of_verb(verb)))
        .collect::<Map<_, _>>()
        .into()
}

fn models(config: &Config) -> Value {
    let models = config.models().map(|(model, known)| {
        (model.to_owned(), with_source(known::as_json(known.value), &known.source))
    });
    Value::Object(models.collect())
}

fn push(text: &mut String, value: &str, source: &str, terminal: Terminal) {
    match terminal.columns < NARROW {
        true => {
            let source = wrapped(&format!("# {source}"), terminal.columns.saturating_sub(2), 4);
            text.push_str(&format!("{value}\n  {source}\n"));
        }
        false => text.push_str(&format!("{value:<COLUMN$}  # {source}\n")),
    }
}

/// A value with tables in it as it is written on one line of a file.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| format!("{key} = {}", inline(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        other => in_toml(other),
    }
}

/// A value as it is written in a file; JSON and TOML agree on all that occurs.
fn in_toml(value: &Value) -> String {
    visible(&value.to_string()).into_owned()
}

fn as_json(
    rows: &[Row],
    paths: &[Sourced<AllowPath>],
    keys: &[Credential],
    config: &Config,
) -> Value {
    let (mut values, mut budget) = (Map::new(), Map::new());
    for Row { key, value, source } in rows {
        let (table, key) = match key.strip_prefix("budget.") {
            Some(key) => (&mut budget, key),
            None => (&mut values, *key),
        };
        table.insert(key.to_owned(), with_source(json!({"value": value}), source));
    }
    let paths = paths
        .iter()
        .map(|path| with_source(json!({"value": path.value.to_string()}), &path.source));
    values.insert("allow_paths".to_owned(), paths.collect());
    let keys = keys.iter().map(|key| {
        let entry = json!({"from": key.from.value.name(), "state": state(&key.from.value)});
        (key.provider.clone(), with_source(entry, &key.from.source))
    });
    let mut all = json!({
        "values": values,
        "budget": budget,
        "keys": keys.collect::<Map<_, _>>(),
        "models": models(config),
        "bounds": bounds(config),
    });
    for (table, listed, source) in web(config) {
        let listed: Map<_, _> =
            listed.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        if let Some(all) = all.as_object_mut() {
            all.insert(table.to_owned(), with_source(json!({"value": listed}), &source));
        }
    }
    all
}

fn with_source(mut entry: Value, source: &Source) -> Value {
    if let Some(object) = entry.as_object_mut() {
        object.insert("source".to_owned(), source.name().into());
        if let Some(line) = source.line() {
            object.insert("path".to_owned(), line.path.to_string_lossy().into());
            object.insert("line".to_owned(), line.number.into());
        }
        if let Source::Environment(name) | Source::Flag(name) = source {
            object.insert("name".to_owned(), (*name).into());
        }
    }
    entry
}

#[cfg(test)]
mod tests;
