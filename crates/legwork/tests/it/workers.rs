//! Workers of a program, on a server.

use std::process::Command;

use legwork_testkit::servers::Database;

use crate::examples::built;

#[test]
fn s10_6_the_example_of_workers_on_postgres_finishes_each_session() {
    let Some(database) = Database::create().unwrap() else { return };
    let mut command = Command::new(built("workers_on_postgres"));
    let output = command.env_clear().env("STORE", database.url()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let printed = String::from_utf8_lossy(&output.stdout);
    let wanted = (1..=6).map(|job| format!("job-{job}: completed The mail is sorted."));
    assert_eq!(printed.lines().collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
    let refused = Command::new(built("workers_on_postgres")).env_clear().output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("set STORE"));
}
