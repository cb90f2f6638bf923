//! `legwork models list`: what the servers offer.

use legwork::model::Catalogue;
use legwork::model::catalogue::Row;
use legwork::model::remote::{self, Offered, Unavailable};
use legwork::port::model::Kind;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::prices;
use super::servers::{Key, Server, Silent, asked_for, without_key};
use crate::args;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::display::Terminal;
use crate::display::advice::{on_proxy, proxy_variable};
use crate::display::text::{columns, count, grouped, visible, wrapped};
use crate::error::Error;
use crate::exit::Exit;

/// Columns below which what is said of a server or a model has lines of its own.
const NARROW: usize = 60;

type Answer = Result<Vec<Offered>, Silent>;

pub(super) async fn list(args: &args::ModelsList, config: &Config) -> Result<Exit, Error> {
    let answers = ask(asked_for(args, config)?).await;
    let own = config.catalogue();
    if args.json {
        let lines =
            answers.iter().map(|(server, answer)| format!("{}\n", json_of(server, answer, &own)));
        print_json(&lines.collect::<String>())?;
    }
    let named = args.provider.is_some() || args.base_url.is_some();
    if named && let [(server, Err(silent))] = answers.as_slice() {
        return match args.json {
            true => Ok(Exit::Failed),
            false => Err(error(server, silent)),
        };
    }
    if !args.json {
        let columns = Terminal::detect().for_table();
        let mut text = table(&answers, &own, columns);
        if !named {
            text.push_str(&others(config, columns));
        }
        print(&text)?;
    }
    Ok(Exit::Done)
}

/// A line about the providers that could be used with a key.
fn others(config: &Config, columns: usize) -> String {
    let names = without_key(config);
    if names.is_empty() {
        return String::new();
    }
    let line = format!(
        "Without a key: {}. `legwork models list NAME` says which variable holds it.",
        names.join(", ")
    );
    format!("\n{}\n", wrapped(&line, columns, 0))
}

/// Asks all at once; the answers come in the order of the servers.
async fn ask(servers: Vec<Server>) -> Vec<(Server, Answer)> {
    let mut asking = JoinSet::new();
    for (at, server) in servers.into_iter().enumerate() {
        asking.spawn(async move {
            let answer = server.offered().await;
            (at, server, answer)
        });
    }
    let mut answers = asking.join_all().await;
    answers.sort_by_key(|(at, ..)| *at);
    answers.into_iter().map(|(_, server, answer)| (server, answer)).collect()
}

/// What stands behind a server's address where there is no list.
fn in_short(silent: &Silent) -> String {
    match silent {
        Silent::NoKey(variable) => format!("no key: set {variable}"),
        Silent::BadKey(error) => error.to_string(),
        Silent::Unavailable(Unavailable::Model(error))
            if proxy_variable(&error.message).is_some() =>
        {
            error.message.clone()
        }
        Silent::Unavailable(Unavailable::Model(error)) => match error.kind {
            Kind::Unreachable => "does not run, or cannot be reached".to_owned(),
            Kind::Timeout => "does not answer in time".to_owned(),
            Kind::Unauthorized => "refuses the key".to_owned(),
            _ => error.message.clone(),
        },
        Silent::Unavailable(error) => error.to_string(),
    }
}

fn error(server: &Server, silent: &Silent) -> Error {
    match silent {
        Silent::NoKey(variable) => {
            let message = format!("{} wants a key", server.provider);
            Error::usage(message, format!("set {variable}; it is sent, never stored"))
        }
        Silent::BadKey(error) => Error::usage(error.to_string(), error.hint().unwrap_or_default()),
        Silent::Unavailable(Unavailable::Model(error)) => Error::Asked(Box::new(error.to_record())),
        Silent::Unavailable(Unavailable::Setup(remote::Error::Proxy(proxy))) => {
            Error::usage(proxy.to_string(), on_proxy(&proxy.variable))
        }
        Silent::Unavailable(setup) => Error::usage(setup.to_string(), "see --base-url and the key"),
    }
}

