//! LATE-*: what folding and appending a step costs late in a long session, on each kind of store.
//!
//! A session of 10,000 steps is replayed to the store. Then its late steps, the early steps of new
//! sessions in the same store, and the bare writes of the same rows take turns, so that what the
//! disk does meanwhile affects all three.

use std::{ops::Range, sync::Arc, time::Instant};

use legwork::port::Store;

use super::{Conditions, Sample, check, sample};
use crate::{
    error::Error,
    stats,
    stores::{Floor, Kind, Place, Replay, Row, Tape},
    subject::legwork::fail,
    syncs::Paused,
};

/// The late steps that are timed after some that warm up, those that are timed without the syncs of
/// stores that are files, and those whose bytes are counted.
const WARM_UP: usize = 20;
const LATE: Range<usize> = 9_900..10_100;
const BESIDE: Range<usize> = LATE.end..LATE.end + 200;
const COUNTED: Range<usize> = BESIDE.end..BESIDE.end + 20;

/// The early steps of a session, by index, around step 10.
const EARLY: Range<usize> = 5..15;

/// Measures one kind of store; nothing if its server is not installed.
pub(super) async fn measure(kind: Kind, conditions: &Conditions) -> Result<Sample, Error> {
    let Some(mut place) = Place::open(kind, &conditions.dir).await? else {
        return Ok(Sample::new());
    };
    let tape = Tape::record(COUNTED.end + 1).await?;
    let (state, floor) = filled(&place, &tape, conditions).await?;
    let store = place.store()?;
    let late = Replay::resume(&store, state).await?;
    let young = Young { store: &store, tape: &tape, number: 0, at: None };
    let mut trio = Trio { tape: &tape, late, young, floor };
    trio.turns(LATE.start - WARM_UP..LATE.start).await?;
    let took = trio.turns(LATE).await?;
    let mut figures = took.figures(["append_us_step_10", "append_us_step_10000", "bare_us"]);
    figures.insert("append_growth".to_owned(), took.growth());
    figures.insert("append_by_bare".to_owned(), took.by_bare());
    if kind.is_of_files() {
        let paused = Paused::new();
        let took = trio.turns(BESIDE).await?;
        drop(paused);
        let names = ["beside_us_step_10", "beside_us_step_10000", "bare_beside_us"];
        figures.extend(took.figures(names));
        figures.insert("beside_growth".to_owned(), took.growth());
    } else {
        trio.turns(BESIDE).await?;
    }
    let late = trio.end().await?;
    let [few, many] = bytes(&mut place, &store, &tape, late).await?;
    figures.extend(sample([
        ("bytes_step_10", few),
        ("bytes_step_10000", many),
        ("bytes_growth", many / few),
    ]));
    Ok(figures)
}

/// The bytes of early steps and of late ones, each counted by itself.
async fn bytes(
    place: &mut Place,
    store: &Arc<dyn Store>,
    tape: &Tape,
    late: Replay,
) -> Result<[f64; 2], Error> {
    let (late, many) = counted(place, late, tape, COUNTED).await?;
    let early = begun(store, tape, "bytes").await?;
    let (early, few) = counted(place, early, tape, EARLY).await?;
    // The end of the last step would come with the next one.
    let steps = early.end().await.step_results().count();
    check("steps of the short session", EARLY.end - 1, steps)?;
    let steps = late.end().await.step_results().count();
    check("steps of the long session", COUNTED.end - 1, steps)?;
    Ok([few, many])
}

/// What steps took, in microseconds.
#[derive(Default)]
struct Took {
    early: Vec<f64>,
    late: Vec<f64>,
    bare: Vec<f64>,
}

impl Took {
    fn medians(&self) -> [f64; 3] {
        [&self.early, &self.late, &self.bare].map(|all| stats::median(all).unwrap_or_default())
    }

    fn figures(&self, names: [&str; 3]) -> Sample {
        names.into_iter().map(str::to_owned).zip(self.medians()).collect()
    }

    fn growth(&self) -> f64 {
        let [early, late, _] = self.medians();
        late / early
    }

    fn by_bare(&self) -> f64 {
        let [_, late, bare] = self.medians();
        late / bare
    }
}

/// The three that take turns.
struct Trio<'a> {
    tape: &'a Tape,
    late: Replay,
    young: Young<'a>,
    floor: Floor,
}

