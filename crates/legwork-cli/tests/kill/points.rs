//! The command, killed where it matters.

use crate::counts;
use crate::kill::{Kill, Point, Side, plan};
use crate::scene::Scene;
use crate::shell::Shell;
use crate::story::Story;

/// Kills at a point in each run of the plan, and checks exactly what must come of it.
fn check(point: Point) {
    let undisturbed = Story::undisturbed();
    let runs = plan(point, counts::kills());
    for kills in &runs {
        let mut scene = Scene::<Shell>::new();
        kills.iter().for_each(|kill| scene.killed(*kill));
        let ended = scene.finishes();
        let story = Story::of(&scene, &ended);
        story.holds(&undisturbed);
        exactly(&story, kills, undisturbed.requests);
    }
    let kills: usize = runs.iter().map(Vec::len).sum();
    println!("legwork killed {point}: {kills} times in {} runs", runs.len());
}

/// What is interrupted is just what was killed, and only a cut answer is asked for again.
fn exactly(story: &Story, kills: &[Kill], requests: usize) {
    let numbers = |cut: fn(&&Kill) -> bool| -> Vec<usize> {
        kills.iter().filter(cut).map(|kill| kill.number).collect()
    };
    let missing: Vec<_> = (1..=crate::kill::LAST).filter(|number| !story.has(*number)).collect();
    assert_eq!(
        missing,
        numbers(|kill| kill.point == Point::Intent && kill.side == Side::Before),
        "{story:#?}"
    );
    assert_eq!(story.interrupted(), numbers(|kill| kill.point != Point::Inference));
    let again = numbers(|kill| kill.point == Point::Inference).len();
    assert_eq!(story.requests, requests + again, "{story:#?}");
}

#[test]
fn s10_2_killed_inside_an_inference_it_is_asked_for_again() {
    check(Point::Inference);
}

#[test]
fn s10_2_killed_between_intent_and_outcome_the_model_is_told() {
    check(Point::Intent);
}

#[test]
fn s10_2_killed_between_outcome_and_commit_the_model_is_told() {
    check(Point::Outcome);
}
