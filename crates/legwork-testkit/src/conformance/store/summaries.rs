//! The summary of a session in lists: that of the last append that had one.

use std::sync::Arc;

use legwork_core::event::{
    ExecutionFinished, ExecutionStarted, HeadMoved, ParentLink, SessionStarted,
};
use legwork_core::inbox::Label;
use legwork_core::{
    AgentState, ContinuationOutcome, Event, ExecutionStatus, Message, Micros, Seq, SessionId,
    Stamp, Summary, Timestamp,
};
use legwork_port::store::{Batch, Query, SessionInfo};
use legwork_port::{Claim, Store};

use super::super::{Outcome, ensure};
use super::samples::{NOON, claim, said_all, session, tried};

type Subject = Arc<dyn Store>;

/// A session that is worked in: its state, and what of it is in the store.
pub(super) struct Work<'a> {
    pub(super) state: AgentState,
    pub(super) held: &'a dyn Claim,
}

impl<'a> Work<'a> {
    pub(super) fn new(name: &SessionId, held: &'a dyn Claim) -> Self {
        Self { state: AgentState::new(name.clone()), held }
    }

    /// Appends an event that happened some milliseconds after noon, with the summary.
    pub(super) async fn happens(&mut self, time: u64, event: Event) -> Outcome {
        self.adds(time, event);
        let entries = self.state.uncommitted().to_shared();
        let summary = Arc::clone(self.state.summary());
        self.appends(Batch::of(&entries).with_summary(&summary)).await
    }

    /// The same without the summary.
    pub(super) async fn goes_on(&mut self, time: u64, event: Event) -> Outcome {
        self.adds(time, event);
        let entries = self.state.uncommitted().to_shared();
        self.appends(Batch::of(&entries)).await
    }

    fn adds(&mut self, time: u64, event: Event) {
        let stamp = Stamp { wall: Timestamp(NOON + time), mono: Micros::ZERO };
        self.state = self.state.clone().at(stamp).with(event);
    }

    async fn appends(&mut self, batch: Batch<'_>) -> Outcome {
        let expected = self.state.committed_version();
        tried("appending", self.held.append(expected, batch).await)?;
        self.state = self.state.clone().committed();
        Ok(())
    }
}

pub(super) fn started(text: &str) -> Event {
    Event::ExecutionStarted(ExecutionStarted { input: vec![Arc::new(Message::user(text))] })
}

pub(super) fn finished(status: ExecutionStatus) -> Event {
    let outcome = Arc::new(ContinuationOutcome::go_on("test"));
    Event::ExecutionFinished(ExecutionFinished { status, outcome })
}

pub(super) fn spawned(name: &SessionId, parent: &SessionId) -> Event {
    let began = Timestamp(NOON);
    let parent = ParentLink { session: parent.clone(), call: "call".into(), began };
    let (session, agent) = (name.clone(), "clerk".into());
    Event::SessionStarted(SessionStarted {
        session,
        agent,
        parent: Some(parent),
        forked_from: None,
    })
}

pub(super) fn labelled(entry: u64, text: Option<&str>) -> Event {
    Event::Labelled(Label { entry: Seq(entry), text: text.map(str::to_owned) })
}

pub(super) fn note() -> Event {
    Event::MessageAdded(Arc::new(Message::user("a note")))
}

async fn listed(store: &dyn Store) -> Result<SessionInfo, String> {
    let page = tried("listing", store.sessions(&Query::all()).await)?;
    page.sessions.into_iter().next().ok_or_else(|| "nothing is listed".to_owned())
}

async fn says(store: &dyn Store, wanted: &Summary, updated: u64) -> Outcome {
    let found = listed(store).await?;
    ensure!(found.summary == *wanted, "a list says {:?}, not {wanted:?}", found.summary);
    let updated = Timestamp(NOON + updated);
    ensure!(found.updated_at == updated, "changed at {:?}, not {updated:?}", found.updated_at);
    Ok(())
}

pub(super) async fn s8_7_a_list_says_what_appends_brought(store: &Subject) -> Outcome {
    let (name, parent) = (session("worked in"), session("parent"));
    let held = claim(&**store, &name).await?;
    let mut work = Work::new(&name, &*held);
    let events = [
        spawned(&name, &parent),
        started("Ünder way: \"it's\" first\nsecond"),
        note(),
        finished(ExecutionStatus::Completed),
        labelled(2, Some("good")),
        labelled(3, Some("odd, \"quoted\" 漢字")),
        labelled(2, None),
        Event::HeadMoved(HeadMoved { to: Seq(1) }),
        started("another task"),
        finished(ExecutionStatus::Other("of a newer version".to_owned())),
    ];
    for (time, event) in (1..).zip(events) {
        work.happens(time, event).await?;
        says(&**store, work.state.summary(), time).await?;
    }
    let found = listed(&**store).await?;
    ensure!(found.entries == 10, "{} of 10 entries are counted", found.entries);
    ensure!(found.created_at == Timestamp(NOON + 1), "begun at {:?}", found.created_at);
    let Summary { title, labels, parent: listed_parent, agent, .. } = found.summary;
    ensure!(title == "Ünder way: \"it's\" first", "the title is {title:?}");
    ensure!(
        labels.len() == 1 && listed_parent == Some(parent),
        "it has {labels:?} and {listed_parent:?}"
    );
    ensure!(agent == Some("clerk".into()), "its agent is {agent:?}");
    Ok(())
}

pub(super) async fn s8_7_what_a_list_says_stays_without_a_summary(store: &Subject) -> Outcome {
    let name = session("stays");
    let held = claim(&**store, &name).await?;
    let mut work = Work::new(&name, &*held);
    for (time, status) in [(10, ExecutionStatus::Failed), (20, ExecutionStatus::AwaitingInput)] {
        work.happens(time, started("go")).await?;
        let summary = Summary::clone(work.state.summary());
        for later in 1..4 {
            work.goes_on(time + later, note()).await?;
            says(&**store, &summary, time + later).await?;
        }
        work.happens(time + 5, finished(status)).await?;
        let summary = Summary::clone(work.state.summary());
        for later in 6..9 {
            work.goes_on(time + later, note()).await?;
            says(&**store, &summary, time + later).await?;
        }
    }
    let last = Summary::clone(work.state.summary());
    drop(held);
    // The next claim changes nothing of it either.
    let held = claim(&**store, &name).await?;
    tried("releasing", held.release().await)?;
    says(&**store, &last, 28).await
}

pub(super) async fn s8_7_a_refused_append_changes_nothing_in_a_list(store: &Subject) -> Outcome {
    let name = session("refused");
    let held = claim(&**store, &name).await?;
    let mut work = Work::new(&name, &*held);
    work.happens(1, started("go")).await?;
    let mut other = Summary::clone(work.state.summary());
    other.title = "another".to_owned();
    let entries = said_all(8..=8);
    let refused = held.append(Seq(7), Batch::of(&entries).with_summary(&other)).await;
    ensure!(refused.is_err(), "an append after 7 to one that ends at 1 was taken");
    says(&**store, work.state.summary(), 1).await?;
    // Without entries it is written alone.
    let alone = held.append(Seq(1), Batch::of(&[]).with_summary(&other)).await;
    tried("writing a summary alone", alone)?;
    says(&**store, &other, 1).await
}
