//! What Google's errors say in their details (`google.rpc.Status`).

use std::time::Duration;

use serde_json::Value;

/// The name of the status, such as `RESOURCE_EXHAUSTED`; its `code` only repeats that of HTTP.
pub(super) fn status(error: &Value) -> Option<String> {
    error.get("code")?.as_u64()?;
    Some(error.get("status")?.as_str()?.to_owned())
}

/// The reason: the quota that is used up, one for a day before others, or that of the error.
pub(super) fn reason(error: &Value) -> Option<String> {
    let violations = of_type(error, "QuotaFailure").filter_map(|d| d.get("violations")?.as_array());
    let quotas: Vec<_> = violations.flatten().filter_map(|v| v.get("quotaId")?.as_str()).collect();
    let daily = quotas.iter().find(|quota| is_daily(quota));
    let reason = || of_type(error, "ErrorInfo").find_map(|detail| detail.get("reason")?.as_str());
    daily.or(quotas.first()).copied().or_else(reason).map(str::to_owned)
}

/// Whether a quota is one for a whole day.
///
/// It comes with a delay of seconds, as any other, after which it is still used up.
pub(super) fn is_daily(quota: &str) -> bool {
    quota.contains("PerDay") || quota.contains("Daily")
}

/// The delay after which the request may be repeated, such as `34.07s`.
pub(super) fn retry_after(error: &Value) -> Option<Duration> {
    let delays =
        of_type(error, "RetryInfo").filter_map(|detail| detail.get("retryDelay")?.as_str());
    let seconds = delays.filter_map(|delay| delay.strip_suffix('s')?.parse().ok());
    seconds.filter_map(|seconds| Duration::try_from_secs_f64(seconds).ok()).next()
}

/// The details of a type of `google.rpc`.
fn of_type<'v>(error: &'v Value, name: &'static str) -> impl Iterator<Item = &'v Value> {
    let details = error.get("details").and_then(Value::as_array);
    let is_of = move |detail: &&Value| {
        let of = detail.get("@type").and_then(Value::as_str);
        of.is_some_and(|of| of.rsplit('.').next() == Some(name))
    };
    details.into_iter().flatten().filter(is_of)
}

#[cfg(test)]
mod tests;
