//! Resuming where it is in doubt whether something happened, with nobody to say.

use crate::kill::{Kill, LAST, Point, Side};
use crate::scene::Scene;
use crate::shell::Shell;
use crate::story::Story;

/// Resumes without saying what to do in doubt.
fn ask(scene: &mut Scene<Shell>, more: &[&str]) {
    let session = scene.session.clone().unwrap();
    let args = [&["resume", "--json", &session], more].concat();
    scene.start_by(scene.legwork(&args));
    let ended = scene.end();
    assert_eq!(ended.code, Some(4), "{ended:#?}");
    let last = ended.events.last().unwrap();
    assert_eq!(last["type"], "execution_paused");
    assert_eq!(last["status"], "awaiting_approval");
    assert_eq!(last["pending"][0]["arguments"], r#"{"command":"sh append.sh 3"}"#);
    let ran = |kind: &str| ended.events.iter().any(|event| event["type"] == kind);
    assert!(!ran("tool_started") && !ran("inference_started"), "{ended:#?}");
}

/// Asks twice, then tells.
fn check(side: Side) {
    let undisturbed = Story::undisturbed();
    let mut scene = Scene::<Shell>::new();
    let kill = Kill { number: 3, point: Point::Intent, side };
    scene.killed(kill);
    let (numbers, requests) = (scene.numbers(), scene.server.requests().len());
    ask(&mut scene, &[]);
    let asked = scene.entries();
    ask(&mut scene, &["--on-doubt", "ask"]);
    assert_eq!(scene.entries(), asked);
    assert_eq!((scene.numbers(), scene.server.requests().len()), (numbers, requests));
    let ended = scene.finishes();
    let story = Story::of(&scene, &ended);
    story.holds(&undisturbed);
    assert_eq!(story.interrupted(), [3]);
    let missing = if side == Side::Before { 1 } else { 0 };
    assert_eq!(story.numbers.len(), LAST - missing);
}

#[test]
fn s10_2_in_doubt_nothing_runs_until_somebody_says_so() {
    check(Side::Before);
}

#[test]
fn s10_2_what_had_happened_is_asked_about_too() {
    check(Side::After);
}
