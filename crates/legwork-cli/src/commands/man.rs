//! `legwork man`: manual pages, made of the help texts.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use crate::args::{self, Cli};
use crate::commands::print_data;
use crate::display::text::count;
use crate::error::Error;
use crate::exit::Exit;

pub(super) fn man(args: &args::Man) -> Result<Exit, Error> {
    let written = match &args.dir {
        Some(dir) => write(dir)
            .map(|pages| format!("wrote {} to {}\n", count(pages as u64, "page"), dir.display())),
        None => page(&whole()).map(|page| String::from_utf8_lossy(&page).into_owned()),
    };
    print_data(&written.map_err(|source| Error::System { doing: "writing manual pages", source })?)
}

/// The command with all that clap adds to it by itself.
fn whole() -> Command {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    command
}

/// Writes a page for the command and each of its verbs, and counts them.
fn write(dir: &Path) -> io::Result<usize> {
    fs::create_dir_all(dir)?;
    let mut left = vec![whole()];
    let mut pages = 0;
    while let Some(command) = left.pop() {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        fs::write(dir.join(format!("{name}.1")), page(&command)?)?;
        pages += 1;
        let verbs = command.get_subcommands().filter(|verb| verb.get_name() != "help");
        left.extend(verbs.cloned());
    }
    Ok(pages)
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let examples = command.get_after_help().map(ToString::to_string);
    let man = Man::new(command.clone()).title(name.to_uppercase()).section("1").date("");
    let man = man.source(concat!("legwork ", env!("CARGO_PKG_VERSION"))).manual("Legwork");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().next().is_some() {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    page.extend_from_slice(examples_section(&examples.unwrap_or_default()).as_bytes());
    Ok(page)
}

/// The examples with their lines as they are: they are typed, not read as text.
fn examples_section(text: &str) -> String {
    let text = text.strip_prefix("Examples:\n").unwrap_or(text);
    if text.is_empty() {
        return String::new();
    }
    let lines: String = text.lines().map(|line| escaped(line) + "\n").collect();
    format!(".SH EXAMPLES\n.nf\n{lines}.fi\n")
}

/// A line that roff takes as it is.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    let named = |c: char| match c.is_ascii() {
        true => c.to_string(),
        false => format!("\\[u{:04X}]", u32::from(c)),
    };
    let line: String = line.chars().map(named).collect();
    match line.starts_with('.') {
        true => format!("\\&{line}"),
        false => line,
    }
}

#[cfg(test)]
mod tests;
