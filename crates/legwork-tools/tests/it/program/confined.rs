//! What a program sees and may do: what a command does.

use legwork_tools::Environment;
use legwork_tools::program::Started;

use super::{LONG, SECRET, Stage, all_of, alone};
use crate::fixture::Fixture;

#[test]
fn it_sees_the_variables_that_it_is_given_and_no_secret_of_the_parent() {
    let test = concat!(
        module_path!(),
        "::it_sees_the_variables_that_it_is_given_and_no_secret_of_the_parent"
    );
    alone(test, || async {
        assert_eq!(std::env::var(SECRET.0).as_deref(), Ok(SECRET.1));
        // As a program does it that hands in its own environment.
        let environment = Environment::filtered(std::env::vars_os());
        for stage in Stage::walled_with(&environment) {
            let given = [("MEMORY_API_KEY", "given"), ("LANG", "of its own")];
            let program = given.into_iter().fold(stage.program("env"), |program, (name, value)| {
                program.with_variable(name, value)
            });
            let started = program.start().await.expect("started");
            let text = all_of(started.output).await;
            for (name, value) in given {
                assert_eq!(text.matches(&format!("{name}={value}\n")).count(), 1, "{text}");
            }
            assert!(text.contains("PATH=") && text.contains("TMPDIR="), "{text}");
            assert!(!text.contains(SECRET.0) && !text.contains(SECRET.1), "{text}");
            assert!(!text.contains(super::ALONE), "{text}");
        }
    });
}

#[tokio::test]
async fn it_writes_in_the_workspace_and_nowhere_else() {
    let outside = Fixture::new();
    outside.write("kept", "kept");
    let attack = format!(
        "echo inside >inside; echo lost >{0}; touch {0}.new; echo mine >$TMPDIR/mine && cat \
         $TMPDIR/mine",
        outside.path("kept").display()
    );
    for stage in Stage::walled() {
        let Started { output, errors, process, .. } =
            stage.shell(&attack).start().await.expect("started");
        let (output, errors) = tokio::join!(all_of(output), all_of(errors));
        assert_eq!(output, "mine\n", "{errors}");
        process.ended().await;
        assert_eq!(stage.place.bytes("inside"), b"inside\n");
        assert_eq!((outside.names().len(), outside.bytes("kept")), (1, b"kept".to_vec()));
    }
}

#[tokio::test]
async fn it_has_no_file_of_the_parent_open() {
    let held = std::fs::File::open("/dev/null").expect("opened");
    rustix::io::fcntl_setfd(&held, rustix::io::FdFlags::empty()).expect("set");
    for stage in Stage::all() {
        let program = stage.shell("for file in /proc/$$/fd/*; do echo ${file##*/}; done");
        let text = all_of(program.start().await.expect("started").output).await;
        let more = text.lines().filter(|number| !["0", "1", "2"].contains(number)).count();
        assert!(more <= 1, "only the directory being listed: {text}");
    }
}

#[tokio::test]
async fn when_it_has_ended_its_sandbox_has_put_back_what_it_protects() {
    for stage in Stage::walled() {
        for folder in [".git/hooks", ".git/objects"] {
            std::fs::create_dir_all(stage.place.path(folder)).expect("made");
        }
        stage.place.write(".git/HEAD", "ref: refs/heads/main\n").write(".git/config", "[core]\n");
        // Whether it can be written or is only put back depends on the sandbox.
        let script = "{ echo x >.git/hooks/pre-commit; } 2>/dev/null; echo done; exec cat";
        let started = stage.shell(script).start().await.expect("started");
        let hook = stage.place.path(".git/hooks/pre-commit");
        assert_eq!(started.end(LONG).await.to_string(), "exit code 0");
        assert!(!hook.exists());
    }
}
