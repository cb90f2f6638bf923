//! Guards from settings.

use std::time::Duration;

use legwork_core::Timestamp;
use legwork_core::budget::MicroUsd;
use legwork_core::continuation::ErrorPolicy;
use serde_json::Value;

use super::{Change, Guards};
use crate::capability::Fields;

type Count = fn(Option<u64>) -> Change;

impl Guards {
    /// The guards of settings.
    ///
    /// # Errors
    /// The field that does not fit, and what it takes.
    pub fn from_settings(settings: &Value) -> Result<Self, String> {
        let mut fields = Fields::of(settings)?;
        let mut guards = Self::new();
        let counts: [(&'static str, Count); 5] = [
            ("steps", Change::Steps),
            ("tool_calls", Change::ToolCalls),
            ("input_tokens", Change::InputTokens),
            ("output_tokens", Change::OutputTokens),
            ("tokens", Change::Tokens),
        ];
        let whole = "a whole number from 0 on, or null for no limit";
        for (name, change) in counts {
            guards.changes.extend(limit(&mut fields, name, whole, Value::as_u64)?.map(change));
        }
        let usd = "an amount in US dollars, or null for no limit";
        let read = |value: &Value| amount(value).map(MicroUsd::from_usd);
        guards.changes.extend(limit(&mut fields, "usd", usd, read)?.map(Change::Cost));
        let length = "a length of time such as \"5m\", or null for no limit";
        guards.changes.extend(limit(&mut fields, "time", length, time)?.map(Change::ActiveTime));
        let at = "a time in milliseconds since 1970, or null for none";
        let read = |value: &Value| value.as_u64().map(Timestamp);
        guards.changes.extend(limit(&mut fields, "deadline", at, read)?.map(Change::Deadline));
        if let Some(most) = fields.take("session_time", "a length of time such as \"5m\"", time)? {
            guards = guards.time_in_session(most);
        }
        let count = |value: &Value| u32::try_from(value.as_u64()?).ok();
        if let Some(most) = fields.take("retries", "a whole number from 0 on", count)? {
            guards = guards.retries(most);
        }
        let takes = "`stop`, `ignore`, or how many steps in a row may fail";
        if let Some(policy) = fields.take("errors", takes, policy)? {
            guards = guards.errors(policy);
        }
        guards.without = fields.texts("without")?;
        fields.done()?;
        Ok(guards)
    }
}

/// A limit that is named; inside, none takes it away.
fn limit<T>(
    fields: &mut Fields,
    name: &'static str,
    takes: &str,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Result<Option<Option<T>>, String> {
    let read = |value: &Value| match value {
        Value::Null => Some(None),
        value => read(value).map(Some),
    };
    fields.take_any(name, takes, read)
}

fn amount(value: &Value) -> Option<f64> {
    value.as_f64().filter(|amount| (0.0..=1e12).contains(amount))
}

fn time(value: &Value) -> Option<Duration> {
    humantime::parse_duration(value.as_str()?).ok()
}

fn policy(value: &Value) -> Option<ErrorPolicy> {
    match value.as_str() {
        Some("stop") => Some(ErrorPolicy::stop_on_any()),
        Some("ignore") => Some(ErrorPolicy::ignore_tool_errors()),
        Some(_) => None,
        None => Some(ErrorPolicy::retry_all(u32::try_from(value.as_u64()?).ok()?)),
    }
}
