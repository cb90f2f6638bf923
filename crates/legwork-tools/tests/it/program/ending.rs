//! Nothing that came of a program outlives it, whatever ends it.

use legwork_tools::program::Started;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::time::timeout;

use super::{LONG, SHORT, Stage, all_of, alone, childless, is_childless};
use crate::fixture::{Watch, blocking};

/// A program that leaves a plain child, one in a session of its own, an orphan in a session
/// of its own, and one that ignores TERM; each holds the pipe `alive` open, and says so.
const FAMILY: &str = r"
    exec 9>alive
    (echo child >&9; exec sleep 1000) &
    setsid sh -c 'echo session >&9; exec sleep 1000' &
    (setsid sh -c '(echo orphan >&9; exec sleep 1000) & exit' &)
    (trap '' TERM; echo stubborn >&9; while :; do sleep 1000; done) &
";
const MEMBERS: [&str; 4] = ["child", "orphan", "session", "stubborn"];

/// Ignores the end of its input, and TERM.
const STUBBORN: &str = "while :; do sleep 1000; done";

/// A program whose descendants run, and what tells when they are gone.
async fn family(stage: &Stage, then: &str) -> (Started, Watch) {
    let watch = Watch::new(&stage.place.path("alive"));
    let before = if then == STUBBORN { "trap '' TERM;" } else { "" };
    let script = format!("{before} {FAMILY} {then}");
    let started = stage.shell(&script).start().await.expect("started");
    let watch = blocking(move || {
        assert_eq!(watch.lines(4), MEMBERS);
        watch
    });
    (started, watch.await)
}

#[test]
fn at_the_end_of_its_input_it_ends_by_itself() {
    alone(concat!(module_path!(), "::at_the_end_of_its_input_it_ends_by_itself"), || async {
        for stage in Stage::all() {
            let started = stage.shell("cat; exit 5").start().await.expect("started");
            assert!(!is_childless());
            assert_eq!(started.end(LONG).await.to_string(), "exit code 5");
            assert!(is_childless());
        }
    });
}

#[test]
fn its_descendants_end_with_it() {
    alone(concat!(module_path!(), "::its_descendants_end_with_it"), || async {
        for stage in Stage::all() {
            let (started, watch) = family(&stage, "exec 9>&-; cat").await;
            assert_eq!(started.end(LONG).await.to_string(), "exit code 0");
            assert!(is_childless());
            blocking(move || watch.all_gone()).await;
        }
    });
}

#[test]
fn a_program_that_ignores_the_end_of_its_input_is_asked() {
    let test = concat!(module_path!(), "::a_program_that_ignores_the_end_of_its_input_is_asked");
    alone(test, || async {
        for stage in Stage::all() {
            let program = stage.shell("echo here; exec sleep 1000").with_grace(LONG);
            let mut started = program.start().await.expect("started");
            started.output.read_exact(&mut [0; 5]).await.expect("read");
            assert_eq!(started.end(SHORT).await.to_string(), "ended when asked to");
            assert!(is_childless());
        }
    });
}

#[test]
fn a_program_that_ignores_everything_is_killed() {
    alone(concat!(module_path!(), "::a_program_that_ignores_everything_is_killed"), || async {
        for stage in Stage::all() {
            let (started, watch) = family(&stage, STUBBORN).await;
            let exit = started.end(SHORT).await;
            assert_eq!(exit.to_string(), "killed, since it did not end when asked to");
            assert!(exit.ending().is_none() && !exit.is_excess() && !exit.is_stuck());
            assert!(is_childless());
            blocking(move || watch.all_gone()).await;
        }
    });
}

#[test]
fn dropped_it_is_killed_with_all_that_came_of_it() {
    alone(concat!(module_path!(), "::dropped_it_is_killed_with_all_that_came_of_it"), || async {
        for stage in Stage::all() {
            let (started, watch) = family(&stage, STUBBORN).await;
            drop(started);
            blocking(move || watch.all_gone()).await;
            childless().await;
        }
    });
}

#[test]
fn its_pipes_do_not_keep_it() {
    alone(concat!(module_path!(), "::its_pipes_do_not_keep_it"), || async {
        for stage in Stage::all() {
            let (started, watch) = family(&stage, "cat").await;
            let Started { input, output, errors, process, .. } = started;
            drop(process);
            blocking(move || watch.all_gone()).await;
            assert_eq!((all_of(output).await, all_of(errors).await), Default::default());
            childless().await;
            drop(input);
        }
    });
}

#[test]
fn while_it_is_ended_it_can_be_killed() {
    alone(concat!(module_path!(), "::while_it_is_ended_it_can_be_killed"), || async {
        for stage in Stage::all() {
            let (started, watch) = family(&stage, "cat; while :; do sleep 1000; done").await;
            assert!(timeout(SHORT, started.end(LONG)).await.is_err());
            blocking(move || watch.all_gone()).await;
            childless().await;
        }
    });
}

#[test]
fn the_end_of_the_runtime_kills_it() {
    for stage in Stage::all() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let (started, watch) = runtime.block_on(family(&stage, "cat"));
        drop(runtime);
        watch.all_gone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let exit = runtime.expect("a runtime").block_on(started.process.ended());
        assert_eq!(exit.to_string(), "killed with what watched it");
    }
}

#[tokio::test]
async fn its_end_can_be_waited_for_again_and_by_several() {
    for stage in Stage::all() {
        let started = stage.shell("echo here; read -r _; exit 4").start().await.expect("started");
        let Started { input, output, process, .. } = started;
        let mut lines = BufReader::new(output).lines();
        assert_eq!(lines.next_line().await.expect("read").as_deref(), Some("here"));
        assert!(timeout(SHORT, process.ended()).await.is_err());
        drop(input);
        let (one, other) = tokio::join!(process.ended(), process.ended());
        assert_eq!((one.to_string().as_str(), one), ("exit code 4", other));
    }
}

#[tokio::test]
async fn output_without_an_end_does_not_keep_it_from_ending() {
    for stage in Stage::all() {
        let program = stage.program("yes").with_grace(LONG);
        let mut started = program.start().await.expect("started");
        started.output.read_exact(&mut [0; 2]).await.expect("read");
        assert_eq!(started.end(SHORT).await.to_string(), "ended when asked to");
        // What is left to print at the end is taken, so that it need not wait.
        let program = stage.shell("cat; head -c 1000000 /dev/zero | tee /dev/stderr");
        let started = program.start().await.expect("started");
        assert_eq!(started.end(LONG).await.to_string(), "exit code 0");
    }
}
