//! What a program may take of the machine, however long it runs.

use legwork_tools::program::Started;
use legwork_tools::sandbox::Limits;

use super::{Stage, all_of};
use crate::fixture::{Watch, blocking};

#[tokio::test]
async fn a_program_that_takes_too_much_memory_is_killed() {
    // The shell stays to the end: as the last command `sleep` would take its place.
    let hog = "x=$(head -c 80000000 /dev/zero | tr '\\0' x); echo ${#x}; sleep 1000; :";
    for stage in Stage::all() {
        let program = stage.shell(hog).with_limits(Limits::default().with_memory(64 << 20));
        let Started { output, process, .. } = program.start().await.expect("started");
        let exit = process.ended().await;
        assert_eq!(exit.to_string(), "killed: more than 64 MiB of memory");
        assert!(exit.is_excess() && exit.ending().is_none());
        // Its end is the end of its output.
        all_of(output).await;
    }
}

#[tokio::test]
async fn a_program_that_has_too_many_processes_is_killed_with_them() {
    let many = "exec 9>alive; echo here >&9; for i in $(seq 200); do sleep 1000 & done; wait";
    for stage in Stage::all() {
        let watch = Watch::new(&stage.place.path("alive"));
        let program = stage.shell(many).with_limits(Limits::default().with_processes(128));
        let Started { process, .. } = program.start().await.expect("started");
        let exit = process.ended().await;
        assert_eq!(exit.to_string(), "killed: more than 128 processes");
        assert!(exit.is_excess());
        blocking(move || watch.all_gone()).await;
    }
}
