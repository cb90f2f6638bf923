//! The exceptions of AWS, by their names.

/// The name alone: in a header it has a namespace before it or an address behind it.
pub(super) fn name(written: &str) -> &str {
    let name = written.split(':').next().unwrap_or_default();
    name.rsplit_once('#').map_or(name, |(_, name)| name).trim()
}

/// The HTTP status of an exception that comes inside a stream.
pub(super) fn status(name: &str) -> u16 {
    match name.to_ascii_lowercase().as_str() {
        "validationexception" | "servicequotaexceededexception" => 400,
        "accessdeniedexception" | "expiredtokenexception" | "unrecognizedclientexception" => 403,
        "resourcenotfoundexception" => 404,
        "modeltimeoutexception" => 408,
        "modelstreamerrorexception" | "modelerrorexception" => 424,
        "throttlingexception" | "modelnotreadyexception" => 429,
        "serviceunavailableexception" => 503,
        _ => 500,
    }
}
