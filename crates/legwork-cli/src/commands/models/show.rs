//! `legwork models show`: what is known of a model.

use std::collections::BTreeMap;

use legwork::model::catalogue::{Catalogue, Row};
use legwork::model::{builder, provider};
use legwork::port::{Ability, Support};
use serde_json::{Value, json};

use super::prices;
use crate::args;
use crate::commands::{nearest, print, print_json};
use crate::config::Config;
use crate::display::Terminal;
use crate::display::text::{grouped, visible, wrapped};
use crate::error::Error;
use crate::exit::Exit;

/// Columns below which what is known has lines of its own.
const NARROW: usize = 60;
/// Columns of what it is about.
const LABEL: usize = 16;
/// An address that nobody asks: a model has one before anything is known of it.
const NOWHERE: &str = "http://127.0.0.1";

/// What is known of a model.
struct Known {
    row: Row,
    /// Whether the provider counts the tokens of a request.
    counts: bool,
}

pub(super) fn show(args: &args::ModelsShow, config: &Config) -> Result<Exit, Error> {
    let own = config.catalogue();
    if !args.model.contains(':') {
        return Err(without_provider(&args.model, &own));
    }
    let row = builder(&args.model, Some(NOWHERE), None)?.catalogue(own.clone()).row();
    if row.context_window.is_none() && row.max_output.is_none() && row.prices.is_none() {
        return Err(unknown(&args.model, &own));
    }
    let of = args.model.split(':').next().unwrap_or_default();
    let counts = provider(of).is_some_and(|provider| provider.api.counts_tokens());
    let known = Known { row, counts };
    match args.json {
        true => print_json(&format!("{}\n", known.as_json())),
        false => print(&known.as_text(Terminal::detect().columns)),
    }
}

/// The names of models of which something is known.
fn names(own: &Catalogue) -> Vec<String> {
    let all = Catalogue::shipped().and(own.clone());
    let names = all.iter().map(|row| row.model.clone());
    names.filter(|name| !name.ends_with('*')).collect()
}

/// The name says no provider.
fn without_provider(model: &str, own: &Catalogue) -> Error {
    let names = names(own);
    let parts = names.iter().filter_map(|name| name.split_once(':'));
    let parts: Vec<_> = parts.collect();
    let near = nearest(model, parts.iter().map(|(_, name)| *name));
    let whole = near.and_then(|near| parts.iter().find(|(_, name)| *name == near));
    let near = whole.map(|(provider, name)| format!("; did you mean `{provider}:{name}`?"));
    let hint = format!("name it as PROVIDER:NAME{}", near.unwrap_or_default());
    Error::usage(format!("`{model}` does not say whose model it is"), hint)
}

/// No row is of the model.
fn unknown(model: &str, own: &Catalogue) -> Error {
    let names = names(own);
    let near = match nearest(model, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`? Otherwise "),
        None => String::new(),
    };
    let hint = format!(
        "{near}say what you know of it in [models.\"{model}\"] of your own legwork.toml \
         (`legwork help config`)"
    );
    Error::usage(format!("nothing is known of the model `{model}`"), hint)
}

impl Known {
    fn as_json(&self) -> Value {
        let Row { model, context_window, max_output, abilities, .. } = &self.row;
        let of = |ability: Ability| abilities.get(&ability).map(|fact| fact.value);
        let abilities: BTreeMap<_, _> = Ability::ALL.map(|one| (one.name(), of(one))).into();
        let sources = self.row.origins().into_iter();
        let sources = sources.map(|from| json!({"source": from.source, "date": from.date}));
        json!({
            "model": model,
            "context_window": context_window.as_ref().map(|fact| fact.value),
            "max_output": max_output.as_ref().map(|fact| fact.value),
            "price_per_million": self.row.prices.as_ref().map(prices::as_json),
            "abilities": abilities,
            "counts_tokens": self.counts,
            "sources": sources.collect::<Value>(),
        })
    }

    fn as_text(&self, most: usize) -> String {
        let mut text = format!("{}\n", visible(&self.row.model));
        for (label, value) in self.lines() {
            let value = visible(&value);
            let (line, indent) = match most < NARROW {
                true => (format!("  {label}\n    {value}"), 4),
                false => (format!("  {label:<LABEL$}{value}"), LABEL + 2),
            };
            text.push_str(&wrapped(&line, most, indent));
            text.push('\n');
        }
        text
    }

    fn lines(&self) -> Vec<(String, String)> {
        let tokens = |most: Option<u64>| match most {
            Some(most) => format!("{} tokens", grouped(most)),
            None => "unknown".to_owned(),
        };
        let Row { context_window, max_output, .. } = &self.row;
        let mut lines = vec![
            ("context window".to_owned(), tokens(context_window.as_ref().map(|fact| fact.value))),
            ("longest answer".to_owned(), tokens(max_output.as_ref().map(|fact| fact.value))),
        ];
        lines.extend(self.price_lines());
        let known = self.row.known();
        for (label, support) in
            [("can", Support::Yes), ("cannot", Support::No), ("not known", Support::Unknown)]
        {
            let abilities: Vec<_> = known.that_are(support).map(Ability::title).collect();
            if !abilities.is_empty() {
                lines.push((label.to_owned(), abilities.join(", ")));
            }
        }
        let counted = if self.counts { "by the provider" } else { "as an estimate of our own" };
        lines.push(("counts tokens".to_owned(), counted.to_owned()));
        lines.extend(self.row.origins().into_iter().map(|origin| {
            let day = origin.date.as_ref().map(|date| format!("{date}, ")).unwrap_or_default();
            ("read".to_owned(), format!("{day}{}", origin.source))
        }));
        lines
    }

    fn price_lines(&self) -> Vec<(String, String)> {
        let Some(prices) = self.row.prices.as_ref().map(|fact| &fact.value) else {
            return vec![("price".to_owned(), "unknown".to_owned())];
        };
        if prices.is_free() {
            return vec![("price".to_owned(), "nothing".to_owned())];
        }
        let usual = format!("{} a million", prices::in_and_out(&prices.usual));
        let caches = prices::of_caches(&prices.usual);
        let tiers = prices.tiers.iter().map(|tier| {
            let caches = prices::of_caches(&tier.price);
            let price = format!("{}; caches: {caches}", prices::in_and_out(&tier.price));
            (format!("above {}", grouped(tier.above)), price)
        });
        let usual = [("price".to_owned(), usual), ("caches".to_owned(), caches)];
        usual.into_iter().chain(tiers).collect()
    }
}
