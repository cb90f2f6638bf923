//! `cargo xtask requests [--wire W | --provider P]`: the requests of a matrix of transcripts, as
//! JSONL.
//!
//! Each line is `{"wire", "case", "body"}`: what would be sent to a server of that wire. A case
//! that an API or the product cannot do has `refused`, with the reason, instead of a body. With a
//! provider, which may differ from others of its wire, each line names it as `provider`, too.
//!
//! An example, so that `cargo xtask` itself builds without the models' crates.

#![allow(clippy::print_stderr)]

use std::io::{BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use legwork_models::{Api, providers};

mod matrix;

use matrix::Wire;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    match wires(&args).and_then(|wires| print(&wires)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn wires(args: &[&str]) -> Result<Vec<Wire>, String> {
    match args {
        [] => Api::ALL.iter().copied().map(Wire::of_api).collect(),
        ["--wire", wire] => {
            let api = wire.parse().map_err(|unknown| format!("{unknown}"))?;
            Ok(vec![Wire::of_api(api)?])
        }
        ["--provider", name] => {
            let known = || providers::ALL.iter().map(|provider| provider.name).collect::<Vec<_>>();
            let unknown = || format!("there is no provider `{name}`, but {}", known().join(", "));
            Ok(vec![Wire::of_provider(providers::find(name).ok_or_else(unknown)?)?])
        }
        _ => Err("it takes `--wire W` or `--provider P` and nothing else".to_owned()),
    }
}

fn print(wires: &[Wire]) -> Result<(), String> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for wire in wires {
        for line in matrix::lines(wire)? {
            match writeln!(out, "{}", line.to_json()) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                written => written.map_err(|error| format!("writing: {error}"))?,
            }
        }
    }
    match out.flush() {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        flushed => flushed.map_err(|error| format!("writing: {error}")),
    }
}
