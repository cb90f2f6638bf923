//! From the text of a file to what it says, or to what is wrong with it and where.

use legwork::tools::sandbox::{InvalidHost, Network};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::allow::AllowPath;
use super::bounds::answers;
use super::document::{Document, SEE_KEYS, Whose};
use super::folders::Folders;
use super::item::Item;
use super::key::{KEYS, Key, Project, nearest};
use super::locate::expanded;
use super::prices::prices;
use super::tables::{keys, providers};
use super::values::{At, Values};
use crate::error::Error;

pub(super) const NO_KEY_HERE: &str = "a key itself has no place in a file of settings: say where it is with \
                           `env`, `file` or `command` in [keys.PROVIDER]";

/// Reads a document.
///
/// # Errors
/// The first thing that is wrong, with its place. No error shows a value of `[keys]`, nor
/// the text of a line: somebody may have put a key there.
pub(super) fn parse(document: &Document<'_>) -> Result<Values, Error> {
    let table = DeTable::parse(document.text).map_err(|error| {
        let message = format!("this is no TOML: {}", error.message().replace('\n', ", "));
        let hint = "https://toml.io shows how it is written; `legwork help config` has examples";
        document.problem(&error.span().unwrap_or(0..0), &message, hint)
    })?;
    let mut values = Values::default();
    for (name, value) in in_order(table.get_ref()) {
        let key = Key::of(name.get_ref()).ok_or_else(|| unknown(document, name))?;
        allowed(document, key, name)?;
        let item = item(document, key.name.to_owned(), value, key.expects.in_words());
        set(&mut values, key, &item)?;
    }
    Ok(values)
}

pub(super) type Entry<'a> = (&'a Spanned<DeString<'a>>, &'a Spanned<DeValue<'a>>);

/// The entries in the order of the text, so that the first problem is told first.
pub(super) fn in_order<'a>(table: &'a DeTable<'a>) -> Vec<Entry<'a>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries
}

pub(super) fn item<'a>(
    document: &'a Document<'a>,
    name: String,
    value: &'a Spanned<DeValue<'a>>,
    expects: &'static str,
) -> Item<'a> {
    Item { document, name, at: value.span(), value: value.get_ref(), expects }
}

fn unknown(document: &Document<'_>, name: &Spanned<DeString<'_>>) -> Error {
    let text = name.get_ref();
    let message = format!(
        "the key `{}` is not known; {}",
        clipped(text),
        nearest(text, KEYS.iter().map(|key| key.name))
    );
    let lower = text.to_ascii_lowercase();
    let is_key = lower.contains("key") || lower.contains("secret");
    document.problem(&name.span(), &message, if is_key { NO_KEY_HERE } else { SEE_KEYS })
}

pub(super) fn clipped(name: &str) -> String {
    match name.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// A project's file came with a repository: it may make a run smaller, and no more.
fn allowed(document: &Document<'_>, key: &Key, name: &Spanned<DeString<'_>>) -> Result<(), Error> {
    let (Whose::Project, Project::Never(why)) = (document.whose, key.project) else {
        return Ok(());
    };
    let message = format!(
        "`{}` cannot be set in a project's file, which a repository brings or an agent writes: \
         {why}",
        key.name
    );
    let flag = key.flag.map_or_else(String::new, |flag| format!(", or use {flag}"));
    let hint = format!(
        "take it out there and put it into your own file (`legwork config path` says which that \
         is){flag}"
    );
    Err(document.problem(&name.span(), &message, &hint))
}

fn set(values: &mut Values, key: &Key, item: &Item<'_>) -> Result<(), Error> {
    let line = item.document.line(item.at.start);
    macro_rules! at {
        ($value:expr) => {
            Some(At { value: $value?, line })
        };
    }
    match key.name {
        "model" => values.model = at!(model(item)),
        "base_url" => values.base_url = at!(item.text().map(str::to_owned)),
        "store" => values.store = at!(store(item)),
        "sandbox" => values.sandbox = at!(item.one_of()),
        "network" => values.network = at!(network(item)),
        "allow_paths" => values.allow_paths = paths(item)?,
        "trust" => values.trust = folders(item)?,
        "max_steps" => values.max_steps = at!(item.count()),
        "max_cost_usd" => values.max_cost_usd = at!(item.money()),
        "max_tokens" => values.max_tokens = at!(item.count()),
        "max_active_time" => values.max_active_time = at!(item.time_limit()),
        "max_write" => values.max_write = at!(item.bytes()),
        "retry_for" => values.retry_for = at!(item.duration()),
        "retry_max_wait" => values.retry_max_wait = at!(item.duration()),
        "color" => values.color = at!(item.one_of()),
        "keys" => values.keys = keys(item)?,
        "providers" => values.providers = providers(item)?,
        "bounds" => values.bounds = at!(answers(item)),
        "prices" => values.prices = prices(item)?,
        other => return Err(item.problem(&format!("is listed as `{other}`, but nothing reads it"))),
    }
    Ok(())
}

fn model(item: &Item<'_>) -> Result<String, Error> {
    let text = item.text()?;
    match text.split_once(':') {
        Some((provider, name)) if !provider.is_empty() && !name.is_empty() => Ok(text.to_owned()),
        _ => Err(item.wrong_text()),
    }
}

fn store(item: &Item<'_>) -> Result<String, Error> {
    let text = item.text()?;
    if text == "memory:" {
        return Ok(text.to_owned());
    }
    let path = text.strip_prefix("sqlite:").ok_or_else(|| item.wrong_text())?;
    let path = expanded(path, item.document.folder());
    let path = path.map_err(|why| item.problem(&format!("cannot be used: {why}")))?;
    Ok(format!("sqlite:{}", path.display()))
}

fn network(item: &Item<'_>) -> Result<Network, Error> {
    let wrong = |error: &InvalidHost| item.problem(&format!("has a wrong value: {error}"));
    if !item.is_list() {
        return match item.text()? {
            "off" => Ok(Network::Off),
            "all" => Ok(Network::All),
            _ => Err(item.wrong_text()),
        };
    }
    let hosts = item.texts()?.iter().map(Item::text).collect::<Result<Vec<_>, _>>()?;
    match hosts.is_empty() {
        true => Err(item.problem("is empty; for no network write \"off\"")),
        false => Network::hosts(hosts).map_err(|error| wrong(&error)),
    }
}

fn paths(item: &Item<'_>) -> Result<Vec<At<AllowPath>>, Error> {
    let path = |item: &Item<'_>| {
        let parsed = AllowPath::parse(item.text()?, item.document.folder());
        let value = parsed.map_err(|why| item.problem(&format!("cannot be used: {why}")))?;
        Ok(At { value, line: item.document.line(item.at.start) })
    };
    item.texts()?.iter().map(path).collect()
}

fn folders(item: &Item<'_>) -> Result<Vec<At<Folders>>, Error> {
    let folders = |item: &Item<'_>| {
        let parsed = Folders::parse(item.text()?, item.document.folder());
        let value = parsed.map_err(|why| item.problem(&format!("cannot be used: {why}")))?;
        Ok(At { value, line: item.document.line(item.at.start) })
    };
    item.texts()?.iter().map(folders).collect()
}

#[cfg(test)]
mod tests;
