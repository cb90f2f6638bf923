//! Asking the person whether a project is trusted.

use std::io::{self, BufRead, IsTerminal as _, Write, stderr, stdin};

use super::records::Decision;
use super::surface::{Kind, Piece};
use super::{Left, Standing, Trust, report};
use crate::args::Output;
use crate::config::locate::shown;
use crate::display::Terminal;
use crate::display::seen;
use crate::display::text::{clip_with, columns, count, visible};
use crate::error::Error;

/// Lines of a file that are shown.
const SHOWN: usize = 200;
/// How often the question is repeated after an answer that is not understood.
const TRIES: usize = 8;

/// Whether questions can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    Never,
    Terminal,
}

/// The user's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    Once,
    No,
    Never,
    Show,
}

impl Asks {
    /// Whether a person reads this output and can answer.
    pub(crate) fn of(output: &Output) -> Self {
        match !output.json && stdin().is_terminal() && stderr().is_terminal() {
            true => Self::Terminal,
            false => Self::Never,
        }
    }
}

impl Trust {
    /// Asks about the project if it is undecided and has files that need trust.
    ///
    /// # Errors
    /// When the terminal is gone, or the answer cannot be recorded.
    pub(crate) fn asked(mut self, asks: Asks) -> Result<Self, Error> {
        let waits = self.pieces.iter().any(|(_, left)| *left == Some(Left::Untrusted));
        if asks == Asks::Never || self.standing != Standing::Unknown || !waits {
            return self.confirmed(asks);
        }
        let failed = |source| Error::System { doing: "asking at the terminal", source };
        let terminal = Terminal::detect();
        let answer = self.ask(terminal, &mut stdin().lock(), &mut seen::err()).map_err(failed)?;
        match answer {
            Answer::Yes => {
                self.remember(Decision::Trusted)?;
                self.confirm(self.waiting())?;
                self.trusted(Standing::Recorded);
            }
            Answer::Never => {
                self.remember(Decision::Refused)?;
                self.standing = Standing::Refused;
            }
            Answer::Once => self.trusted(Standing::Once),
            Answer::No | Answer::Show => {}
        }
        Ok(self)
    }

    fn ask(
        &self,
        terminal: Terminal,
        answers: &mut impl BufRead,
        out: &mut impl Write,
    ) -> io::Result<Answer> {
        let Some(project) = &self.project else { return Ok(Answer::No) };
        writeln!(
            out,
            "{} is not trusted yet. An agent in it would be given:",
            shown(&project.root)
        )?;
        for line in self.offered(terminal) {
            writeln!(out, "{line}")?;
        }
        for _ in 0..TRIES {
            write!(out, "Trust it? [y]es, [o]nce, [s]how, [N]o, ne[v]er: ")?;
            out.flush()?;
            let mut said = String::new();
            if answers.read_line(&mut said)? == 0 {
                writeln!(out)?;
                return Ok(Answer::No);
            }
            match understood(&said) {
                Some(Answer::Show) => self.show(terminal, out)?,
                Some(answer) => return Ok(answer),
                None => {}
            }
        }
        Ok(Answer::No)
    }

    fn waiting(&self) -> impl Iterator<Item = &Piece> {
        let waiting = self.pieces.iter().filter(|(_, left)| *left == Some(Left::Untrusted));
        waiting.map(|(piece, _)| piece)
    }

