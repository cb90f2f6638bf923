//! From the text of a file to what it says, or to what is wrong with it and where.

use legwork::store::Address;
use legwork::tools::sandbox::{InvalidHost, Network};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::allow::AllowPath;
use super::bounds::answers;
use super::document::{Document, SEE_KEYS, Whose};
use super::folders::Folders;
use super::item::Item;
use super::key::{BUDGET, KEYS, Key, Project, nearest};
use super::locate::expanded;
use super::mcp::mcp;
use super::models::models;
use super::permissions::permissions;
use super::tables::{keys, providers};
use super::values::{At, Values};
use super::web::{search, web};
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
    read(&mut values, document, "", table.get_ref())?;
    Ok(values)
}

/// Reads the keys of the top level, or of the table of limits.
fn read(
    values: &mut Values,
    document: &Document<'_>,
    table: &str,
    entries: &DeTable<'_>,
) -> Result<(), Error> {
    for (name, value) in in_order(entries) {
        if table.is_empty() && name.get_ref() == BUDGET {
            let expects = "a table such as [budget] with `steps` or `time` in it";
            let limits = item(document, BUDGET.to_owned(), value, expects);
            read(values, document, BUDGET, limits.table()?)?;
            continue;
        }
        let key = Key::of(table, name.get_ref()).ok_or_else(|| unknown(document, table, name))?;
        allowed(document, key, name)?;
        set(values, key, &item(document, key.path(), value, key.expects.in_words()))?;
    }
    Ok(())
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

fn unknown(document: &Document<'_>, table: &str, name: &Spanned<DeString<'_>>) -> Error {
    let text = name.get_ref();
    let known = KEYS.iter().filter(|key| table.is_empty() || key.table == table);
    let known: Vec<_> = known.map(Key::path).collect();
    let path = match table {
        "" => clipped(text),
        table => format!("{table}.{}", clipped(text)),
    };
    let nearest = nearest(text, known.iter().map(String::as_str));
    let message = format!("the key `{path}` is not known; {nearest}");
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
    if document.whose == Whose::Flag && !["approve", "permissions"].contains(&key.name) {
        let message = format!("`{}` cannot be set in a file of permissions", key.path());
        let hint = "such a file has `approve` and the table [permissions]; `legwork help config`";
        return Err(document.problem(&name.span(), &message, hint));
    }
    let (Whose::Project, Project::Never(why)) = (document.whose, key.project) else {
        return Ok(());
    };
    let message = format!(
        "`{}` cannot be set in a project's file, which a repository brings or an agent writes: \
         {why}",
        key.path()
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
    let Values { budget, .. } = values;
    match (key.table, key.name) {
        (BUDGET, "steps") => budget.steps = at!(item.count()),
        (BUDGET, "tool_calls") => budget.tool_calls = at!(item.count()),
        (BUDGET, "tokens") => budget.tokens = at!(item.count()),
        (BUDGET, "input_tokens") => budget.input_tokens = at!(item.count()),
        (BUDGET, "output_tokens") => budget.output_tokens = at!(item.count()),
        (BUDGET, "usd") => budget.usd = at!(item.money()),
        (BUDGET, "time") => budget.time = at!(item.time_limit()),
        (_, "model") => values.model = at!(model(item)),
        (_, "base_url") => values.base_url = at!(item.text().map(str::to_owned)),
        (_, "store") => values.store = at!(store(item)),
        (_, "sandbox") => values.sandbox = at!(item.one_of()),
        (_, "network") => values.network = at!(network(item)),
        (_, "approve") => values.approve = at!(item.one_of()),
        (_, "permissions") => values.permissions = permissions(item)?,
        (_, "allow_paths") => values.allow_paths = paths(item)?,
        (_, "trust") => values.trust = folders(item)?,
        (_, "max_write") => values.max_write = at!(item.bytes()),
        (_, "retry_for") => values.retry_for = at!(item.duration()),
        (_, "retry_max_wait") => values.retry_max_wait = at!(item.duration()),
        (_, "color") => values.color = at!(item.one_of()),
        (_, "notify") => values.notify = at!(item.text().map(str::to_owned)),
        (_, "telemetry") => values.telemetry = at!(item.text().map(str::to_owned)),
        (_, "telemetry_content") => values.telemetry_content = at!(item.one_of()),
        (_, "keys") => values.keys = keys(item)?,
        (_, "providers") => values.providers = providers(item)?,
        (_, "bounds") => values.bounds = at!(answers(item)),
        (_, "web") => values.web = at!(web(item)),
        (_, "search") => values.search = at!(search(item)),
        (_, "mcp") => values.mcp = mcp(item)?,
        (_, "models") => values.models = models(item)?,
        _ => return Err(item.problem("is listed, but nothing reads it")),
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
    let address = Address::parse(text).map_err(|_| item.wrong_text())?;
    let Some(path) = address.path() else { return Ok(text.to_owned()) };
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    let path = expanded(path, item.document.folder());
    let path = path.map_err(|why| item.problem(&format!("cannot be used: {why}")))?;
    Ok(format!("{scheme}:{}", path.display()))
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
