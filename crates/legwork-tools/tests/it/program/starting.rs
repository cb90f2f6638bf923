//! Which program is started, where, and why none is.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use legwork_port::sandbox::{Confined, Restrictions};
use legwork_tools::program::{Error, Started};
use legwork_tools::{Program, Sandbox};

use super::{Stage, all_of};
use crate::fixture::{Fixture, environment};

/// What a program prints.
async fn printed(program: &Program) -> String {
    let started = program.start().await.expect("started");
    let (output, errors) = tokio::join!(all_of(started.output), all_of(started.errors));
    started.process.ended().await;
    output + &errors
}

fn plant(place: &Fixture, name: &str) {
    place.write(name, "#!/bin/sh\necho planted \"$@\"\n");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path(name), mode).expect("set");
}

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    for stage in Stage::all() {
        let program = stage.shell("printf '[%s]' \"$@\"").with_arguments(["sh", "", "a b", "-x"]);
        let program = program.with_arguments(["$HOME", "ü'\""]);
        assert_eq!(printed(&program).await, "[][a b][-x][$HOME][ü'\"]");
    }
}

#[tokio::test]
async fn it_starts_in_the_workspace_or_in_another_directory() {
    for stage in Stage::all() {
        let root = stage.place.workspace().root().display().to_string();
        let program = stage.program("pwd");
        assert_eq!(printed(&program).await, format!("{root}\n"));
        std::fs::create_dir(stage.place.path("in here")).expect("made");
        let there = program.clone().with_directory("in here");
        assert_eq!(printed(&there).await, format!("{root}/in here\n"));
        // The program is there in place of the shell, with its arguments as they were.
        let shell = stage.shell("printf '%s,' \"$0\" \"$@\"; pwd").with_directory("in here");
        let text = printed(&shell.with_arguments(["-a", "b c"])).await;
        assert_eq!(text, format!("-a,b c,{root}/in here\n"));
        let missing = program.with_directory("nowhere").start().await.expect_err("refused");
        assert!(matches!(missing, Error::NoDirectory { .. }), "{missing}");
    }
}

#[tokio::test]
async fn a_name_is_not_found_where_commands_may_have_put_it() {
    for stage in Stage::walled() {
        let path = format!("{}:/usr/bin:/bin", stage.place.path("").display());
        let stage = Stage { environment: stage.environment.clone().with("PATH", path), ..stage };
        plant(&stage.place, "true");
        plant(&stage.place, "server");
        assert_eq!(printed(&stage.program("true")).await, "");
        let error = stage.program("server").start().await.expect_err("planted");
        assert!(error.to_string().contains("there is no such program on the PATH"), "{error}");
        // A path says which one is meant.
        for path in ["./server", stage.place.path("server").to_str().expect("ASCII")] {
            assert_eq!(printed(&stage.program(path).with_arguments(["1"])).await, "planted 1\n");
        }
        for missing in ["./nothing", "", "../"] {
            let error = stage.program(missing).start().await.expect_err("missing");
            assert!(matches!(error, Error::Missing { .. }), "{error}");
        }
    }
}

#[tokio::test]
async fn a_variable_that_would_take_effect_outside_of_the_walls_is_refused() {
    for stage in Stage::all() {
        for name in ["LD_PRELOAD", "LD_AUDIT", "GLIBC_TUNABLES", "GCONV_PATH"] {
            let program =
                stage.program("env").with_variable(name, "./evil").with_variable("A", "b");
            let error = program.start().await.expect_err("refused");
            assert!(matches!(error, Error::Variable { .. }), "{error}");
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_executed_says_so() {
    for stage in Stage::all() {
        stage.place.write("text", "just text");
        match stage.program("./text").start().await {
            Err(error) => assert!(error.to_string().contains("Permission denied"), "{error}"),
            Ok(Started { errors, process, .. }) => {
                let errors = all_of(errors).await;
                assert!(errors.contains("Permission denied"), "{errors}");
                assert!(!process.ended().await.ending().expect("ended").is_success());
            }
        }
    }
}

#[tokio::test]
async fn without_its_sandbox_nothing_is_started() {
    let stage = Stage::new(Sandbox::bubblewrap, environment().with("PATH", "/nowhere"));
    stage.place.write("server", "#!/bin/sh\ntouch started\n");
    let error = stage.program("./server").start().await.expect_err("no bwrap");
    assert!(matches!(error, Error::Confined(_)), "{error}");
    assert!(error.to_string().contains("there is no sandbox, `bwrap` is not on"), "{error}");

    /// It restricts processes in a way that is not known.
    struct Foreign;
    impl legwork_port::Sandbox for Foreign {
        fn name(&self) -> &str {
            "foreign"
        }

        fn confine(
            &self,
            _: &Path,
            command: Vec<OsString>,
        ) -> Result<Confined, legwork_port::sandbox::Error> {
            let mut confined = Confined::from(command);
            confined.restrictions = Restrictions::new("walls");
            Ok(confined)
        }
    }
    let stage = Stage::new(|_| Sandbox::By(Arc::new(Foreign)), environment());
    let touch = stage.program("touch").with_arguments(["started"]);
    let error = touch.start().await.expect_err("not confined");
    assert!(error.to_string().contains("in a way that is not known here"), "{error}");
    assert_eq!(stage.place.names().len(), 0);
}

#[tokio::test]
async fn what_it_is_given_is_not_shown() {
    let stage = Stage::open();
    let program = stage.program("true").with_arguments(["--token=abc"]);
    let program = program.with_variable("TOKEN", "def");
    let shown = format!("{program:?} {:?}", program.start().await.expect("started"));
    assert!(shown.contains("\"true\"") && !shown.contains("abc"), "{shown}");
    assert!(!shown.contains("TOKEN") && !shown.contains("def"), "{shown}");
}
