//! One file per command, and how any of them begins and ends.

mod acp;
mod addressed;
mod agents;
mod answers;
mod auxiliary;
mod chat;
mod compact;
mod completions;
mod config;
mod context;
mod doctor;
mod inbox;
mod man;
mod mcp;
mod meant;
mod models;
mod resume;
mod run;
mod schema;
mod sessions;
mod submit;
mod tools;
mod trust;
mod typed;
pub(crate) mod undo;
mod work;

use std::io::{self, Write as _, stderr, stdout};
use std::path::Path;
use std::sync::Arc;

use clap::Parser as _;
use clap::error::ErrorKind;
use legwork::agent::Control;

pub(crate) use auxiliary::{UNDONE, is_interrupted};
pub(crate) use compact::told as compacted;
pub(crate) use legwork::core::nearest::nearest;
pub(crate) use sessions::{changes, listed, summary_line};

use crate::args::{Cli, Command, Output};
use crate::complete;
use crate::config::Config;
use crate::display::seen::{self, guarded};
use crate::display::{
    self, Again, AnswerForm, At, Displayer as _, Human, Json, Screen, Terminal, Verbosity, failure,
};
use crate::error::Error;
use crate::exit::Exit;
use crate::signals;
use crate::telemetry;
use legwork::port::{EventKind, RunEvent};

/// Reads the command line, runs the command, and says how it ends.
pub(crate) fn main() -> Exit {
    // A panic message may hold input from outside.
    std::panic::set_hook(Box::new(|panic| tell(&panic.to_string())));
    match complete::answered() {
        Ok(false) => {}
        Ok(true) => return Exit::Done,
        Err(error) => {
            report(&error, false);
            return error.exit();
        }
    }
    let args = typed::args();
    let Cli { command, config, .. } = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return refuse(&meant::with_meant(error, &typed::text(&args))),
    };
    let json = command.json();
    match start(command, config.as_deref()) {
        Ok(exit) => exit,
        Err(error) => {
            report(&error, json);
            error.exit()
        }
    }
}

fn start(command: Command, file: Option<&Path>) -> Result<Exit, Error> {
    // These work though no setting does.
    match &command {
        Command::Config(args) => return config::config(args, file),
        Command::Completions(args) => return completions::completions(args),
        Command::Man(args) => return man::man(args),
        Command::Schema(args) => return schema::schema(args),
        Command::Doctor(args) => return doctor::doctor(args, configured(file)),
        _ => {}
    }
    let config = configured(file)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::System { doing: "starting", source })?;
    let result = runtime.block_on(async {
        match command {
            Command::Acp(args) => acp::acp(args, &config).await,
            Command::Chat(args) => chat::chat(args, &config).await,
            Command::Run(args) => run::run(args, &config).await,
            Command::Resume(args) => resume::resume(args, &config).await,
            Command::Pending(args) => answers::pending(args, &config).await,
            Command::Approve(args) => answers::approve(args, &config).await,
            Command::Deny(args) => answers::deny(args, &config).await,
            Command::Answer(args) => answers::answer(args, &config).await,
            Command::Steer(args) => inbox::steer(args, &config).await,
            Command::FollowUp(args) => inbox::follow_up(args, &config).await,
            Command::Stop(args) => inbox::stop(args, &config).await,
            Command::Suspend(args) => inbox::suspend(args, &config).await,
            Command::Compact(args) => compact::compact(args, &config).await,
            Command::Submit(args) => submit::submit(args, &config).await,
            Command::Work(args) => work::work(args, &config).await,
            Command::Undo(args) => undo::undo(args, &config).await,
            Command::Sessions(args) => sessions::sessions(args, &config).await,
            Command::Config(args) => config::config(&args, file),
            Command::Context(args) => context::context(&args, &config),
            Command::Doctor(args) => doctor::doctor(&args, Ok(config)),
            Command::Models(args) => models::models(args, &config).await,
            Command::Completions(args) => completions::completions(&args),
            Command::Man(args) => man::man(&args),
            Command::Schema(args) => schema::schema(&args),
            Command::Agents(args) => agents::agents(&args, &config),
            Command::Tools(args) => tools::tools(args, &config).await,
            Command::Mcp(args) => mcp::mcp(args, &config, file).await,
            Command::Trust(args) => trust::trust(&args, &config),
        }
    });
    // A look-up of a name that hangs is not waited for.
    runtime.shutdown_background();
    if let Some(warning) = telemetry::end() {
        tell(&format!("warning: {warning}"));
    }
    result
}

/// The user's settings, heeded from here on in what is shown.
fn configured(file: Option<&Path>) -> Result<Config, Error> {
    let config = Config::of_user(file)?;
    display::prefer(config.color()?.value);
    Ok(config)
}

/// What clap has to say: help and version are no errors.
fn refuse(error: &clap::Error) -> Exit {
    // Whether anybody reads it changes nothing.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Done,
        _ => {
            if std::env::args_os().any(|arg| arg == "--json") {
                let text = error.render().to_string();
                let said = text.lines().next().unwrap_or_default();
                let said = said.strip_prefix("error: ").unwrap_or(said);
                report_json(&Error::usage(said, "see `legwork --help`"));
            }
            Exit::Usage
        }
    }
}

/// An error that nothing else has shown: words on standard error, a line for programs.
fn report(error: &Error, json: bool) {
    if json {
        report_json(error);
    }
    let at = At::default();
    let terminal = Terminal::detect();
    let _ = Human::new(io::sink(), stderr(), terminal).show(at, &failure(error));
}

fn report_json(error: &Error) {
    let _ = Json::new(stdout()).show(At::default(), &failure(error));
}

/// What shows a run, and what may interrupt it; `again` is what another command needs to go on
/// with it.
fn screen(
    output: &Output,
    answer: AnswerForm,
    again: Again,
) -> Result<(Arc<Screen>, Control), Error> {
    let control = Control::default();
    let screen = match output.json {
        true => Screen::new(Json::new(stdout()), control.clone(), again),
        false => person(output, answer, control.clone(), again)?,
    };
    signals::watch(control.clone(), Arc::clone(&screen))?;
    Ok((screen, control))
}

/// A screen that a person looks at.
fn person(
    output: &Output,
    answer: AnswerForm,
    control: Control,
    again: Again,
) -> Result<Arc<Screen>, Error> {
    let verbosity = match (output.quiet, output.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Usual,
    };
    let terminal = Terminal::asked(output);
    let human = Human::new(stdout(), stderr(), terminal).verbosity(verbosity).answer(answer);
    let screen = Screen::new(human, control, again);
    if terminal.lively {
        let started = screen.enliven();
        started.map_err(|source| Error::System { doing: "starting to show the run", source })?;
    }
    Ok(screen)
}

/// Tells a warning of a command that runs no agent.
fn warn(warning: String) {
    let event = RunEvent::new(EventKind::Warning { message: warning });
    let _ = Human::new(io::sink(), stderr(), Terminal::detect()).show(At::default(), &event);
}

/// Writes a line to standard error; failing to do so is not an error.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(stderr(), "{}", guarded(line));
}

/// Writes output for people.
fn print(text: &str) -> Result<Exit, Error> {
    print_data(&guarded(text))
}

/// Writes JSON.
fn print_json(text: &str) -> Result<Exit, Error> {
    print_data(&seen::json(text))
}

/// Writes output for programs, unchanged; a reader that closed the pipe is not an error.
fn print_data(text: &str) -> Result<Exit, Error> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::System { doing: "writing to standard output", source })
        }
        _ => Ok(Exit::Done),
    }
}
