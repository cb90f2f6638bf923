//! `legwork mcp add`: a table more in the user's own file.

use std::path::Path;

use legwork::mcp::{Endpoint, is_server_name};
use toml_edit::{Array, InlineTable, Table, Value, value};

use super::written::Written;
use crate::args;
use crate::commands::print;
use crate::config::{Config, in_words};
use crate::error::Error;
use crate::exit::Exit;

pub(super) fn add(
    args: &args::McpAdd,
    config: &Config,
    file: Option<&Path>,
) -> Result<Exit, Error> {
    if !is_server_name(&args.name) {
        let message = format!("{:?} cannot be the name of an MCP server", args.name);
        return Err(Error::usage(message, "it has 1 to 32 letters, digits, `_` and `-`"));
    }
    if let Some(there) = config.own_mcp().get(&args.name) {
        let message = format!("there is an MCP server {} already, in {}", args.name, there.source);
        let hint = format!("`legwork mcp rm {}` removes it; or choose another name", args.name);
        return Err(Error::usage(message, hint));
    }
    let table = table(args)?;
    let written = Written::open(file)?;
    let path = written.with(&args.name, table)?;
    print(&format!(
        "{} is added to {path}; `legwork mcp test {}` connects to it\n",
        args.name, args.name
    ))
}

fn table(args: &args::McpAdd) -> Result<Table, Error> {
    let mut table = Table::new();
    match &args.url {
        Some(url) => {
            if let Some(env) = args.env.first() {
                let message = format!("--env {env} is for a command, and {url} is an address");
                return Err(Error::usage(message, "give what it needs with --header"));
            }
            let hint = "give its address, or its command behind `--`";
            Endpoint::new(url).map_err(|error| Error::usage(error.to_string(), hint))?;
            table.insert("url", value(url));
            if args.sse {
                table.insert("transport", value("sse"));
            }
            insert(&mut table, "headers", headers(&args.header)?);
        }
        None => {
            if !args.header.is_empty() {
                let message = "--header is for an address, not for a command";
                return Err(Error::usage(message, "give what it needs with --env"));
            }
            table.insert("command", value(list(&args.command)));
            insert(&mut table, "env", variables(&args.env)?);
        }
    }
    if !args.tool.is_empty() {
        table.insert("tools", value(list(&args.tool)));
    }
    if args.resources {
        table.insert("resources", value(true));
    }
    if args.sampling {
        table.insert("sampling", value(true));
    }
    if let Some(timeout) = args.timeout {
        table.insert("timeout", value(in_words(timeout)));
    }
    if args.trusted {
        table.insert("trusted", value(true));
    }
    Ok(table)
}

fn insert(table: &mut Table, key: &str, given: InlineTable) {
    if !given.is_empty() {
        table.insert(key, value(given));
    }
}

fn list(words: &[String]) -> Array {
    words.iter().map(String::as_str).collect()
}

/// A variable that holds a value, as a file of settings names it.
fn of_variable(name: &str) -> Value {
    InlineTable::from_iter([("env", name)]).into()
}

fn variables(given: &[String]) -> Result<InlineTable, Error> {
    let mut all = InlineTable::new();
    for one in given {
        let (name, value) = match one.split_once('=') {
            Some((name, text)) => (name, text.into()),
            None => (one.as_str(), of_variable(one)),
        };
        if name.is_empty() {
            let message = format!("--env {one:?} names no variable");
            return Err(Error::usage(message, "write --env NAME=VALUE, or --env NAME"));
        }
        all.insert(name, value);
    }
    Ok(all)
}

fn headers(given: &[String]) -> Result<InlineTable, Error> {
    let mut all = InlineTable::new();
    for one in given {
        let named = one.split_once('=').filter(|(name, of)| !name.is_empty() && is_variable(of));
        let Some((name, variable)) = named else {
            // The part after it may be the secret itself.
            let name = one.split('=').next().unwrap_or_default();
            let message = format!("--header {name:?} names no variable that holds its value");
            let hint = "write --header NAME=VARIABLE; the value itself is not written into a file";
            return Err(Error::usage(message, hint));
        };
        all.insert(name, of_variable(variable));
    }
    Ok(all)
}

/// Whether it may be the name of a variable, and is hardly a secret.
fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_uppercase() || first == '_')
        && letters.all(|one| one.is_ascii_uppercase() || one.is_ascii_digit() || one == '_')
}
