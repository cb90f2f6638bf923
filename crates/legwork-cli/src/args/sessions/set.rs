//! `legwork sessions set`.

use std::time::Duration;

use clap::Args;
use legwork::core::Budget;
use legwork::core::budget::MicroUsd;
use serde_json::Value;

use crate::args::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork sessions set a1b2c3d4 --model anthropic:claude-sonnet-4-5
  legwork sessions set a1b2c3d4 --max-steps 300 --max-usd 5
  legwork sessions set a1b2c3d4 --instructions @prompt.md
  legwork sessions set a1b2c3d4 --metadata ticket=17 --metadata reviewed=true
  legwork sessions set a1b2c3d4 --reset     as its agent is defined again

A session that runs, in whatever process, takes it up before its next step; one that
does not run takes it up at once. What is set stays, also when the definition of the
agent changes, until it is set again, given to `legwork resume`, or reset. A limit
below what is used stops the session; after it was raised, `legwork resume` goes on.
No limit exceeds the one that your legwork.toml sets. A process that runs the session
has the models that it was started with: at another one it ends, and `legwork resume`
goes on with that model.";

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("settings").required(true).multiple(true)))]
pub(crate) struct Set {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// The model from the next step on
    #[arg(long, value_name = "PROVIDER:NAME", group = "settings", add = crate::complete::models())]
    pub(crate) model: Option<String>,
    /// The whole system prompt; @FILE reads it from a file, `-` from standard input
    #[arg(long, value_name = "TEXT", group = "settings", allow_hyphen_values = true)]
    pub(crate) instructions: Option<String>,
    /// A metadata value, as JSON; without =JSON it is removed; may be given several times
    #[arg(long, value_name = "KEY[=JSON]", group = "settings", value_parser = metadata)]
    pub(crate) metadata: Vec<(String, Option<Value>)>,
    /// Take back first what was set before, but for metadata
    #[arg(long, group = "settings")]
    pub(crate) reset: bool,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Print what became of it as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: Store,
}

/// The limits that are set; the others stay.
#[derive(Debug, Args)]
pub(crate) struct Limits {
    /// Stop after this many steps
    #[arg(long, value_name = "N", group = "settings", value_parser = crate::config::count)]
    max_steps: Option<u64>,
    /// Stop before more tool calls than this begin
    #[arg(long, value_name = "N", group = "settings", value_parser = crate::config::count)]
    max_tool_calls: Option<u64>,
    /// Stop before more input and output tokens than this are used
    #[arg(long, value_name = "N", group = "settings", value_parser = crate::config::count)]
    max_tokens: Option<u64>,
    /// Stop before more input tokens than this are used
    #[arg(long, value_name = "N", group = "settings", value_parser = crate::config::count)]
    max_input_tokens: Option<u64>,
    /// Stop before more output tokens than this are used
    #[arg(long, value_name = "N", group = "settings", value_parser = crate::config::count)]
    max_output_tokens: Option<u64>,
    /// Stop before more US dollars than this are spent
    #[arg(long, value_name = "USD", group = "settings", value_parser = crate::config::usd)]
    max_usd: Option<MicroUsd>,
    /// Stop after this much active time, such as 90s or 30m
    #[arg(long, value_name = "TIME", group = "settings", value_parser = crate::config::time_limit)]
    max_time: Option<Duration>,
}

impl Limits {
    /// The limits that were given.
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            steps: self.max_steps,
            tool_calls: self.max_tool_calls,
            total_tokens: self.max_tokens,
            input_tokens: self.max_input_tokens,
            output_tokens: self.max_output_tokens,
            cost: self.max_usd,
            active_time: self.max_time.map(Into::into),
            ..Budget::unlimited()
        }
    }
}

/// A key with its value; without one it is removed.
fn metadata(text: &str) -> Result<(String, Option<Value>), String> {
    let (key, value) = match text.split_once('=') {
        None => (text, None),
        Some((key, json)) => {
            let value = serde_json::from_str(json);
            let value = value.map_err(|error| {
                format!(
                    "the part behind = is not JSON ({error}); a text is quoted: {key}='\"text\"'"
                )
            })?;
            (key, Some(value))
        }
    };
    match key.is_empty() {
        true => Err("the key is empty: give it as in ticket=17".to_owned()),
        false => Ok((key.to_owned(), value)),
    }
}
