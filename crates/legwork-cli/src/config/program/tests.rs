use super::*;

async fn ran(program: Program) -> Result<Vec<u8>, String> {
    output(&program, Path::new("/"), &[], LIMIT).await
}

fn shell(line: &str) -> Program {
    Program::Shell(line.to_owned())
}

fn words(words: &[&str]) -> Program {
    Program::Words(words.iter().map(|word| (*word).to_owned()).collect())
}

#[tokio::test]
async fn a_list_runs_without_a_shell_and_text_with_one() {
    assert_eq!(ran(words(&["echo", "$HOME; a b"])).await, Ok(b"$HOME; a b\n".to_vec()));
    assert_eq!(ran(shell("echo a | tr a b; pwd")).await, Ok(b"b\n/\n".to_vec()));
}

#[tokio::test]
async fn a_failure_shows_standard_error_and_never_what_was_printed() {
    let failed = ran(shell("echo canary; echo no canary here >&2; exit 3")).await.unwrap_err();
    assert!(failed.contains("no [redacted] here") && failed.contains('3'), "{failed}");
    assert!(!failed.contains("canary"), "{failed}");
    let failed = ran(words(&["/nowhere/program"])).await.unwrap_err();
    assert!(failed.contains("does not start"), "{failed}");
    let failed = ran(shell("printf '\\033[2J\\377' >&2; exit 1")).await.unwrap_err();
    assert!(!failed.contains('\x1b'), "{failed:?}");
}

#[tokio::test]
async fn a_program_that_does_not_end_is_ended() {
    let limit = Duration::from_millis(50);
    let failed = output(&words(&["sleep", "600"]), Path::new("/"), &[], limit).await.unwrap_err();
    assert!(failed.contains("50ms"), "{failed}");
}

#[tokio::test]
async fn a_program_that_prints_without_end_is_cut_off() {
    // It dies of the pipe that nobody reads.
    let failed = ran(words(&["yes", "canary"])).await.unwrap_err();
    assert!(failed.contains("signal: 13") && !failed.contains("canary"), "{failed}");
}

#[tokio::test]
async fn standard_input_is_none() {
    assert_eq!(ran(words(&["cat"])).await, Ok(Vec::new()));
}
