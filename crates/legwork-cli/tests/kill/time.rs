//! A long step whose process is killed, interrupted and paused: its limit of time holds.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use legwork_testkit::Turn;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::kill::Kill;
use crate::observed::Observed;
use crate::scene::{Program, Scene};
use crate::shell::Shell;

/// The limit of time at work.
const LIMIT: Duration = Duration::from_secs(5);

/// What may pass without a commit, and be charged to a run that takes a step up.
const STRETCH: Duration = Duration::from_secs(10);

/// How a process is left.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Leave {
    Kill,
    Interrupt,
    /// The one before was killed: what it ran is in doubt, and nothing runs.
    Pause,
}

use Leave::{Interrupt, Kill as Killed, Pause};

const TEN: [Leave; 10] =
    [Killed, Pause, Killed, Pause, Interrupt, Killed, Pause, Interrupt, Killed, Interrupt];

/// One turn with so many calls, of which each waits for ever.
struct Waits;

const CALLS: usize = 8;

impl Program for Waits {
    type Stop = ();

    fn prepare(folder: &Path) {
        Shell::prepare(folder);
        for number in 1..=CALLS {
            File::create(folder.join(format!("hold-before-{number}"))).unwrap();
        }
        let agents = folder.join("home/.config/legwork/agents");
        fs::create_dir_all(&agents).unwrap();
        let seconds = LIMIT.as_secs();
        let agent = format!(
            "---\nname: slow\ndescription: Waits.\nbudget: {{time: {seconds}s}}\n---\nWait.\n"
        );
        fs::write(agents.join("slow.md"), agent).unwrap();
    }

    fn call(_: usize) -> Turn {
        Turn::calls(
            (1..=CALLS)
                .map(|number| ("bash", json!({"command": format!("sh append.sh {number}")}))),
        )
    }

    fn command(scene: &Scene<Self>) -> Command {
        let mut command = legwork(scene);
        match &scene.session {
            Some(session) => command.args(["resume", "--json", "--on-doubt", "tell", session]),
            None => command.args(["run", "--json", "--agent", "slow"]).args([
                "--model",
                "test:scripted",
                "Wait.",
            ]),
        };
        command
    }

    fn stop(_: &mut Scene<Self>, _: Kill) {}
}

/// The command on the scene's store, with the agent in its home.
fn legwork(scene: &Scene<Waits>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_legwork"));
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command.env("HOME", scene.work().join("home"));
    command.env("LEGWORK_SANDBOX", "off").env("OPENAI_BASE_URL", scene.server.base_url());
    command.current_dir(scene.work());
    command.env("LEGWORK_STORE", format!("sqlite:{}", scene.file("sessions.db").display()));
    command
}

/// Looks whether somebody has to answer, without saying what to do.
fn pause(scene: &mut Scene<Waits>) -> Option<i32> {
    let mut command = legwork(scene);
    command.args(["resume", "--json", scene.session.as_deref().unwrap()]);
    scene.start_by(command);
    scene.end().code
}

/// Lets the process run until a call of it waits, and leaves it there; false when the
/// process came to its end before.
fn leave(scene: &mut Scene<Waits>, call: usize, leave: Leave) -> bool {
    if leave == Pause {
        return pause(scene) == Some(4);
    }
    scene.start();
    let place = format!("before-{call}");
    if !scene.comes_to(|observed| matches!(observed, Observed::Stopped(at) if *at == place)) {
        return false;
    }
    match leave {
        Interrupt => {
            scene.signal(Signal::INT);
            assert_eq!(scene.end().code, Some(130));
        }
        _ => scene.kill(),
    }
    true
}

/// The time at work that an entry charges.
fn charged(entry: &Value) -> Duration {
    let took = match entry["type"].as_str() {
        Some("worked" | "step_finished") => entry["body"]["took"].as_u64().unwrap(),
        _ => 0,
    };
    Duration::from_micros(took)
}

/// The time between entries of one process, as far as they tell it.
fn at_work(entries: &[Value]) -> Duration {
    let steps = entries.windows(2).map(|pair| {
        let rests = pair[0]["type"] == "paused" || pair[0]["body"]["rests"] == true;
        let begins = pair[1]["type"] == "worked" || pair[1]["type"] == "inference_started";
        let [from, to] = [&pair[0], &pair[1]].map(|entry| entry["at"].as_u64().unwrap());
        if rests || begins { 0 } else { to.saturating_sub(from) }
    });
    Duration::from_millis(steps.sum())
}

#[test]
fn s1_8_s3_2_ten_pauses_interrupts_and_kills_in_one_step_do_not_stretch_its_limit() {
    let began = Instant::now();
    let mut scene = Scene::<Waits>::new();
    let mut call = 1;
    // On a machine that is slow enough the limit is reached before all ten were made.
    let left = TEN.iter().take_while(|how| {
        let left = leave(&mut scene, call, **how);
        call += usize::from(**how != Pause);
        left
    });
    if left.count() == TEN.len() {
        scene.start();
        scene.end();
    }
    let wall = began.elapsed();
    let entries = scene.journal(|args| {
        let mut command = legwork(&scene);
        command.args(args);
        command
    });
    let count = |kind: &str| entries.iter().filter(|entry| entry["type"] == kind).count();
    assert_eq!((count("responded"), count("step_finished")), (1, 1), "it is one step");
    let finished = entries.iter().find(|entry| entry["type"] == "execution_finished").unwrap();
    assert_eq!(finished.pointer("/body/outcome/signal/reason"), Some(&json!("time_limit")));
    let charged: Duration = entries.iter().map(charged).sum();
    assert!(charged >= LIMIT && charged <= LIMIT + STRETCH, "{charged:?}");
    assert!(charged <= wall, "{charged:?} of {wall:?}");
    // Entries tell milliseconds.
    let blur = Duration::from_millis(2 * entries.len() as u64);
    assert!(charged + blur >= at_work(&entries), "{charged:?} of {:?}", at_work(&entries));
}
