//! The stranger's sandbox, by the conformance suite for sandboxes.

use std::process::Command;
use std::sync::Arc;

use legwork_tools::Environment;
use legwork_tools::sandbox::probe::{Found, Helper, attempt, try_all};
use stranger::cell::Cell;

/// What the suite starts inside, with two arguments; by itself it does nothing.
#[test]
fn attempts() {
    let arguments: Vec<_> = std::env::args().skip_while(|word| word != "--nocapture").collect();
    if let [_, name, argument] = &arguments[..]
        && attempt(name, argument)
    {
        println!("ESCAPED");
    }
}

#[tokio::test]
async fn the_suite_finds_what_it_holds_and_what_not() {
    if !Command::new("bwrap")
        .args(["--ro-bind", "/", "/", "true"])
        .status()
        .is_ok_and(|end| end.success())
    {
        return println!("skipped: bwrap does not work here");
    }
    let program = std::env::current_exe().unwrap();
    let helper = Helper { program: &program, arguments: "--exact sandbox::attempts --nocapture" };
    let environment = Environment::filtered(std::env::vars_os());
    let found = try_all(|_, _| Arc::new(Cell), &environment, &helper).await.unwrap();
    let of =
        |name: &str| found.iter().find(|(promise, _)| promise.name == name).map(|(_, found)| found);
    for name in ["write", "truncate", "network", "processes", "signal", "trace", "scheduling"] {
        assert_eq!(of(name), Some(&Found::Held), "{name}");
    }
    for name in ["read", "list", "calls"] {
        assert_eq!(of(name), Some(&Found::NotHeld), "{name}");
    }
}
