//! What a file says, by its keys.

use std::collections::BTreeMap;
use std::time::Duration;

use legwork::core::budget::{MicroUsd, Prices};
use legwork::port::Abilities;
use legwork::tools::sandbox::Network;

use super::allow::AllowPath;
use super::bounds::Answers;
use super::credential::KeySource;
use super::folders::Folders;
use super::mcp::McpServer;
use super::permissions::Rule;
use super::web::{Search, WebHosts};
use crate::args::{AskFor, Color, Content, Sandbox};

/// A value and the line it stands in.
#[derive(Debug, Clone)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) line: usize,
}

/// The limits of an execution that a file sets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Budget {
    pub(crate) steps: Option<At<u64>>,
    pub(crate) tool_calls: Option<At<u64>>,
    pub(crate) tokens: Option<At<u64>>,
    pub(crate) input_tokens: Option<At<u64>>,
    pub(crate) output_tokens: Option<At<u64>>,
    pub(crate) usd: Option<At<MicroUsd>>,
    pub(crate) time: Option<At<Duration>>,
}

/// What a file says of a model; what it does not say is none, or unknown.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct KnownModel {
    pub(crate) context_window: Option<u64>,
    pub(crate) max_output: Option<u64>,
    pub(crate) prices: Option<Prices>,
    pub(crate) abilities: Abilities,
}

/// What a file says; what it does not say is none, or empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    pub(crate) model: Option<At<String>>,
    pub(crate) base_url: Option<At<String>>,
    pub(crate) store: Option<At<String>>,
    pub(crate) sandbox: Option<At<Sandbox>>,
    pub(crate) network: Option<At<Network>>,
    /// When a person is asked before a call runs.
    pub(crate) approve: Option<At<AskFor>>,
    /// Which calls run, are asked about, or never run.
    pub(crate) permissions: Vec<At<Rule>>,
    pub(crate) allow_paths: Vec<At<AllowPath>>,
    /// Folders whose projects are trusted.
    pub(crate) trust: Vec<At<Folders>>,
    pub(crate) budget: Budget,
    pub(crate) max_write: Option<At<u64>>,
    pub(crate) retry_for: Option<At<Duration>>,
    pub(crate) retry_max_wait: Option<At<Duration>>,
    pub(crate) color: Option<At<Color>>,
    pub(crate) notify: Option<At<String>>,
    /// The collector, and whether it is sent what was said.
    pub(crate) telemetry: Option<At<String>>,
    pub(crate) telemetry_content: Option<At<Content>>,
    /// Where the key of each provider is.
    pub(crate) keys: BTreeMap<String, At<KeySource>>,
    /// Where each provider is served; none if its table does not say.
    pub(crate) providers: BTreeMap<String, Option<At<String>>>,
    /// The bounds of an answer.
    pub(crate) bounds: Option<At<Answers>>,
    /// The hosts whose pages are read.
    pub(crate) web: Option<At<WebHosts>>,
    /// The search engine.
    pub(crate) search: Option<At<Search>>,
    /// The servers whose tools the agent has.
    pub(crate) mcp: BTreeMap<String, At<McpServer>>,
    /// What is known of models.
    pub(crate) models: BTreeMap<String, At<KnownModel>>,
}
