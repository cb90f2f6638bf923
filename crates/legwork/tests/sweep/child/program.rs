//! What the program does: tasks, a branch and a fork, each of them once.

use std::sync::{Arc, Mutex};

use legwork::Subagent;
use legwork::agent::{Error, Session};
use legwork::context::Context;
use legwork::context::compaction::Policy;
use legwork::core::continuation::End;
use legwork::core::inbox::{Label, Verdict};
use legwork::core::journal::Journal;
use legwork::core::state::{Pending, PendingReason};
use legwork::core::{Event, Seq};
use legwork::port::store::Holder;
use legwork::port::{Observer, Store, store};
use legwork::prelude::*;
use serde_json::json;

use super::script::{self, DANCE, FAIR, MUSIC, PLAYS};
use super::tools::Hands;
use crate::world::World;

/// The session of the first three tasks.
pub(crate) const SESSION: &str = "work";

/// The session that is forked from it.
pub(crate) const FORK: &str = "fork";

/// The label of the entry that the branch and the fork go on from.
const LABEL: &str = "after the fair";

/// The tokens that a compaction keeps: about those of the last task.
const KEPT: u64 = 60;

/// How often a task is gone on with at most; each time it comes further.
const ROUNDS: usize = 30;

/// The program, in one process.
pub(super) struct Program {
    agent: Agent,
    hands: Hands,
    warnings: Arc<Warnings>,
}

/// The last warning that observers were given.
#[derive(Default)]
struct Warnings(Mutex<Option<String>>);

impl Observer for Warnings {
    fn observe(&self, event: &RunEvent) {
        if let EventKind::Warning { message } = &event.kind {
            *self.0.lock().unwrap() = Some(message.clone());
        }
    }
}

impl Warnings {
    fn take(&self) -> Option<String> {
        self.0.lock().unwrap().take()
    }
}

impl Program {
    pub(super) fn new(store: Arc<dyn Store>, world: Arc<World>) -> Self {
        let hands = Hands { store: Arc::clone(&store), world };
        let warnings = Arc::new(Warnings::default());
        let agent = Agent::builder(script::model())
            .instructions("You prepare fairs.")
            .tools(hands.tools())
            .subagent(Subagent::new("helper", "Runs errands.", "You run errands."))
            .context(Context::new().compaction(Policy::new().keep(KEPT)))
            .observer(Arc::clone(&warnings))
            .store_in(store)
            .build();
        Self { agent: agent.unwrap(), hands, warnings }
    }

    /// Does what is not done yet.
    pub(super) async fn run(&self) -> Result<(), Error> {
        self.perform(SESSION, FAIR).await?;
        let fair = self.label().await?;
        self.perform(SESSION, MUSIC).await?;
        self.go_back(fair).await?;
        self.perform(SESSION, DANCE).await?;
        match self.agent.session(SESSION).fork_into(fair, FORK).await {
            Ok(_) | Err(Error::Store(store::Error::Exists { .. })) => {}
            Err(error) => return Err(error),
        }
        self.perform(FORK, PLAYS).await
    }

    /// Gives a session a task, unless it has it, and goes on until nothing is under way.
    async fn perform(&self, session: &str, task: &str) -> Result<(), Error> {
        let session = self.agent.session(session);
        for _ in 0..ROUNDS {
            let journal = session.journal().await?;
            if !journal.entries().iter().any(|entry| begins(&entry.event, task)) {
                let run = session.run(task).outcome().await?;
                self.goes_on(&session, &run).await?;
                continue;
            }
            let state = journal.fold(session.id());
            match state.end() {
                End::Completed => return Ok(()),
                End::Waiting(_) => self.answer(&session).await?,
                _ => {}
            }
            let run = session.resume().outcome().await?;
            self.goes_on(&session, &run).await?;
        }
        panic!("{task} comes to no end in {} rounds", ROUNDS)
    }

    /// Whether a run that rests can be gone on with; an error if it waits for a subagent whose
    /// session could not be worked in.
    async fn goes_on(&self, session: &Session, run: &Run) -> Result<(), Error> {
        let waits = matches!(run.end(), End::Waiting(_));
        if !waits || !session.pending().await?.is_empty() {
            return Ok(());
        }
        let session = session.id().clone();
        Err(match self.warnings.take() {
            Some(reason) => store::Error::Failed { store: "of the subagent".to_owned(), reason },
            // A process that was killed has it until its lease ends.
            None => store::Error::Held { session, by: Holder::Unknown },
        })?
    }

    /// Answers what waits.
    async fn answer(&self, session: &Session) -> Result<(), Error> {
        for waiting in session.pending().await? {
            let answer = self.decide(session.id().as_str(), &waiting.pending).await;
            match session.answer(answer.by("Ann")).await {
                // It was answered before the process was killed, and is taken up now.
                Ok(_) | Err(Error::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// A person approves what needs approval, and looks where it is in doubt what happened.
    async fn decide(&self, session: &str, pending: &Pending) -> Answer {
        if pending.reason != PendingReason::Doubt {
            return Answer::approve(pending);
        }
        let Some(what) = self.hands.world.done(&pending.id) else {
            return Answer::new(&pending.id, Verdict::RunAgain);
        };
        if &*pending.tool == "ring" {
            self.hands.steer(session).await;
        }
        Answer::supply(pending, json!(script::done(&what)))
    }

    /// Labels the end of the first task, and returns its entry.
    async fn label(&self) -> Result<Seq, Error> {
        let session = self.agent.session(SESSION);
        let journal = session.journal().await?;
        let ends = |event: &Event| matches!(event, Event::ExecutionFinished(_));
        let end = journal.entries().iter().find(|entry| ends(&entry.event)).unwrap().seq;
        let label = Label { entry: end, text: Some(LABEL.to_owned()) };
        if !has(&journal, |event| matches!(event, Event::Labelled(known) if *known == label)) {
            session.label(label).await?;
        }
        Ok(end)
    }

    /// Moves the head back to the end of the first task.
    async fn go_back(&self, to: Seq) -> Result<(), Error> {
        let session = self.agent.session(SESSION);
        if !has(&session.journal().await?, |event| matches!(event, Event::HeadMoved(_))) {
            session.move_head(to).await?;
        }
        Ok(())
    }
}

fn has(journal: &Journal, is_it: impl Fn(&Event) -> bool) -> bool {
    journal.entries().iter().any(|entry| is_it(&entry.event))
}

/// Whether an event begins an execution with this task.
fn begins(event: &Event, task: &str) -> bool {
    let Event::ExecutionStarted(started) = event else { return false };
    started.input.iter().any(|message| message.text() == task)
}