impl Trio<'_> {
    /// Each of the late steps, with an early one and the bare writes: in another order each time,
    /// since what one of them does to the disk and the caches may slow down the next.
    async fn turns(&mut self, steps: Range<usize>) -> Result<Took, Error> {
        let mut took = Took::default();
        for index in steps {
            self.young.prepare().await?;
            for part in 0..3 {
                match (index + part) % 3 {
                    0 => took.early.push(self.young.step().await?),
                    1 => took.late.push(timed(&mut self.late, self.tape, index).await?),
                    _ => took.bare.push(self.bare(index).await?),
                }
            }
        }
        Ok(took)
    }

    /// Writes the rows of a step, and times that.
    async fn bare(&mut self, index: usize) -> Result<f64, Error> {
        let rows = self.tape.step(index).iter().map(Row::of).collect::<Result<Vec<_>, _>>()?;
        let start = Instant::now();
        for row in &rows {
            self.floor.insert(row).await?;
        }
        Ok(start.elapsed().as_secs_f64() * 1e6)
    }

    /// Ends the short session; returns the long one.
    async fn end(self) -> Result<Replay, Error> {
        if let Some((replay, _)) = self.young.at {
            replay.end().await;
        }
        Ok(self.late)
    }
}

/// A session of many steps in the store, and as many rows beside it.
async fn filled(
    place: &Place,
    tape: &Tape,
    conditions: &Conditions,
) -> Result<(legwork::core::AgentState, Floor), Error> {
    let filling = place.fill().await?;
    let mut replay = Replay::begin(&filling.store, "long").await?;
    let mut rows = Vec::new();
    for index in 0..LATE.start - WARM_UP {
        replay.step(tape.events(index)).await?;
        for batch in tape.step(index) {
            rows.push(Row::of(batch)?);
        }
    }
    let state = replay.end().await;
    let mut floor = Floor::beside(place, &conditions.dir).await?;
    floor.fill(&rows).await?;
    filling.end().await?;
    Ok((state, floor))
}

/// Replays a step, and times that.
async fn timed(replay: &mut Replay, tape: &Tape, index: usize) -> Result<f64, Error> {
    let events = tape.events(index);
    let start = Instant::now();
    replay.step(events).await?;
    Ok(start.elapsed().as_secs_f64() * 1e6)
}

/// Short sessions, one after the other, whose steps around the tenth are timed.
struct Young<'a> {
    store: &'a Arc<dyn Store>,
    tape: &'a Tape,
    number: usize,
    at: Option<(Replay, usize)>,
}

impl Young<'_> {
    /// Begins the next session if the one under way has no step left that is timed.
    async fn prepare(&mut self) -> Result<(), Error> {
        match self.at.take() {
            Some((replay, index)) if EARLY.contains(&index) => self.at = Some((replay, index)),
            over => {
                if let Some((replay, _)) = over {
                    replay.end().await;
                }
                self.number += 1;
                let name = format!("short {}", self.number);
                let replay = begun(self.store, self.tape, &name).await?;
                self.at = Some((replay, EARLY.start));
            }
        }
        Ok(())
    }

    /// The next step.
    async fn step(&mut self) -> Result<f64, Error> {
        let Some((replay, index)) = &mut self.at else { return Err(fail("no session")) };
        let took = timed(replay, self.tape, *index).await;
        *index += 1;
        took
    }
}

/// A session up to the first step that is timed, and a newer one in the store: the long session is
/// not the newest either.
async fn begun(store: &Arc<dyn Store>, tape: &Tape, name: &str) -> Result<Replay, Error> {
    let mut replay = Replay::begin(store, name).await?;
    for index in 0..EARLY.start {
        replay.step(tape.events(index)).await?;
    }
    let mut newer = Replay::begin(store, &format!("after {name}")).await?;
    newer.step(tape.events(0)).await?;
    newer.end().await;
    Ok(replay)
}

/// The median bytes of steps: as the store wrote them, or as JSON in memory.
async fn counted(
    place: &mut Place,
    mut replay: Replay,
    tape: &Tape,
    steps: Range<usize>,
) -> Result<(Replay, f64), Error> {
    let mut figures = Vec::new();
    for index in steps {
        let before = place.written().await?;
        replay.step(tape.events(index)).await?;
        figures.push(match (before, place.written().await?) {
            (Some(before), Some(after)) => after - before,
            _ => {
                let rows = tape.step(index).iter().map(Row::of);
                let bytes = rows.map(|row| Ok(row?.bytes())).sum::<Result<usize, Error>>()?;
                bytes as f64
            }
        });
    }
    let median = stats::median(&figures).filter(|bytes| *bytes > 0.0);
    median.map(|bytes| (replay, bytes)).ok_or_else(|| fail("the store wrote nothing for a step"))
}
