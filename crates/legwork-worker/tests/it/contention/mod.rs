//! Workers in processes of their own, on a Postgres or a Redis server, that are killed and paused.
//!
//! The model and the tools of each worker stand still at certain points until this process lets
//! them go on, so a fault hits a worker exactly there: while the model is asked, between the
//! intent of a call and its effect, or between the effect and its outcome. Each effect of a call
//! is a line in a file outside of the store.
//!
//! A run of the tests plays a sample. With `LEGWORK_WORKERS_SWEEP=full` it is 200 sessions, and
//! `LEGWORK_WORKERS_SEED` plays a run again.

mod child;
mod clerk;
mod crew;
mod faults;
mod ledger;
mod place;
mod play;
mod points;
mod process;
mod takeover;
mod tally;
mod verdict;

use std::env;

use faults::Size;
use place::Place;
use play::Play;

/// Plays sessions, workers and faults on a server, and checks what came of it.
async fn check(place: Option<Place>) {
    let Some(place) = place else { return };
    let size = match env::var("LEGWORK_WORKERS_SWEEP").is_ok_and(|wanted| wanted == "full") {
        true => Size { sessions: 200, kills: 24, pauses: 16 },
        false => Size { sessions: 24, kills: 3, pauses: 2 },
    };
    let seed = env::var("LEGWORK_WORKERS_SEED").ok().map(|seed| seed.parse().unwrap());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("LEGWORK_WORKERS_SEED={seed}");
    let mut play = Play::begin(&place, size, seed).await;
    play.run().await;
    let played = play.end();
    let found = verdict::of(&played).await;
    println!("{}\n{found}", played.tally);
}

#[tokio::test]
async fn s10_6_s8_3_workers_on_postgres_that_are_killed_and_paused_finish_each_session_once() {
    check(Place::postgres()).await;
}

#[tokio::test]
async fn s10_6_s8_3_workers_on_redis_that_are_killed_and_paused_finish_each_session_once() {
    check(Place::redis()).await;
}
