//! One case: a run with a fault, and what has to hold afterwards.

use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use crate::end::{self, End};
use crate::fault::Fault;
use crate::kind::Kind;
use crate::place::Place;
use crate::process::{self, Running, Said};
use crate::server::Server;
use crate::sound;

/// What cases of one kind of store are run on.
#[derive(Debug)]
pub(crate) struct Bench {
    kind: Kind,
    server: Option<Server>,
    runtime: Runtime,
    undisturbed: End,
    /// The commits of an undisturbed run: appends and posts.
    commits: (usize, usize),
    /// How long it takes.
    takes: Duration,
}

/// What a case did, if nothing was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Noticed {
    /// The run ended early or was given an error.
    Yes,
    /// The run went on as if nothing had happened.
    No,
    /// The call that something was to happen at was not made this time, or the run had ended.
    Missed,
}

impl Bench {
    /// Runs the program undisturbed; none if what the store needs is not installed.
    pub(crate) fn open(kind: Kind) -> Result<Option<Self>, String> {
        let server = Server::start(kind).map_err(|error| error.to_string())?;
        if kind.is_remote() && server.is_none() {
            return Ok(None);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let place = Place::new(kind, server.as_ref());
        let said = process::run(&place, &Fault::None)?;
        let commits = said.finished.ok_or_else(|| said.everything.clone())?;
        let undisturbed = runtime.block_on(end::read(&place))?;
        if !undisturbed.is_whole() {
            return Err(format!("undisturbed it ends as\n{undisturbed:#?}"));
        }
        let takes = process::duration(&Place::new(kind, server.as_ref()))?;
        Ok(Some(Self { kind, server, runtime, undisturbed, commits, takes }))
    }

    /// The commits of an undisturbed run: appends and posts.
    pub(crate) fn commits(&self) -> (usize, usize) {
        self.commits
    }

    /// Runs a case.
    ///
    /// # Errors
    /// What does not hold.
    pub(crate) fn run(&mut self, fault: &Fault) -> Result<Noticed, String> {
        let place = Place::new(self.kind, self.server.as_ref());
        let said = match fault {
            Fault::Server { seed } => self.run_without_server(&place, *seed)?,
            fault => process::run(&place, fault)?,
        };
        Self::is_typed(&said)?;
        let noticed = match said.finished.is_none() || !said.failures.is_empty() {
            true => Noticed::Yes,
            false if said.missed => Noticed::Missed,
            false => Noticed::No,
        };
        let within = |what: String| format!("{what}\nThe first run said: {}", said.everything);
        if said.finished.is_none() {
            Self::ended_as_expected(fault, &said).map_err(within)?;
            self.runtime.block_on(sound::check(&place)).map_err(within)?;
            if let Some(again) = fault.again() {
                Self::is_typed(&process::run(&place, &again)?)?;
                self.runtime.block_on(sound::check(&place)).map_err(within)?;
            }
            self.finish(&place).map_err(within)?;
        }
        let end = self.runtime.block_on(end::read(&place)).map_err(within)?;
        end.compare(&self.undisturbed).map_err(within)?;
        Ok(noticed)
    }

    /// Kills the server at a moment of the run, and starts it again at once.
    fn run_without_server(&mut self, place: &Place, seed: u64) -> Result<Said, String> {
        let mut random = fastrand::Rng::with_seed(seed);
        let moment = self.takes.mul_f64(random.f64());
        let start = Instant::now();
        let running = Running::start(place, &Fault::Server { seed })?;
        if let Some(said) = running.work_for(moment)? {
            // The machine has less to do than before.
            self.takes = start.elapsed();
            return Ok(Said { missed: true, ..said });
        }
        if let Some(server) = &mut self.server {
            server.kill_and_restart().map_err(|error| error.to_string())?;
        }
        running.end()
    }

    /// Each error is one of the store; nothing panicked.
    fn is_typed(said: &Said) -> Result<(), String> {
        if said.panicked {
            return Err(format!("the program panicked:\n{}", said.everything));
        }
        match said.failures.iter().find(|(is_of_store, _)| !is_of_store) {
            None => Ok(()),
            Some((_, message)) => Err(format!("not an error of the store: {message}")),
        }
    }

    /// A run that did not finish was killed, or was given an error.
    fn ended_as_expected(fault: &Fault, said: &Said) -> Result<(), String> {
        match fault.kills() || !said.failures.is_empty() {
            true => Ok(()),
            false => Err("it ended without an error and is not through".to_owned()),
        }
    }

    /// Runs the program again until it is through.
    fn finish(&self, place: &Place) -> Result<(), String> {
        let said = process::run(place, &Fault::None)?;
        Self::is_typed(&said)?;
        match said.finished.is_some() && said.failures.is_empty() {
            true => Ok(()),
            false => Err(format!("run again, it does not finish:\n{}", said.everything)),
        }
    }
}
