//! The words of the command line, with what stands for others put in its place.

use std::ffi::OsString;

/// The flag that goes on with the last session, in both spellings.
const GOES_ON: [&str; 2] = ["-c", "--continue"];

const CONFIG: &str = "--config";
const CONFIG_IS: &[u8] = b"--config=";

/// The arguments of this process: `legwork -c ..` is `legwork run -c ..`.
pub(super) fn args() -> Vec<OsString> {
    put_in(std::env::args_os().collect())
}

fn put_in(mut args: Vec<OsString>) -> Vec<OsString> {
    // The flag of all verbs may come first.
    let at = match args.get(1) {
        Some(first) if first == CONFIG => 3,
        Some(first) if first.as_encoded_bytes().starts_with(CONFIG_IS) => 2,
        _ => 1,
    };
    let goes_on = args.get(at).is_some_and(|first| GOES_ON.iter().any(|flag| first == flag));
    if goes_on {
        args.insert(at, "run".into());
    }
    args
}

/// The arguments behind the name of the command, as text.
pub(super) fn text(args: &[OsString]) -> Vec<String> {
    args.iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests;