fn json_of(server: &Server, answer: &Answer, own: &Catalogue) -> Value {
    let key: Key = server.key();
    let model = |offered: &Offered| {
        let row = server.row(&offered.id, own);
        json!({
            "id": offered.id,
            "context_window": window(offered, &row),
            "price_per_million": row.prices.as_ref().map(prices::as_json),
        })
    };
    let (models, error) = match answer {
        Ok(models) => (models.iter().map(model).collect(), None),
        Err(Silent::NoKey(variable)) => (Vec::new(), Some(format!("no key: set {variable}"))),
        Err(Silent::BadKey(error)) => (Vec::new(), Some(error.to_string())),
        Err(Silent::Unavailable(error)) => (Vec::new(), Some(error.to_string())),
    };
    let (provider, place) = (&server.provider, server.place());
    json!({"provider": provider, "base_url": place, "key": key, "models": models, "error": error})
}

fn table(answers: &[(Server, Answer)], own: &Catalogue, most: usize) -> String {
    let wide = |texts: Vec<&str>| texts.iter().map(|text| columns(text)).max().unwrap_or(0);
    let name = wide(answers.iter().map(|(server, _)| &*server.provider).collect());
    let places: Vec<_> = answers.iter().map(|(server, _)| server.place()).collect();
    let place = wide(places.iter().map(|place| &**place).collect());
    let mut text = String::new();
    for ((server, answer), at) in answers.iter().zip(&places) {
        let says = match answer {
            Ok(models) => count(models.len() as u64, "model"),
            Err(silent) => in_short(silent),
        };
        let key = match server.key() {
            Key::Missing if answer.is_ok() => ", without a key",
            _ => "",
        };
        let line = match most < NARROW {
            true => format!("{}\n  {at}\n  {says}{key}", server.provider),
            false => format!("{:<name$}  {at:<place$}  {says}{key}", server.provider),
        };
        push(&mut text, &line, most);
        let models = answer.as_deref().unwrap_or_default();
        let id = wide(models.iter().map(|model| &*model.id).collect()).min(48);
        for model in models {
            let known = server.row(&model.id, own);
            let row = match most < NARROW {
                true => narrow(model, &known),
                false => row(model, &known, id),
            };
            push(&mut text, &row, most);
        }
    }
    text
}

/// Lines of a table; where there is no room they go on in the next, broken between words.
fn push(text: &mut String, lines: &str, most: usize) {
    for line in lines.lines() {
        let line = visible(line);
        text.push_str(&set_in(&line, most));
        text.push('\n');
    }
}

/// A line broken between words; what follows is set in as it is, and a little more.
fn set_in(line: &str, most: usize) -> String {
    let words = line.trim_start();
    let indent = line.len().saturating_sub(words.len());
    format!("{:indent$}{}", "", wrapped(words, most.saturating_sub(indent), indent + 2))
}

/// Tokens that its window holds: as its server says, else as is known of it.
fn window(model: &Offered, known: &Row) -> Option<u64> {
    model.context_window.or(known.context_window.as_ref().map(|fact| fact.value))
}

fn in_tokens(window: u64) -> String {
    format!("{} tokens", grouped(window))
}

fn row(model: &Offered, known: &Row, id: usize) -> String {
    let window = window(model, known).map(in_tokens).unwrap_or_default();
    let price = known.prices.as_ref().map(prices::in_short).unwrap_or_default();
    format!("  {:<id$}  {window:>16}  {price}", model.id).trim_end().to_owned()
}

/// The same in lines of their own.
fn narrow(model: &Offered, known: &Row) -> String {
    let window = window(model, known).map(in_tokens);
    let more = window.into_iter().chain(known.prices.as_ref().map(prices::in_short));
    more.fold(format!("  {}", model.id), |text, more| text + "\n    " + &more)
}
