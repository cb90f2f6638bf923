//! Two processes and one session.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::kill::{Kill, LAST, Point, Side};
use crate::observed::{Hold, Observed, fifo};
use crate::scene::{Scene, is_event};
use crate::shell::Shell;
use crate::story::Story;
use crate::trace;

/// Killed in the fifth step, its command having done its work.
const CUT: Kill = Kill { number: 5, point: Point::Intent, side: Side::After };

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
        |observed| matches!(observed, Observed::Asked(t) if *t == CUT.number),
    );

    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{out}");
    let told: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(told.len(), 1, "{out}");
    assert_eq!(told[0]["type"], "run_failed");
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
        scene.killed(Kill { number, point: Point::Inference, side: Side::Before });
    }
    let ended = scene.finishes();
    let story = Story::of(&scene, &ended);
    assert_eq!((story.numbers.len(), story.interrupted()), (LAST, vec![]));
}

#[test]
fn s8_3_a_claim_dies_with_its_process_though_a_fork_of_it_lives_on() {
    if !trace::works() {
        return;
    }
    let undisturbed = Story::undisturbed();
    let mut scene = Scene::<Shell>::new();
    let log = scene.file("trace");
    fifo(&log);
    // A fork has all files of its parent open, the claim's too, until it closes them.
    let calls = "trace=execve,setsid,close_range";
    let late = "inject=close_range:delay_enter=200000";
    scene.start_by(trace::under(&["-e", calls, "-e", late], &log, &scene.begin()));
    let mut lines = BufReader::new(File::open(&log).unwrap()).lines().map(Result::unwrap);
    let first = lines.next().unwrap();
    let process = first.split(' ').next().unwrap();
    scene.until("a call", |observed| is_event(observed, "tool_started", 1));
    // The guard of the command, and the command itself.
    assert_eq!(lines.by_ref().filter(|line| line.contains("setsid(")).take(2).count(), 2);
    let pid = Pid::from_raw(process.parse().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    while Path::new("/proc").join(process).exists() {
        thread::yield_now();
    }
    let mut strace = scene.leave();
    let drain = thread::spawn(move || lines.count());
    let ended = scene.finishes();
    strace.wait().unwrap();
    drain.join().unwrap();
    let story = Story::of(&scene, &ended);
    story.holds(&undisturbed);
    assert_eq!(story.interrupted(), [1]);
}
