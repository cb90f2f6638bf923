//! The command, killed at random moments.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::counts;
use crate::scene::{Ended, Scene};
use crate::shell::Shell;
use crate::story::Story;

#[test]
fn s10_1_killed_at_random_moments_it_goes_on_where_it_was() {
    let seed = counts::seed();
    println!("random moments: LEGWORK_KILL_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let begun = Instant::now();
    let undisturbed = Story::undisturbed();
    let whole = begun.elapsed();
    let (mut after, mut runs) = (BTreeMap::<String, usize>::new(), 0);
    while after.values().sum::<usize>() < counts::random() {
        runs += 1;
        let mut scene = Scene::<Shell>::new();
        let ended = loop {
            scene.start();
            match alive_for(&mut scene, whole.mul_f64(random.f64())) {
                Some(ended) => break ended,
                None => *after.entry(last_event(&mut scene)).or_default() += 1,
            }
        };
        Story::of(&scene, &ended).holds(&undisturbed);
    }
    let kills: usize = after.values().sum();
    println!("legwork killed at random moments: {kills} times in {runs} runs");
    after.iter().for_each(|(event, kills)| println!("  {kills:>3} after {event}"));
}

/// Kills the process when its time has come, unless it ended by itself before.
fn alive_for(scene: &mut Scene<Shell>, time: Duration) -> Option<Ended> {
    let ended = scene.end_within(time);
    if ended.is_none() {
        scene.kill();
    }
    ended
}

/// What the journal of the dead ends with. Looking needs no claim and changes nothing.
fn last_event(scene: &mut Scene<Shell>) -> String {
    scene.look();
    if scene.session.is_none() {
        assert_eq!(scene.numbers(), [""; 0], "effects without a session");
        return "nothing".to_owned();
    }
    let entries = scene.entries();
    assert_eq!(entries, scene.entries());
    entries.last().map_or("a claim", |entry| entry["type"].as_str().unwrap()).to_owned()
}