    /// A line for each file or skill: what it is called, and what it sets.
    fn offered(&self, terminal: Terminal) -> Vec<String> {
        let root = self.project.as_ref().map(|project| project.root.as_path());
        let mut units: Vec<&Piece> = self.waiting().collect();
        units.dedup_by_key(|piece| &piece.unit);
        let names: Vec<_> = units.iter().map(|piece| report::within(&piece.unit, root)).collect();
        let wide = names.iter().map(|name| columns(name)).max().unwrap_or(0);
        // Side by side where there is room for a few words.
        let wide = if wide + 24 > terminal.columns { 0 } else { wide };
        let line = |(piece, name): (&&Piece, &String)| {
            let room = " ".repeat(wide.saturating_sub(columns(name)));
            let line = format!("  {name}{room}  {}", summary(piece));
            let line = visible(&line).replace('\n', " ");
            clip_with(&line, terminal.columns, terminal.marks.more).into_owned()
        };
        let clipped = |line: String| {
            let line = visible(&line).replace('\n', " ");
            clip_with(&line, terminal.columns, terminal.marks.more).into_owned()
        };
        let of_unit = |unit: (&&Piece, &String)| {
            let starts = programs(unit.0).into_iter().map(|what| format!("    starts {what}"));
            std::iter::once(line(unit)).chain(starts.map(clipped)).collect::<Vec<_>>()
        };
        units.iter().zip(&names).flat_map(of_unit).collect()
    }

    /// Shows the beginning of each file.
    fn show(&self, terminal: Terminal, out: &mut impl Write) -> io::Result<()> {
        let root = self.project.as_ref().map(|project| project.root.as_path());
        for piece in self.waiting() {
            writeln!(out, "\n--- {}", report::within(&piece.path, root))?;
            let text = text(piece);
            for line in text.lines().take(SHOWN) {
                let line = visible(line).replace('\t', "    ");
                writeln!(out, "{}", clip_with(&line, terminal.columns * 4, terminal.marks.more))?;
            }
            let more = text.lines().count().saturating_sub(SHOWN);
            if more > 0 {
                let more = count(more as u64, "more line");
                writeln!(out, "{} {more}: see the file itself", terminal.marks.more)?;
            }
        }
        writeln!(out)
    }
}

fn understood(said: &str) -> Option<Answer> {
    match said.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(Answer::Yes),
        "o" | "once" => Some(Answer::Once),
        "s" | "show" => Some(Answer::Show),
        "v" | "never" => Some(Answer::Never),
        "" | "n" | "no" => Some(Answer::No),
        _ => None,
    }
}

/// The text of a file, or why it cannot be read; empty if there is none.
fn text(piece: &Piece) -> String {
    match &piece.content {
        Ok(Some(content)) => String::from_utf8_lossy(&content.bytes).into_owned(),
        Ok(None) => String::new(),
        Err(why) => why.to_string(),
    }
}

/// What a file sets, in a few words.
fn summary(piece: &Piece) -> String {
    let text = text(piece);
    match piece.kind {
        _ if piece.content.is_err() => text,
        Kind::Instructions => {
            format!("instructions, {}", count(text.lines().count() as u64, "line"))
        }
        Kind::Settings => {
            let lines = text.lines().map(str::trim);
            let said = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
            let after = |line: &str| if line.starts_with('[') { " " } else { ", " };
            let said: String = said.flat_map(|line| [line, after(line)]).collect();
            said.trim_end_matches(", ").to_owned()
        }
        Kind::Agent => "an agent".to_owned(),
        Kind::Skill => "a skill".to_owned(),
        Kind::Command => "a command".to_owned(),
    }
}

/// The programs that a file of settings starts, each with the variables that it is given.
fn programs(piece: &Piece) -> Vec<String> {
    if piece.kind != Kind::Settings {
        return Vec::new();
    }
    let table = text(piece).parse::<toml::Table>().unwrap_or_default();
    let servers = table.get("mcp").and_then(toml::Value::as_table).into_iter().flatten();
    let program = |(name, server): (&String, &toml::Value)| {
        let words = server.get("command")?.as_array()?.iter().filter_map(toml::Value::as_str);
        let env = server.get("env").and_then(toml::Value::as_table).into_iter().flatten();
        let given: String = env.map(|(variable, _)| format!("{variable} ")).collect();
        Some(format!("{name} {given}`{}`", words.collect::<Vec<_>>().join(" ")))
    };
    servers.filter_map(program).collect()
}

#[cfg(test)]
mod tests;
