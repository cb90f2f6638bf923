//! Two processes and one session.

use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::kill::{Kill, LAST, Place, Side};
use crate::news::{Hold, News};
use crate::scene::Scene;
use crate::shell::Shell;
use crate::story::Story;

/// Killed in the fifth step, its command having done its work.
const CUT: Kill = Kill { number: 5, place: Place::Intent, side: Side::After };

fn resume(scene: &Scene<Shell>) -> Child {
    let session = scene.session.as_deref().unwrap();
    let mut command = scene.legwork(&["resume", "--json", "--on-doubt", "tell", session]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn s8_3_of_two_at_once_one_goes_on_and_the_other_conflicts_before_any_effect() {
    let undisturbed = Story::undisturbed();
    let mut scene = Scene::<Shell>::new();
    scene.killed(CUT);
    let requests = scene.server.requests().len();
    // Who goes on waits for the model, so that the other one finds the session in use.
    scene.hold(CUT.number, Hold::Whole);
    let both = [resume(&scene), resume(&scene)];
    let pids = both.each_ref().map(Pid::from_child);
    let (ends, ended) = mpsc::channel();
    for (pid, child) in pids.into_iter().zip(both) {
        let ends = ends.clone();
        thread::spawn(move || ends.send((pid, child.wait_with_output().unwrap())));
    }
    let (loser, output) = ended.recv().unwrap();
    scene.until(
        "the request of the other",
        |news| matches!(news, News::Asked(t) if *t == CUT.number),
    );

    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{out}");
    let told: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(told.len(), 1, "{out}");
    assert_eq!(told[0]["type"], "error");
    assert!(told[0]["message"].as_str().unwrap().contains("in use"), "{out}");
    assert_eq!(scene.server.requests().len(), requests + 1);
    assert_eq!(scene.numbers().len(), CUT.number);

    // The claim of the dead is free at once.
    let winner = if loser == pids[0] { pids[1] } else { pids[0] };
    kill_process(winner, Signal::KILL).unwrap();
    let (_, output) = ended.recv().unwrap();
    assert_eq!(output.status.code(), None, "{output:?}");
    let ended = scene.finishes();
    let story = Story::of(&scene, &ended);
    story.holds(&undisturbed);
    assert_eq!((story.numbers.len(), story.interrupted()), (LAST, vec![CUT.number]));
}

#[test]
fn s8_3_the_claim_of_a_dead_process_is_taken_over_at_once() {
    let mut scene = Scene::<Shell>::new();
    // Each of these finds the claim of the one killed right before it.
    for number in 1..=LAST {
        scene.killed(Kill { number, place: Place::Inference, side: Side::Before });
    }
    let ended = scene.finishes();
    let story = Story::of(&scene, &ended);
    assert_eq!((story.numbers.len(), story.interrupted()), (LAST, vec![]));
}
