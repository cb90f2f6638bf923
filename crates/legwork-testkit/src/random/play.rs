//! Plays a program, and holds everything that comes of it against the invariants.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::{Agent, Error};
use legwork_core::inbox::{Answer, Item, Label, Verdict};
use legwork_core::state::Refusal;
use legwork_core::{ExecutionStatus, Message, OnDoubt, SessionId};
use legwork_port::{Store, store};

use super::drive::finish;
use super::process::Process;
use super::program::{Act, By, Go, PostPlan, Program, Reply, Start, To};
use super::world::{World, part};
use super::{agent, verdict};
use crate::conformance::Violation;
use crate::invariants::{Checked, Journals, broken, hold};
use crate::model::ScriptedModel;
use crate::script::Turn;

/// The session of the root.
pub(super) const ROOT: &str = "root";

/// How often a session is taken up at the end until it rests.
const TO_REST: usize = 40;

const REFUSED: &str = "what is refused changes nothing (S12.1)";
const APPENDED: &str = "a journal is only appended to";
const RELEASED: &str = "a process that ended holds no claim (S8.3)";
const RESTS: &str = "a session that is taken up again and again comes to rest (S10.1)";
const REMOVED: &str = "a session is removed with all below it, and nothing else is (S8.6)";
const REST: &str = "resuming a session at rest changes nothing (S1.9, S10.1)";
const CHILD: &str = "a subagent is refused to anybody but its parent (S10.5)";

/// A program being played.
pub(super) struct Playing<'p> {
    pub(super) program: &'p Program,
    pub(super) world: World,
    /// Tasks and items that were given so far: each has a text of its own.
    given: usize,
}

/// Plays a program.
pub(super) fn play(program: &Program) -> Checked {
    let mut playing = Playing { program, world: World::new(&program.pace), given: 0 };
    let empty = Journals::new();
    for act in &program.acts {
        let before = playing.world.journals();
        playing.act(act)?;
        let removed = *act == Act::Remove;
        playing.between(if removed { &empty } else { &before })?;
    }
    playing.rest()?;
    verdict::of_world(&playing.world)?;
    verdict::of_time(playing.program, &playing.world)?;
    verdict::of_steps(program, &playing.world)
}

