//! The words of the command line, with what stands for others put in its place.

use std::ffi::OsString;
use std::io::{IsTerminal as _, stderr, stdin};

/// The flag that goes on with the last session, in both spellings.
const GOES_ON: [&str; 2] = ["-c", "--continue"];

const CONFIG: &str = "--config";
const CONFIG_IS: &[u8] = b"--config=";

/// Whether a person sits at a terminal, and can chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Person {
    Here,
    NotHere,
}

/// The arguments of this process: `legwork -c TASK` is `legwork run -c TASK`, and at a terminal
/// `legwork` alone is `legwork chat`.
pub(super) fn args() -> Vec<OsString> {
    let here = stdin().is_terminal() && stderr().is_terminal();
    put_in(std::env::args_os().collect(), if here { Person::Here } else { Person::NotHere })
}

fn put_in(mut args: Vec<OsString>, person: Person) -> Vec<OsString> {
    // The flag of all verbs may come first.
    let at = match args.get(1) {
        Some(first) if first == CONFIG => 3,
        Some(first) if first.as_encoded_bytes().starts_with(CONFIG_IS) => 2,
        _ => 1,
    };
    let goes_on = args.get(at).is_some_and(|first| GOES_ON.iter().any(|flag| first == flag));
    let is_task = |arg: &OsString| !arg.as_encoded_bytes().starts_with(b"-") || arg == "-";
    match (goes_on, args.get(at + 1).is_some_and(is_task), person) {
        (true, false, Person::Here) => args.insert(at, "chat".into()),
        (true, ..) => args.insert(at, "run".into()),
        (false, _, Person::Here) if args.len() == at => args.push("chat".into()),
        _ => {}
    }
    args
}

/// The arguments behind the name of the command, as text.
pub(super) fn text(args: &[OsString]) -> Vec<String> {
    args.iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests;
