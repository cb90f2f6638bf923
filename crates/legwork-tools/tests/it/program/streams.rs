//! The three pipes of a program.

use legwork_tools::program::Started;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use super::{LONG, Stage, all_of};

#[tokio::test]
async fn a_program_answers_as_long_as_it_is_spoken_to() {
    for stage in Stage::all() {
        let started = stage.program("cat").start().await.expect("started");
        let Started { mut input, output, errors, process, .. } = started;
        let mut lines = BufReader::new(output).lines();
        for number in 0..100 {
            let line = format!("{{\"id\":{number}}}");
            input.write_all(format!("{line}\n").as_bytes()).await.expect("written");
            assert_eq!(lines.next_line().await.expect("read"), Some(line));
        }
        drop(input);
        assert_eq!(lines.next_line().await.expect("read"), None);
        assert_eq!(all_of(errors).await, "");
        assert_eq!(process.end(LONG).await.to_string(), "exit code 0");
    }
}

#[tokio::test]
async fn output_and_errors_are_apart_and_its_exit_is_reported() {
    for stage in Stage::all() {
        let program = stage.shell("echo out; echo error >&2; echo more; exit 3");
        let Started { output, errors, process, .. } = program.start().await.expect("started");
        let exit = process.ended().await;
        assert_eq!(exit.to_string(), "exit code 3");
        assert!(!exit.is_excess() && !exit.is_stuck() && !exit.ending().expect("one").is_success());
        // What it printed is still there.
        assert_eq!(all_of(output).await, "out\nmore\n");
        assert_eq!(all_of(errors).await, "error\n");
        // It is known how it ended, whenever that is asked.
        assert_eq!(process.ended().await, exit);
        assert_eq!(process.end(LONG).await, exit);
    }
}

#[tokio::test]
async fn a_program_that_a_signal_kills_says_which() {
    for stage in Stage::all() {
        let program = stage.shell("kill -9 $$");
        let exit = program.start().await.expect("started").process.ended().await;
        // Bubblewrap reports what ended as a shell does.
        let words = ["killed by signal 9, SIGKILL", "exit code 137: killed by signal 9, SIGKILL"];
        assert!(words.contains(&exit.to_string().as_str()), "{exit}");
    }
}

/// More than any pipe holds.
const MANY: usize = 8 << 20;

#[tokio::test]
async fn much_output_comes_while_nobody_reads_the_errors() {
    for stage in Stage::all() {
        let started = stage.shell("echo few >&2; exec cat").start().await.expect("started");
        let Started { mut input, mut output, errors, process, .. } = started;
        let sent = vec![b'x'; MANY];
        let write = async {
            input.write_all(&sent).await.expect("written");
            drop(input);
        };
        let mut came = Vec::new();
        let (read, ()) = tokio::join!(output.read_to_end(&mut came), write);
        assert_eq!((read.expect("read"), came == sent), (MANY, true));
        assert_eq!(process.ended().await.to_string(), "exit code 0");
        assert_eq!(all_of(errors).await, "few\n");
    }
}

#[tokio::test]
async fn much_comes_by_both_pipes_at_once() {
    for stage in Stage::all() {
        let script = format!("head -c {MANY} /dev/zero >&2 & head -c {MANY} /dev/zero; wait");
        let started = stage.shell(&script).start().await.expect("started");
        let (output, errors) = tokio::join!(all_of(started.output), all_of(started.errors));
        assert_eq!((output.len(), errors.len()), (MANY, MANY));
        assert_eq!(started.process.ended().await.to_string(), "exit code 0");
    }
}

#[tokio::test]
async fn a_program_that_has_ended_cannot_be_written_to() {
    for stage in Stage::all() {
        let started = stage.program("true").start().await.expect("started");
        let Started { mut input, process, .. } = started;
        process.ended().await;
        let error = input.write_all(b"{}\n").await.expect_err("nobody reads");
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    }
}