impl Playing<'_> {
    fn act(&mut self, act: &Act) -> Checked {
        match act {
            Act::Go(go) => self.go(go).map(drop),
            Act::Post(to, plan) => {
                self.post(*to, *plan);
                Ok(())
            }
            Act::MoveHead(percent) => {
                let journal = self.world.journal(&SessionId::new(ROOT));
                let agent = self.agent(self.durable())?;
                let session = agent.session(ROOT);
                let moved = session.move_head(part(&journal, *percent));
                match finish(moved, self.world.clock()) {
                    Some(Ok(_) | Err(Error::Refused(_) | Error::UnknownSession(_))) => Ok(()),
                    other => broken(REFUSED, format!("moving the head gives {other:?}")),
                }
            }
            Act::TakeChild => self.take_child(),
            Act::Pass(millis) => {
                self.world.clock().advance(Duration::from_millis(*millis));
                self.world.facts().time.gaps += 1;
                Ok(())
            }
            Act::Remove => self.remove(),
            Act::Squat(entry, index) => {
                self.squat(&SessionId::new(format!("{ROOT}.{entry}-{index}")))
            }
        }
    }

    /// The session of the root is removed with those of all below it, and no other one.
    fn remove(&self) -> Checked {
        let before = self.world.journals();
        let root = SessionId::new(ROOT);
        let agent = self.agent(self.durable())?;
        let removed = finish(agent.session(ROOT).remove(), self.world.clock());
        let after = self.world.journals();
        if !before.contains_key(&root) {
            hold!(REFUSED, before == after, "nothing was there, and {removed:?} removed it");
            // What was left for it is gone with its inbox.
            self.world.forget(&after);
            return Ok(());
        }
        hold!(REMOVED, matches!(removed, Some(Ok(_))), "it gives {removed:?}");
        hold!(REMOVED, !after.contains_key(&root), "it is there");
        for (session, journal) in &before {
            let parent = journal.fold(session).facts().parent.clone();
            let below = parent.is_some() || *session == root;
            let is_there = after.get(session) == Some(journal);
            hold!(REMOVED, is_there != below, "{session} is there: {is_there}");
        }
        self.world.forget(&after);
        Ok(())
    }

    fn take_child(&self) -> Checked {
        let Some(child) = self.child() else { return Ok(()) };
        let before = self.world.journals();
        let agent = self.agent(self.durable())?;
        let resumed = agent.resume(child.clone()).outcome();
        match finish(resumed, self.world.clock()) {
            Some(Err(Error::Refused(Refusal::IsSubagent { .. }))) => {}
            other => return broken(CHILD, format!("it gives {other:?}")),
        }
        match finish(agent.session(child).remove(), self.world.clock()) {
            Some(Err(Error::Refused(Refusal::BelongsTo { .. }))) => {}
            other => return broken(CHILD, format!("removed alone it gives {other:?}")),
        }
        hold!(REFUSED, before == self.world.journals(), "a subagent's session was changed");
        Ok(())
    }

    /// Begins a session under an id that a subagent may get.
    fn squat(&self, session: &SessionId) -> Checked {
        let model = ScriptedModel::new([Turn::text("none of yours")]);
        let agent = Agent::builder(model.named("foreign:model")).store_in(self.durable()).build();
        let agent = agent.map_err(|error| Violation { check: CHILD, found: error.to_string() })?;
        let ran = agent.session(session.clone()).run("mine").outcome();
        finish(ran, self.world.clock());
        Ok(())
    }

    /// One life of a process; whether it was refused.
    fn go(&mut self, go: &Go) -> Result<bool, Violation> {
        self.given += 1;
        let task = format!("task {}", self.given);
        let before = self.world.journals();
        let posted = self.world.facts().posted.clone();
        let refused = Process::new(self, go, task).run()?;
        // What waited in the inbox is taken up before anything is refused.
        if refused && !self.waits(&before) {
            // What was posted meanwhile to a session that no process runs was taken up at once.
            let others = self.others(&posted);
            let (before, after) = (others(before), others(self.world.journals()));
            hold!(REFUSED, before == after, "{:?}", first_difference(&before, &after));
        }
        Ok(refused)
    }

    /// The journals without those of sessions that something was left for since.
    fn others(&self, posted: &BTreeMap<SessionId, usize>) -> impl Fn(Journals) -> Journals {
        let mut since = self.world.facts().posted.clone();
        since.retain(|session, count| posted.get(session) != Some(count));
        move |mut journals| {
            journals.retain(|session, _| !since.contains_key(session));
            journals
        }
    }

    /// After each act: nothing was rewritten, no claim is held, nothing was found.
    fn between(&self, before: &Journals) -> Checked {
        let after = self.world.journals();
        for (session, journal) in before {
            let now = after.get(session).map(|journal| journal.entries()).unwrap_or_default();
            let appended = now.starts_with(journal.entries());
            hold!(APPENDED, appended, "entries of {session} changed");
        }
        for session in after.keys() {
            let claimed = finish(self.world.store().claim(session), self.world.clock());
            hold!(RELEASED, matches!(claimed, Some(Ok(_))), "{session} is claimed");
        }
        self.world.facts().violation.take().map_or(Ok(()), Err)
    }

    /// Takes the session up until it rests, and once more.
    fn rest(&mut self) -> Checked {
        let root = SessionId::new(ROOT);
        let go = Go { on_doubt: Some(OnDoubt::Tell), by: By::Await, ..Go::default() };
        for _ in 0..TO_REST {
            let before = self.world.journals();
            let status = self.status(&root);
            // Nothing began, or the head was moved to before all that did.
            let start = if status.is_some() { Start::Resume } else { Start::Task };
            let refused = self.go(&Go { start, ..go.clone() })?;
            self.between(&before)?;
            // What waited may have moved the head to where nothing can be resumed.
            if refused && before == self.world.journals() {
                let rests = status.as_ref().is_some_and(ExecutionStatus::is_terminal);
                hold!(RESTS, rests, "it is {status:?}, and nothing can be done");
                return Ok(());
            }
            let goes_on = |status: &ExecutionStatus| {
                !status.is_terminal() || *status == ExecutionStatus::Failed
            };
            let after = self.world.journals();
            let changed = first_difference(&before, &after);
            let goes_on = status.as_ref().is_none_or(goes_on) || self.waits(&before);
            hold!(REST, goes_on || before == after, "it was {status:?}, then came {changed:?}");
        }
        // Where the agent is such that it always fails, each message is tried anew.
        let status = self.status(&root);
        let fails = status == Some(ExecutionStatus::Failed);
        hold!(RESTS, fails, "after {TO_REST} times it is {status:?}");
        Ok(())
    }

    fn status(&self, session: &SessionId) -> Option<ExecutionStatus> {
        self.world.journal(session).fold(session).status().cloned()
    }

    /// Whether something that was said to the root waits.
    fn waits(&self, journals: &Journals) -> bool {
        let root = SessionId::new(ROOT);
        let Some(state) = journals.get(&root).map(|journal| journal.fold(&root)) else {
            return false;
        };
        let inbox = self.world.store().inbox(&root, state.facts().inbox_cursor);
        let waiting = finish(inbox, self.world.clock()).and_then(Result::ok);
        let queued = !state.facts().follow_ups.is_empty() || state.context().steered;
        queued || waiting.is_some_and(|items| !items.is_empty())
    }

    pub(super) fn agent(&self, store: Arc<dyn Store>) -> Result<Agent, Violation> {
        agent::build(self.program, &self.world, store).map_err(|error| Violation {
            check: "the agent of a program can be built",
            found: error.to_string(),
        })
    }

    pub(super) fn durable(&self) -> Arc<dyn Store> {
        Arc::<legwork_agent::memory::MemoryStore>::clone(self.world.store())
    }

    /// The session of the last subagent.
    fn child(&self) -> Option<SessionId> {
        let all = self.world.journals().into_iter();
        let children = all.filter(|(session, journal)| {
            let parent = journal.fold(session).facts().parent.clone();
            parent.is_some()
        });
        children.map(|(session, _)| session).max()
    }

    /// Leaves something in an inbox.
    pub(super) fn post(&mut self, to: To, plan: PostPlan) {
        let session = match to {
            To::Root => Some(SessionId::new(ROOT)),
            To::Child => self.child(),
        };
        let Some(session) = session else { return };
        self.given += 1;
        let Ok(agent) = self.agent(self.durable()) else { return };
        let by_id = agent.session(session.clone());
        let key = format!("key {}", self.given);
        let posted = match plan {
            // The library makes the key.
            PostPlan::Steer => {
                let said = format!("steer {}", self.given);
                finish(by_id.steer(said), self.world.clock()).map(|posted| posted.is_ok())
            }
            _ => {
                let posted = by_id.post(&key, self.item(&session, plan));
                finish(posted, self.world.clock()).map(|posted| posted.is_ok())
            }
        };
        if posted == Some(true) {
            *self.world.facts().posted.entry(session).or_default() += 1;
        }
    }

    fn item(&self, session: &SessionId, plan: PostPlan) -> Item {
        let journal = self.world.journal(session);
        let said = |what: &str| Arc::new(Message::user(format!("{what} {}", self.given)));
        let answer = |id: String, verdict| Item::Answer(Answer::new(id, verdict));
        match plan {
            PostPlan::Steer => Item::Steer(said("steer")),
            PostPlan::FollowUp => Item::FollowUp(said("follow up")),
            PostPlan::Stop => Item::Stop("the program says so".to_owned()),
            PostPlan::Answer(reply) => {
                let state = journal.fold(session);
                let id = state.pending().first().map(|pending| pending.id.clone());
                let verdict = match reply {
                    Reply::RunAgain => Verdict::RunAgain,
                    Reply::Tell => Verdict::Tell,
                    Reply::Supply => Verdict::Supply("supplied".into()),
                };
                answer(id.unwrap_or_default(), verdict)
            }
            PostPlan::Bogus => answer("nothing".to_owned(), Verdict::RunAgain),
            PostPlan::Label(percent) => {
                let entry = part(&journal, percent);
                Item::Label(Label { entry, text: Some("here".to_owned()) })
            }
            PostPlan::MoveHead(percent) => Item::MoveHead(part(&journal, percent)),
        }
    }
}

/// The first entry of any journal that is not in the other ones.
fn first_difference(before: &Journals, after: &Journals) -> Option<String> {
    after.iter().find_map(|(session, journal)| {
        let known = before.get(session).map_or(0, |journal| journal.entries().len());
        let entry = journal.entries().get(known)?;
        Some(format!("{session} {} {}", entry.seq, entry.event.kind()))
    })
}

/// Whether a store's error is one that the program asked for.
pub(super) fn is_planned(error: &store::Error, go: &Go) -> bool {
    !go.faults.is_empty() && (error.is_conflict() || matches!(error, store::Error::Failed { .. }))
}
