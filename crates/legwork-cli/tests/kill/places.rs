//! The command, killed where it matters.

use crate::counts;
use crate::kill::{Kill, Place, Side, plan};
use crate::scene::Scene;
use crate::shell::Shell;
use crate::story::Story;

/// Kills at a place in each run of the plan, and checks exactly what must come of it.
fn check(place: Place) {
    let undisturbed = Story::undisturbed();
    let runs = plan(place, counts::kills());
    for kills in &runs {
        let mut scene = Scene::<Shell>::new();
        kills.iter().for_each(|kill| scene.killed(*kill));
        let ended = scene.finishes();
        let story = Story::of(&scene, &ended);
        story.holds(&undisturbed);
        exactly(&story, kills, undisturbed.requests);
    }
    let kills: usize = runs.iter().map(Vec::len).sum();
    println!("legwork killed {place}: {kills} times in {} runs", runs.len());
}

/// What is interrupted is just what was killed, and only a cut answer is asked for again.
fn exactly(story: &Story, kills: &[Kill], requests: usize) {
    let numbers = |cut: fn(&&Kill) -> bool| -> Vec<usize> {
        kills.iter().filter(cut).map(|kill| kill.number).collect()
    };
    let missing: Vec<_> = (1..=crate::kill::LAST).filter(|number| !story.has(*number)).collect();
    assert_eq!(
        missing,
        numbers(|kill| kill.place == Place::Intent && kill.side == Side::Before),
        "{story:#?}"
    );
    assert_eq!(story.interrupted(), numbers(|kill| kill.place != Place::Inference));
    let again = numbers(|kill| kill.place == Place::Inference).len();
    assert_eq!(story.requests, requests + again, "{story:#?}");
}

#[test]
fn s10_2_killed_inside_an_inference_it_is_asked_for_again() {
    check(Place::Inference);
}

#[test]
fn s10_2_killed_between_intent_and_outcome_the_model_is_told() {
    check(Place::Intent);
}

#[test]
fn s10_2_killed_between_outcome_and_commit_the_model_is_told() {
    check(Place::Outcome);
}
