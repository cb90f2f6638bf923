//! A few cases of each kind, spread over the run.

use crate::case::Bench;
use crate::fault::{Fault, What};
use crate::kind::Kind;
use crate::plan;

/// Runs so many of the cases that a kind of store has.
fn sample(kind: Kind, count: usize, cases: impl Fn(&Bench) -> Vec<Fault>) {
    let Some(mut bench) = Bench::open(kind).unwrap() else { return };
    for fault in plan::spread(&cases(&bench), count) {
        if let Err(wrong) = bench.run(&fault) {
            panic!("{kind}/{fault}: {wrong}");
        }
    }
}

fn commits(kind: Kind, count: usize) {
    sample(kind, count, plan::commits);
}

fn calls(kind: Kind, what: What, count: usize) {
    sample(kind, count, |_| plan::calls(kind, what).unwrap());
}

fn moments(kind: Kind) {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    sample(kind, 3, |_| plan::moments(kind, seed, 3));
}

mod sqlite {
    use super::*;

    #[test]
    fn s10_1_a_run_killed_at_a_commit_ends_as_an_undisturbed_one() {
        commits(Kind::Sqlite, 5);
    }

    #[test]
    fn s10_1_a_run_killed_at_a_write_ends_as_an_undisturbed_one() {
        calls(Kind::Sqlite, What::Kill, 3);
    }

    #[test]
    fn s12_1_a_run_whose_disk_fails_is_given_an_error_and_goes_on() {
        calls(Kind::Sqlite, What::Eio, 3);
    }

    #[test]
    fn s12_1_a_run_that_finds_no_space_once_goes_on() {
        calls(Kind::Sqlite, What::Enospc, 3);
    }

    #[test]
    fn s12_1_a_run_whose_disk_is_full_goes_on_when_there_is_space() {
        calls(Kind::Sqlite, What::Full, 3);
    }
}

mod jsonl {
    use super::*;

    #[test]
    fn s10_1_a_run_killed_at_a_commit_ends_as_an_undisturbed_one() {
        commits(Kind::Jsonl, 5);
    }

    #[test]
    fn s10_1_a_run_killed_at_a_write_ends_as_an_undisturbed_one() {
        calls(Kind::Jsonl, What::Kill, 3);
    }

    #[test]
    fn s12_1_a_run_whose_disk_fails_is_given_an_error_and_goes_on() {
        calls(Kind::Jsonl, What::Eio, 3);
    }

    #[test]
    fn s12_1_a_run_that_finds_no_space_once_goes_on() {
        calls(Kind::Jsonl, What::Enospc, 3);
    }

    #[test]
    fn s12_1_a_run_whose_disk_is_full_goes_on_when_there_is_space() {
        calls(Kind::Jsonl, What::Full, 3);
    }
}

mod postgres {
    use super::*;

    #[test]
    fn s10_1_a_run_killed_at_a_commit_ends_as_an_undisturbed_one() {
        commits(Kind::Postgres, 4);
    }

    #[test]
    fn s10_1_a_run_whose_server_is_killed_ends_as_an_undisturbed_one() {
        moments(Kind::Postgres);
    }
}

mod redis {
    use super::*;

    #[test]
    fn s10_1_a_run_killed_at_a_commit_ends_as_an_undisturbed_one() {
        commits(Kind::Redis, 4);
    }

    #[test]
    fn s10_1_a_run_whose_server_is_killed_ends_as_an_undisturbed_one() {
        moments(Kind::Redis);
    }
}
