//! Settings from `legwork.toml`: its keys, where the file is, and the source of each value.
//!
//! A value comes from the highest of these layers that has one: the built-in default, the
//! user's file, the project's file, the environment, what the session remembers, a flag.
//! The project's file is not trusted: [`key`] says what it may set.
//!
//! The layers are not merged by `figment` or `config`, because the rule of trust does not
//! survive that. In both the last source that has a value wins. Here a project's file only lowers
//! limits, a session only narrows settings, and a key that a project may not set is an
//! error even where another layer replaces it; so each layer is checked and compared
//! before any is merged. Both libraries know the file that a value came from, but not its line,
//! which `config show` and every error name, and their errors quote values, which may be
//! keys. What they would replace is [`Sourced::or`].
//!
//! Read the modules in this order: [`key`], `expects`, [`locate`], [`parse`], [`source`], [`loaded`],
//! [`layers`], [`credential`].

mod allow;
mod bounds;
pub(crate) mod credential;
mod document;
mod expects;
mod fetched;
mod file;
mod folders;
pub(crate) mod help;
mod item;
pub(crate) mod key;
mod layers;
mod loaded;
pub(crate) mod locate;
mod mcp;
mod models;
mod network;
mod parse;
mod permissions;
mod program;
mod retry;
pub(crate) mod schema;
mod secret;
mod size;
mod source;
mod tables;
mod values;
mod web;

use clap::ValueEnum;
use legwork::core::budget::MicroUsd;

pub(crate) use allow::AllowPath;
pub(crate) use bounds::Answers;
pub(crate) use credential::Credential;
pub(crate) use fetched::Fetched;
pub(crate) use layers::{
    Limits, Remembered, ceiling, count, not_taken, time_limit, usd, variable_of,
};
pub(crate) use loaded::Config;
pub(crate) use mcp::{Client, Given, McpServer, Reach, Transport};
pub(crate) use network::{network, of_network};
pub(crate) use permissions::{Rule, Verb};
pub(crate) use program::start;
pub(crate) use retry::{Retry, duration, in_words};
pub(crate) use size::{bytes, in_bytes, max_write};
pub(crate) use source::{Source, Sourced};
pub(crate) use values::KnownModel;
pub(crate) use web::{Search, WebHosts};

/// An amount of US dollars, if it is one that can limit something.
pub(crate) fn money(usd: f64) -> Option<MicroUsd> {
    let sensible = usd.is_finite() && usd <= 1e12;
    Some(MicroUsd::from_usd(usd)).filter(|money| sensible && money.0 > 0)
}

/// The value of a name, or what is wrong with it.
pub(crate) fn one_of<T: ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, false).map_err(|_| is_none_of::<T>(text))
}

fn is_none_of<T: ValueEnum>(text: &str) -> String {
    let text: String = text.chars().take(40).collect();
    format!("cannot be {text:?}: it is one of {}", names::<T>().join(", "))
}

/// The names of a flag's values.
pub(crate) fn names<T: ValueEnum>() -> Vec<String> {
    let values = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    values.map(|value| value.get_name().to_owned()).collect()
}
