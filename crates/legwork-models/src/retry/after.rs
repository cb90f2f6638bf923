//! What a server says about when to ask again.

use std::time::{Duration, SystemTime};

/// Reads a `Retry-After` header: seconds (also fractions), or an HTTP date.
///
/// `now` is the wall time; a date that has passed is a wait of nothing.
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// Reads a `retry-after-ms` header, which some providers send for precision.
pub fn retry_after_ms(value: &str) -> Option<Duration> {
    let millis: f64 = value.trim().parse().ok()?;
    Duration::try_from_secs_f64(millis / 1000.0).ok()
}
