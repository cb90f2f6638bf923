//! INTERRUPTED: how long it takes to find out what 1,000 interrupted sessions owe.

use std::{sync::Arc, time::Instant};

use futures_util::{StreamExt as _, stream};
use legwork::core::{Owed, SessionId, Timestamp};
use legwork::port::{Store, store::DueQuery, store::Range};

use super::{Conditions, Sample, check, sample};
use crate::{
    error::Error,
    measure, stats,
    stores::{Kind, Place, Replay, Row, Tape},
    subject::legwork::fail,
};

/// Interrupted sessions, and the steps of each.
const SESSIONS: usize = 1_000;
const STEPS: usize = 10;

/// How often it is done.
const TIMES: usize = 3;

/// Sessions of a page, and of these how many at once, as a worker does it.
const PAGE: usize = 32;
const AT_ONCE: usize = 8;

/// Claims, loads and folds all sessions, asks what is owed, and gives the claims back.
///
/// The baseline reads the same lines from one file and parses them to JSON values.
pub(super) async fn measure(conditions: &Conditions) -> Result<Sample, Error> {
    let tape = Tape::record(STEPS).await?;
    let Some(place) = Place::open(Kind::Sqlite, &conditions.dir).await? else {
        return Ok(Sample::new());
    };
    let entries = fill(&place, &tape).await?;
    let (mut looks, mut cpus, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let (start, cpu) = (Instant::now(), measure::cpu());
        let found = look(&place).await?;
        looks.push(start.elapsed().as_secs_f64());
        cpus.push((measure::cpu() - cpu).as_secs_f64());
        check("sessions that owe something", SESSIONS, found)?;
        let start = Instant::now();
        parse(&tape, entries)?;
        values.push(start.elapsed().as_secs_f64());
    }
    let (look, parse) = (stats::median(&looks), stats::median(&values));
    let (look, parse) = (look.unwrap_or_default(), parse.unwrap_or_default());
    Ok(sample([
        ("look_s", look),
        ("look_cpu_s", stats::median(&cpus).unwrap_or_default()),
        ("values_s", parse),
        ("look_by_values", look / parse),
        ("entries", entries as f64),
    ]))
}

/// Sessions that were interrupted while the calls of their last turn ran; returns their entries.
async fn fill(place: &Place, tape: &Tape) -> Result<usize, Error> {
    let filling = place.fill().await?;
    let mut entries = 0;
    for number in 0..SESSIONS {
        let mut replay = Replay::begin(&filling.store, &format!("session {number}")).await?;
        for index in 0..STEPS - 1 {
            replay.step(tape.events(index)).await?;
        }
        // Of the last step only the intent to ask is there.
        let begun = tape.events(STEPS - 1).into_iter().take(1).collect();
        replay.step(begun).await?;
        let state = replay.end().await;
        check_owed(state.owed())?;
        entries += usize::try_from(state.version().0).unwrap_or_default();
    }
    filling.end().await?;
    Ok(entries)
}

/// What a process does that finds them: a store of its own, page by page.
async fn look(place: &Place) -> Result<usize, Error> {
    let store = place.store()?;
    let mut query = DueQuery::at(Timestamp(u64::MAX)).limit(PAGE);
    let mut found = 0;
    loop {
        let page = store.due(&query).await.map_err(fail)?;
        let sessions = page.sessions.iter().map(|info| owed(&store, &info.session));
        let mut asked = stream::iter(sessions).buffer_unordered(AT_ONCE);
        while let Some(asked) = asked.next().await {
            asked?;
            found += 1;
        }
        let Some(next) = page.next else { return Ok(found) };
        query.after = Some(next);
    }
}

async fn owed(store: &Arc<dyn Store>, session: &SessionId) -> Result<(), Error> {
    let claim = store.claim(session).await.map_err(fail)?;
    let loaded = store.read(session, Range::ALL).await.map_err(fail)?;
    check_owed(loaded.journal.fold(session).owed())?;
    claim.release().await.map_err(fail)
}

fn check_owed(owed: Owed) -> Result<(), Error> {
    match owed {
        Owed::Infer => Ok(()),
        found => Err(Error::Outcome {
            what: "what an interrupted session owes",
            expected: "an inference".to_owned(),
            found: format!("{found:?}"),
        }),
    }
}

/// Parses as many lines as all sessions have.
fn parse(tape: &Tape, entries: usize) -> Result<(), Error> {
    let rows = tape.steps().iter().flatten().map(Row::of).collect::<Result<Vec<_>, _>>()?;
    let mut parsed = 0;
    while parsed < entries {
        for row in &rows {
            for line in row.columns().2.split(|byte| *byte == b'\n').filter(|l| !l.is_empty()) {
                let value: serde_json::Value =
                    serde_json::from_slice(line).map_err(Error::json("a line"))?;
                parsed += usize::from(std::hint::black_box(value).is_object());
            }
        }
    }
    Ok(())
}
