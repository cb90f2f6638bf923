//! The tables of providers: `[keys.PROVIDER]` and `[providers.NAME]`.

use std::collections::BTreeMap;

use super::credential::{KeySource, Program};
use super::document::SEE_KEYS;
use super::item::Item;
use super::key::{OF_KEYS, OF_PROVIDERS, nearest};
use super::locate::expanded;
use super::parse::{NO_KEY_HERE, clipped, in_order, item};
use super::values::At;
use crate::error::Error;

/// The tables in a table, each by its name.
fn tables<T>(
    outer: &Item<'_>,
    read: impl Fn(&Item<'_>, usize) -> Result<T, Error>,
) -> Result<BTreeMap<String, T>, Error> {
    let mut all = BTreeMap::new();
    for (name, value) in in_order(outer.table()?) {
        let whole = format!("{}.{}", outer.name, clipped(name.get_ref()));
        if name.get_ref().is_empty() || name.get_ref().contains(':') {
            let message = format!("`{whole}` is no provider: it is what stands before the colon");
            return Err(outer.document.problem(&name.span(), &message, SEE_KEYS));
        }
        let line = outer.document.line(name.span().start);
        let inner = item(outer.document, whole, value, outer.expects);
        all.insert(name.get_ref().clone().into_owned(), read(&inner, line)?);
    }
    Ok(all)
}

/// The entries of a provider's table, all of names that are known.
pub(super) fn entries<'a>(
    outer: &Item<'a>,
    known: &[&'static str],
) -> Result<Vec<Item<'a>>, Error> {
    let mut all = Vec::new();
    for (name, value) in in_order(outer.table()?) {
        if !known.contains(&&**name.get_ref()) {
            let message = format!(
                "the key `{}.{}` is not known; {}",
                outer.name,
                clipped(name.get_ref()),
                nearest(name.get_ref(), known.iter().copied())
            );
            let secret = known.contains(&"command");
            let hint = if secret { NO_KEY_HERE } else { SEE_KEYS };
            return Err(outer.document.problem(&name.span(), &message, hint));
        }
        all.push(item(outer.document, name.get_ref().clone().into_owned(), value, "text"));
    }
    Ok(all)
}

/// Where the keys of providers are.
pub(super) fn keys(outer: &Item<'_>) -> Result<BTreeMap<String, At<KeySource>>, Error> {
    tables(outer, |table, line| {
        let entries = entries(table, &OF_KEYS)?;
        let [entry] = entries.as_slice() else {
            return Err(table.problem("must have exactly one of `env`, `file` and `command`"));
        };
        let value = key_source(&table.name, entry)?;
        Ok(At { value, line })
    })
}

pub(super) fn key_source(table: &str, entry: &Item<'_>) -> Result<KeySource, Error> {
    let folder = entry.document.folder().to_owned();
    let whole = Item { name: format!("{table}.{}", entry.name), at: entry.at.clone(), ..*entry };
    match &*entry.name {
        "env" => whole.text().map(|name| KeySource::Variable(name.to_owned())),
        "file" => {
            let path = expanded(whole.text()?, &folder);
            path.map(KeySource::File)
                .map_err(|why| whole.problem(&format!("cannot be used: {why}")))
        }
        _ if whole.is_list() => {
            let words = whole.texts()?;
            let words = words.iter().map(|word| Ok(word.text()?.to_owned()));
            let words: Vec<_> = words.collect::<Result<_, Error>>()?;
            if words.is_empty() {
                return Err(whole.problem("is empty"));
            }
            Ok(KeySource::Command { program: Program::Words(words), folder })
        }
        _ => {
            let whole = Item { expects: "text, or a list of text", ..whole };
            let program = Program::Shell(whole.text()?.to_owned());
            Ok(KeySource::Command { program, folder })
        }
    }
}

/// Where providers are served.
pub(super) fn providers(outer: &Item<'_>) -> Result<BTreeMap<String, Option<At<String>>>, Error> {
    tables(outer, |table, _| {
        let entries = entries(table, &OF_PROVIDERS)?;
        let Some(entry) = entries.first() else { return Ok(None) };
        let line = entry.document.line(entry.at.start);
        Ok(Some(At { value: entry.text()?.to_owned(), line }))
    })
}
