//! Running a program that prints a key.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use legwork::tools::Environment;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

use super::credential::Program;
use crate::display::text::{clip, one_line};

/// How long it may take; enough for a person to type a passphrase.
pub(super) const LIMIT: Duration = Duration::from_secs(30);
/// Bytes that are taken of what it prints; more is no key.
const MOST_BYTES: u64 = 64 << 10;
/// Columns of what it says on standard error that are shown.
const SHOWN: usize = 600;

/// What a program prints.
///
/// It runs in the folder of the file that names it, never in that of a project, with the
/// environment and the terminal of the person, for it may have to ask for a passphrase;
/// not with standard input, which may hold the task. It is looked up in the entries of the
/// `PATH` that commands of an agent cannot write to, those outside of `writable`, and gets
/// that `PATH` itself; one that is named by its path is refused inside of `writable`.
///
/// # Errors
/// In words, when it cannot be started, fails, or takes longer than the limit. They show
/// what it said on standard error, and nothing of what it printed.
pub(super) async fn output(
    program: &Program,
    folder: &Path,
    writable: &[PathBuf],
    limit: Duration,
) -> Result<Vec<u8>, String> {
    let mut command = command(program, folder, writable)?;
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped());
    let child = command.stderr(Stdio::piped()).kill_on_drop(true).spawn();
    let mut child = child.map_err(|error| format!("it does not start: {error}"))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let ended = async { tokio::join!(read(out), read(err), child.wait()) };
    let Ok((out, err, status)) = tokio::time::timeout(limit, ended).await else {
        return Err(format!("it did not end within {limit:?}"));
    };
    match status.map_err(|error| error.to_string())? {
        status if status.success() => Ok(out),
        status => Err(failed(status, &out, &err)),
    }
}

/// Starts a line of the shell with more variables in its environment, as [`output`] does; nothing
/// of it is read, and nobody waits for it.
///
/// # Errors
/// In words, when it does not start.
pub(crate) fn start(
    line: &str,
    folder: &Path,
    writable: &[PathBuf],
    environment: &[(&str, String)],
) -> Result<(), String> {
    let mut command = command(&Program::Shell(line.to_owned()), folder, writable)?;
    command.current_dir(folder).envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop).map_err(|error| format!("it does not start: {error}"))
}

/// A program that is named by its path, unless commands of an agent may write it.
fn outside(program: &Path, folder: &Path, writable: &[&Path]) -> Result<PathBuf, String> {
    let place = folder.join(program);
    let real = place.canonicalize().map_err(|error| format!("it does not start: {error}"))?;
    let is_inside = |path: &&Path| {
        path.canonicalize().is_ok_and(|path| real.starts_with(&path) || place.starts_with(path))
    };
    match writable.iter().any(is_inside) {
        true => {
            Err(format!("{} lies where the agent may write: move it elsewhere", program.display()))
        }
        false => Ok(place),
    }
}

fn command(program: &Program, folder: &Path, writable: &[PathBuf]) -> Result<Command, String> {
    let environment = Environment::filtered(std::env::vars_os());
    let writable: Vec<_> = writable.iter().map(PathBuf::as_path).collect();
    let mut command = match program {
        Program::Shell(line) => {
            let mut command = Command::new("/bin/sh");
            command.arg("-c").arg(line);
            command
        }
        Program::Words(words) => {
            let (program, arguments) = words.split_first().ok_or("it is empty")?;
            let looked_up = || environment.program_outside(program, &writable);
            let place = match program.contains('/') {
                true => outside(Path::new(program), folder, &writable)?,
                false => looked_up().ok_or_else(|| {
                    format!("{program} is not on the PATH, outside of where the agent works")
                })?,
            };
            let mut command = Command::new(place);
            command.args(arguments);
            command
        }
    };
    command.env("PATH", environment.path_outside(&writable));
    Ok(command)
}

/// Reads to the end, but no more than a key can be; who writes on is cut off.
async fn read(pipe: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // What was read before an error is judged like all else.
        let _ = pipe.take(MOST_BYTES).read_to_end(&mut bytes).await;
    }
    bytes
}

fn failed(status: ExitStatus, out: &[u8], err: &[u8]) -> String {
    let mut said = String::from_utf8_lossy(err).into_owned();
    for line in String::from_utf8_lossy(out).lines().map(str::trim) {
        if !line.is_empty() {
            said = said.replace(line, "[redacted]");
        }
    }
    let said = one_line(&said);
    match said.is_empty() {
        true => format!("it failed ({status})"),
        false => format!("it failed ({status}): {}", clip(&said, SHOWN)),
    }
}

#[cfg(test)]
mod tests;
